// Ticks all rows at once, or a range with Shift, and counts what is ticked.
// Without it each document is ticked by itself; the bar below the list works all the same.
const ticks = () => [...document.querySelectorAll("#shelf input[name=document]")];
let last = null;

function count() {
  const all = document.querySelector("[data-tick-all]");
  if (!all) return;
  const number = ticks().filter((tick) => tick.checked).length;
  all.hidden = false;
  all.checked = number > 0 && number === ticks().length;
  all.indeterminate = number > 0 && !all.checked;
  const told = document.querySelector("[data-ticked]");
  told.textContent = told.dataset.ticked.replace("#", number);
}

document.addEventListener("click", ({ target, shiftKey }) => {
  if (target.matches("[data-tick-all]")) for (const tick of ticks()) tick.checked = target.checked;
  if (target.matches("#shelf input[name=document]")) {
    const [from, to] = [ticks().indexOf(last), ticks().indexOf(target)].sort((a, b) => a - b);
    if (shiftKey && from >= 0) for (const tick of ticks().slice(from, to)) tick.checked = target.checked;
    last = target;
  }
  count();
});
document.addEventListener("htmx:after:swap", count);
count();
