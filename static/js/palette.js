// Ctrl or ⌘ K opens the list of places anywhere: arrows choose, Enter goes, Escape closes.
// Without it the link in the rail leads to the same list as a page.
const dialog = document.querySelector("#palette");
const field = dialog?.querySelector("input");
const options = () => [...dialog.querySelectorAll("[role=option]")];
const current = () => dialog.querySelector("[aria-selected=true]");
const told = () => dialog.querySelector("[data-for]")?.dataset.for; // for which words the list is
let going = false; // Enter came before the list did

function choose(option) {
  current()?.setAttribute("aria-selected", "false");
  option?.setAttribute("aria-selected", "true");
  option?.scrollIntoView({ block: "nearest" });
  if (option) field.setAttribute("aria-activedescendant", option.id);
  else field.removeAttribute("aria-activedescendant");
}

function go() {
  going = told() !== field.value.trim();
  if (!going) current()?.click();
}

const ask = () => field.dispatchEvent(new CustomEvent("palette:open"));

function open() {
  if (dialog.open) return;
  going = false;
  dialog.showModal();
  field.select();
  ask();
}

function move(event) {
  const [all, step] = [options(), { ArrowDown: 1, ArrowUp: -1 }[event.key]];
  if (event.key === "Enter" && !event.isComposing) (event.preventDefault(), go());
  if (!step || !all.length) return;
  event.preventDefault();
  choose(all[(all.indexOf(current()) + step + all.length) % all.length]);
}

if (dialog) {
  document.addEventListener("keydown", (event) => {
    if (!(event.metaKey || event.ctrlKey) || event.shiftKey || event.key.toLowerCase() !== "k") return;
    event.preventDefault();
    if (dialog.open) dialog.close();
    else open();
  });
  document.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close(); // its backdrop
    if (!event.target.closest("[data-palette]") || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open();
  });
  field.addEventListener("keydown", move);
  field.addEventListener("htmx:after:init", () => dialog.open && ask()); // opened before htmx was there to hear it
  document.addEventListener("htmx:after:swap", () => {
    if (!dialog.open || current()) return;
    choose(options()[0]);
    if (going) go();
  });
}
