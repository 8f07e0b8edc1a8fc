// Turns pages by the arrow keys and brings a cited passage into view. Without it the links do.
const show = () => document.querySelector("#viewer #passage")?.scrollIntoView({ block: "center" });
const current = () => document.querySelector("#outline [aria-current]")?.scrollIntoView({ block: "nearest" });

document.addEventListener("keydown", (event) => {
  const rel = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
  const typing = event.target.closest("input, textarea, select, summary");
  if (!rel || typing || event.altKey || event.ctrlKey || event.metaKey) return;
  document.querySelector(`#viewer [rel=${rel}]`)?.click();
});
document.addEventListener("htmx:after:swap", ({ detail }) => {
  if (["reading", "viewer", "panel"].includes(detail?.ctx?.target?.id)) (show(), current());
});
current();
show();
