// Files chosen, dropped or pasted go to the vault at once, with a bar, and wait for the question.
// Without it the form sends them along, and the next page says what became of them.
const composer = () => document.getElementById("composer");
const tray = () => document.getElementById("tray");

function add(files) {
  for (const file of files) {
    const row = document.getElementById("attaching").content.cloneNode(true).firstElementChild;
    const { most, largest, add: address, pasted, mostSaid, largeSaid } = composer().dataset;
    row.querySelector("b").textContent = file.name || pasted;
    tray().append(row);
    const megabytes = Math.round(Number(largest) / 1e6);
    if (tray().querySelectorAll(":scope > :not([data-tone=bad])").length > Number(most))
      refuse(row, mostSaid);
    else if (file.size > Number(largest))
      refuse(row, largeSaid.replace("#", megabytes));
    else send(row, file, address);
  }
}

function refuse(row, words) {
  row.dataset.tone = "bad";
  row.querySelector("progress").remove();
  row.querySelector(".said").textContent = words;
}

function send(row, file, address) {
  const [request, data] = [new XMLHttpRequest(), new FormData()];
  data.append("file", file, file.name || "pasted.png");
  data.append("changed", file.lastModified);
  row.sending = request;
  request.upload.onprogress = (event) => (row.querySelector("progress").value = event.loaded / event.total);
  request.onload = () => {
    const item = request.response?.querySelector("li");
    if (!item) return refuse(row, composer().dataset.errorSaid.replace("#", request.status));
    row.replaceWith(item);
    htmx.process(item); // it asks by itself until it was read
  };
  request.onerror = () => refuse(row, composer().dataset.brokeSaid);
  request.open("POST", address);
  request.responseType = "document"; // read by the browser: no text may become a page here
  request.setRequestHeader("HX-Request", "true");
  request.setRequestHeader("X-CSRFToken", composer().querySelector("[name=csrfmiddlewaretoken]").value);
  request.send(data);
}

document.addEventListener("change", ({ target }) => {
  if (!target.matches?.("#composer input[type=file]")) return;
  target.closest("[popover]")?.hidePopover();
  add([...target.files]);
  target.value = "";
});
document.addEventListener("click", ({ target }) => {
  const row = target.closest?.("[data-drop-attachment]")?.closest("li");
  row?.sending?.abort();
  row?.remove();
});
document.addEventListener("paste", (event) => {
  const files = event.target.closest?.("#composer") ? [...event.clipboardData.files] : [];
  if (files.length) (event.preventDefault(), add(files));
});
const dragged = (event) => composer() && event.dataTransfer?.types.includes("Files");
const over = (on) => composer().classList.toggle("over", on);
addEventListener("dragover", (event) => dragged(event) && (event.preventDefault(), over(true)));
addEventListener("dragleave", (event) => dragged(event) && !event.relatedTarget && over(false));
addEventListener("drop", (event) => dragged(event) && (event.preventDefault(), over(false), add([...event.dataTransfer.files])));
// A question is not asked while one of its files is still on its way.
document.addEventListener("submit", (event) => {
  if (event.target.id !== "ask" || event.submitter?.name !== "send" || !tray().querySelector("progress")) return;
  event.preventDefault();
  event.stopPropagation();
}, true);
