// The chat's few things that hypertext cannot do: Enter asks, copying, and keeping the new turn in view.

document.addEventListener("keydown", (event) => {
  const form = event.target.closest?.(".composer");
  if (!form || event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault(); // Shift and Enter begin a new line
  const send = form.querySelector("button[name=send]:enabled");
  if (send && event.target.value.trim()) form.requestSubmit(send);
});

document.addEventListener("click", async (event) => {
  const link = event.target.closest?.("a[data-copy]");
  if (!link || !navigator.clipboard) return; // without a clipboard it is a download
  event.preventDefault();
  const answer = await fetch(link.href);
  await navigator.clipboard.writeText(await answer.text());
  const label = link.querySelector("span");
  label.textContent = "Copied";
  setTimeout(() => (label.textContent = "Copy as Markdown"), 2000);
});

const turns = document.getElementById("turns");
if (turns) {
  const last = () => turns.querySelector(":scope > li:last-child");
  const show = () => last()?.scrollIntoView({ block: "start" });
  new MutationObserver(show).observe(turns, { childList: true });
  if (turns.querySelector("[aria-busy]")) show();
}
