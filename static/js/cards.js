// Review by keyboard: Space shows the answer, 1 to 4 grade it, U takes the last grade back.
// Without it the buttons do the same.
const busy = () => document.querySelector("#player.htmx-request, #player .htmx-request");

document.addEventListener("keydown", (event) => {
  if (document.body.dataset.keys === "off" || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.matches("input, textarea, select, summary")) return;
  const key = event.key.toLowerCase();
  const button = /^[1-4]$/.test(key)
    ? document.querySelector(`.grades button[value="${key}"]`)
    : document.querySelector({ " ": "#show", u: "#undo" }[key] ?? "#none");
  if (!button) return;
  event.preventDefault();
  if (!busy()) button.click();
});
