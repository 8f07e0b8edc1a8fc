// The chat's few things that hypertext cannot do: Enter asks, copying, and keeping the new turn in view.

document.addEventListener("keydown", (event) => {
  const form = event.target.matches?.(".composer textarea, .editing textarea") && event.target.form;
  if (!form || event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault(); // Shift and Enter begin a new line
  const send = form.querySelector("button[name=send]");
  if (!event.target.value.trim()) return;
  if (send?.disabled === false) form.requestSubmit(send);
  const wait = form.querySelector("#wait");
  if (!send && wait) wait.textContent = wait.dataset.said; // Stop stands in its place: what is typed stays
});

document.addEventListener("htmx:after:swap", () => {
  const wait = document.querySelector("#composer:has([name=send]) #wait");
  if (wait) wait.textContent = "";
});

// What goes to the web follows the question until it is written by hand.
document.addEventListener("input", ({ target }) => {
  const query = document.querySelector("#composer [name=web_query]");
  if (target === query) query.dataset.own = query.value ? "yes" : "";
  const question = document.querySelector("#composer textarea");
  if (query && (target === question || target.id === "mode-web") && !query.dataset.own)
    query.value = question.value.replace(/\s+/g, " ").trim().slice(0, 200);
});

document.addEventListener("click", async (event) => {
  const link = event.target.closest?.("a[data-copy]");
  if (!link || !navigator.clipboard) return; // without a clipboard it is a download
  event.preventDefault();
  const answer = await fetch(link.href);
  await navigator.clipboard.writeText(await answer.text());
  const label = link.querySelector("span");
  const before = label.textContent;
  label.textContent = link.dataset.copy;
  setTimeout(() => (label.textContent = before), 2000);
});

// How long it has been waited: the server says it with all news, and it is counted on from there.
const counted = new WeakMap();
setInterval(() => {
  for (const it of document.querySelectorAll("[data-waited]")) {
    const told = Number(it.dataset.waited);
    if (counted.get(it)?.told !== told) counted.set(it, { told, began: performance.now() - 1000 * told });
    const seconds = Math.floor((performance.now() - counted.get(it).began) / 1000);
    it.firstChild.data = seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  }
}, 1000);

document.addEventListener("htmx:after:swap", () => document.querySelector(".editing textarea:not(:focus)")?.focus());

const turns = document.getElementById("turns");
if (turns) {
  const last = () => turns.querySelector(":scope > li:last-child");
  const show = () => last()?.scrollIntoView({ block: "start" });
  let following = Boolean(turns.querySelector("[aria-busy]")); // until it has ended, or the reader scrolls
  for (const act of ["wheel", "touchmove"]) addEventListener(act, () => (following = false), { passive: true });
  new MutationObserver((changes) => {
    if (changes.some(({ target }) => target === turns)) following = true;
    if (following) show();
    following &&= Boolean(last()?.querySelector("[aria-busy]"));
  }).observe(turns, { childList: true, subtree: true });
  // A conversation is opened where it ended; the browser itself goes back to where one was.
  const [{ type } = {}] = performance.getEntriesByType("navigation");
  if (following || (type === "navigate" && !location.hash && turns.childElementCount > 1)) show();
}
