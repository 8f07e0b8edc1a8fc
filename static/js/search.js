// Arrow keys walk from the search field through the results, and what is folded, and back; Enter opens.
// Without it Tab does the same, one link at a time.
const field = () => document.querySelector("#search input[type=search]");
const results = () =>
  [...document.querySelectorAll("#results :is([data-result], [data-stop])")].filter((each) => each.checkVisibility());

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  const stops = [field(), ...results()];
  const at = stops.indexOf(document.activeElement);
  const next = stops[at + step];
  if (at < 0 || !next) return;
  event.preventDefault();
  next.focus();
  next.scrollIntoView({ block: "nearest" });
});

// Browsers empty a search field on Escape, with no way back: the first press only selects the question.
document.addEventListener("keydown", (event) => {
  const { target, key } = event;
  if (key !== "Escape" || target !== field() || !target.value) return;
  if (target.selectionStart === 0 && target.selectionEnd === target.value.length) return;
  event.preventDefault();
  target.select();
});

// A question that was entered, not just typed, says so: then the language model may be asked.
const entered = (yes) => (event) => {
  const mark = event.target.closest?.("#search")?.elements.entered;
  if (mark) mark.disabled = !yes;
};
document.addEventListener("submit", entered(true), true);
document.addEventListener("input", entered(false), true);
