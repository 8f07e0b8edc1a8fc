// The composer: documents to ask are found by their names, and toasts keep off it.
// Without it the list is whole, and toasts stand where a composer of two lines ends.
// A filter that is typed hides the choices without those words; what is ticked stays in sight.
document.addEventListener("input", ({ target }) => {
  if (!target.matches("[data-narrows]")) return;
  const words = target.value.toLocaleLowerCase().split(/\s+/);
  for (const label of target.closest(".scope-choices").querySelectorAll("label:has([type=checkbox])"))
    label.hidden = !label.querySelector(":checked") && !words.every((word) => label.textContent.toLocaleLowerCase().includes(word));
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.target.matches?.("[data-narrows]")) event.preventDefault(); // it asks nothing
});

// Toasts stand above the composer, however tall it has grown.
const grown = new ResizeObserver(([{ target }]) => document.documentElement.style.setProperty("--composer", `${target.offsetHeight}px`));
let composer;
const measure = () => {
  for (const field of document.querySelectorAll("[data-narrows]")) field.parentElement.hidden = false; // without JavaScript it does nothing
  const found = document.querySelector(".conversation > .composer");
  if (!found || found === composer) return;
  grown.disconnect();
  grown.observe((composer = found));
};
document.addEventListener("htmx:after:swap", measure);
measure();
