// Shows at once that another page is being fetched, as the line on top does for every part of one.
// Without it the browser's own sign turns. A file does not take the page's place: it is told by `download`.
const [busy, MOST] = [document.body.classList, 20000];
let timer;

function leave() {
  busy.add("leaving");
  clearTimeout(timer);
  timer = setTimeout(stay, MOST); // what came was a file, or nothing
}

function stay() {
  busy.remove("leaving");
}

addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const elsewhere = link.target || link.hasAttribute("download") || link.origin !== location.origin;
  const here = link.hash && link.pathname + link.search === location.pathname + location.search;
  if (!elsewhere && !here) leave();
});
addEventListener("submit", ({ target, defaultPrevented }) => defaultPrevented || target.target || target.hasAttribute("data-download") || leave());
addEventListener("keydown", ({ key }) => key === "Escape" && stay()); // as it stops a page
addEventListener("pageshow", stay); // back, with the page as it was left

// Stop and Cancel are heard at once, also where the vault takes a moment.
addEventListener("click", ({ target }) => {
  const stop = target.closest?.("[data-stopping]");
  if (stop) (stop.querySelector("span") ?? stop).textContent = stop.dataset.stopping;
});
