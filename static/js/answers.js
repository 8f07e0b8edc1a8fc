// Keys 1 to 4 choose an answer, Enter goes on. Without it the arrow keys, Tab and Enter do.
document.addEventListener("keydown", (event) => {
  if (document.body.dataset.keys === "off" || event.ctrlKey || event.metaKey || event.altKey || !/^[1-9]$/.test(event.key)) return;
  const choices = document.querySelectorAll("#player input[name=chosen]:not(:disabled)");
  const chosen = choices[Number(event.key) - 1];
  if (!chosen) return;
  event.preventDefault();
  chosen.checked = true;
  chosen.focus();
});
document.addEventListener("htmx:after:swap", () => document.querySelector("#next")?.focus());
