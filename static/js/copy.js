// Copies what a field beside a button holds, and says so. Without it the button is hidden; the field can be copied by hand.
const buttons = document.querySelectorAll("button[data-copy]");

if (navigator.clipboard) for (const button of buttons) button.hidden = false;

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(document.querySelector(button.dataset.copy).value);
  button.querySelector("span").textContent = button.dataset.copied;
});
