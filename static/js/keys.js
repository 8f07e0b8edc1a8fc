// Keys for everywhere: "/" searches, "?" lists the keys, G and a letter go to a section, Escape closes the panel.
// Without it the links in the rail and the panel's own Close do the same. palette.js has Ctrl K. Keys of one
// character may be off for a person: the body says so to every script that has some.
const typing = (element) => element.closest?.("input, textarea, select, [contenteditable], dialog");
const SECTIONS = { c: "chat", l: "library", s: "study", p: "progress" };
let [waits, before] = [0, null];

function act(key) {
  const here = document.querySelector("main #search input[type=search]");
  const link = (name) => document.querySelector(`a[data-go=${name}]`)?.click();
  if (key === "/") here ? here.select() : link("search");
  else if (key === "?") link("shortcuts");
  else if (waits > Date.now() && SECTIONS[key]) link(SECTIONS[key]);
  else return void (waits = key === "g" ? Date.now() + 1500 : 0);
  return true;
}

function closePanel() {
  const panel = document.querySelector("#panel");
  if (!panel?.hasChildNodes()) return;
  const inside = panel.contains(document.activeElement);
  panel.replaceChildren();
  if (inside) before?.focus(); // where the reader came from
}

document.addEventListener("focusin", ({ target }) => target.closest("#panel") || (before = target));
document.addEventListener("keydown", (event) => {
  if (typing(event.target)) return;
  if (event.key === "Escape") closePanel();
  else if (document.body.dataset.keys !== "off" && !event.ctrlKey && !event.metaKey && !event.altKey && act(event.key)) event.preventDefault();
});
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-dismiss]")) event.target.closest("#messages > *")?.remove();
  if (!event.target.closest("[data-close-panel]")) return;
  event.preventDefault();
  closePanel();
});

if (/Mac|iP(hone|ad)/.test(navigator.platform)) {
  for (const key of document.querySelectorAll("[data-mod]")) key.textContent = key.textContent.replace(/^\S+/, "⌘");
}
