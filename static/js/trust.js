// The one way in which text becomes part of a page: what the vault's own server sent, through htmx.
// The browser refuses every other (Trusted Types). Without this file htmx cannot swap; links and forms still work.
const policy = window.trustedTypes?.createPolicy("vault", {
  createHTML: (html) => html,
  createScript: () => {
    throw new TypeError("No page of the vault has scripts in it.");
  },
});

function refuse() {
  throw new TypeError("Nothing of a page is ever run as a script.");
}

if (policy) {
  htmx.registerExtension("trust", { init: (htmxInside) => htmxInside.initSecurity(policy, refuse, refuse) });
}
