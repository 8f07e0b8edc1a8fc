// Keeps the focus: what takes the place of the focused part gets it, and a closed panel gives it back.
// Without it nothing is swapped, so nothing is lost.
const STOPS = "a[href], button:enabled, input:enabled:not([type=hidden]), select, textarea, summary";
let held, trail, opener; // the last focused element, the ids it stands in, and what opened the panel

const called = (element) => [element.tagName, element.name, element.getAttribute("aria-label") ?? element.textContent.trim()].join();
const gone = () => held && (!held.isConnected || (held.id === "panel" && !held.childElementCount));
const lost = () => gone() || !document.activeElement || document.activeElement === document.body;

document.addEventListener("pointerdown", () => (held = null), true); // a click beside everything lets go
document.addEventListener("focusin", ({ target }) => {
  [held, trail] = [target, []];
  for (let each = target; each; each = each.parentElement) if (each.id) trail.push(each.id);
});

function give(element) {
  if (!element.matches(STOPS)) element.tabIndex = -1;
  element.focus({ preventScroll: true });
  if (element.matches(":focus-visible")) element.scrollIntoView({ block: "nearest" });
}

function keep() {
  if (!held || !lost()) return;
  if (!gone()) return held.disabled || held.focus({ preventScroll: true });
  const around = trail.map((id) => document.getElementById(id)).find((each) => each?.checkVisibility()) ?? document.getElementById("main");
  const stops = [...around.querySelectorAll(STOPS)].filter((each) => each.checkVisibility({ visibilityProperty: true }));
  const before = trail.includes("panel") && !document.querySelector("#panel > *") && opener?.isConnected && opener;
  give(before || stops.find((each) => called(each) === called(held)) || around.querySelector("[autofocus], [data-focus]") || stops[0] || around);
}

new MutationObserver(() => gone() && keep()).observe(document.body, { childList: true, subtree: true });
document.addEventListener("htmx:finally:request", keep); // a button that was disabled while it waited
document.addEventListener("htmx:after:swap", ({ detail }) => {
  const panel = detail?.ctx?.target;
  if (panel?.id !== "panel" || !panel.childElementCount || !held?.isConnected || panel.contains(held)) return;
  opener = held;
  if (held.matches(":focus-visible")) give(panel);
});
