// Keyboard for everywhere: Ctrl/⌘ K or "/" goes to the search, Escape closes the side panel.
// Without it the links in the rail and the panel's own Close do the same.
const typing = (element) => element.matches("input, textarea, select, [contenteditable]");

document.addEventListener("keydown", (event) => {
  const command = (event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k";
  const slash = event.key === "/" && !event.ctrlKey && !event.metaKey && !typing(event.target);
  if (command || slash) {
    const here = document.querySelector("main #search input[type=search]");
    const link = document.querySelector("a[data-search]");
    if (!here && !link) return;
    event.preventDefault();
    if (here) here.select();
    else location.href = link.href;
  }
  if (event.key === "Escape" && !typing(event.target)) {
    document.querySelector("#panel")?.replaceChildren();
  }
});

document.addEventListener("click", (event) => {
  const close = event.target.closest("[data-close-panel]");
  if (!close) return;
  event.preventDefault();
  document.querySelector("#panel")?.replaceChildren();
});
