// Uploads each file by itself, with a bar, and takes files and folders dropped anywhere on the page.
// Without it the form sends all files at once, and the next page says what became of each.
const form = document.querySelector("form[data-upload]");
const input = form.querySelector("input[type=file]");
const [list, words] = [document.querySelector("#uploads"), document.querySelector("#upload-row").dataset];
const [limit, waiting] = [Number(form.dataset.limit) * 1024 * 1024, []];
let [running, batch, told] = [0, "", 0];

const changed = () => (clearTimeout(told), (told = setTimeout(() => document.body.dispatchEvent(new CustomEvent("library:changed")), 300)));

// A row follows its file where rows are few; the figures below follow all of them.
function follow(row, figures) {
  if (list.children.length <= 20) window.htmx?.process(row);
  if (figures) (document.querySelector("#upload-figures").replaceChildren(figures), window.htmx?.process(figures));
}

function add(files) {
  if (!running && !waiting.length) batch = `${Date.now()}-${Math.random().toString(36).slice(2)}`;
  for (const file of files) {
    const row = document.querySelector("#upload-row").content.cloneNode(true).firstElementChild;
    row.querySelector(".name").textContent = file.name;
    list.append(row);
    if (file.size > limit) say(row, "bad", words.large);
    else waiting.push([file, row]);
  }
  while (running < 2 && waiting.length) send(...waiting.shift());
}

function say(row, tone, words) {
  row.dataset.tone = tone;
  row.querySelector("progress").hidden = true;
  row.querySelector(".said").replaceChildren(words);
}

function send(file, row) {
  const [request, data, bar] = [new XMLHttpRequest(), new FormData(form), row.querySelector("progress")];
  data.set("file", file);
  (data.set("batch", batch), data.set("changed", file.lastModified));
  running += 1;
  request.upload.onprogress = (event) => {
    bar.value = event.loaded / event.total;
    row.querySelector(".said").textContent = bar.value < 1 ? `${Math.round(bar.value * 100)} %` : words.storing;
  };
  request.onload = () => {
    const outcome = request.response?.querySelector(".outcome");
    if (request.getResponseHeader("HX-Redirect")) location.href = request.getResponseHeader("HX-Redirect");
    else if (outcome) (say(row, outcome.dataset.tone, outcome), follow(row, request.response.querySelector(".batch")));
    else if (request.status === 413) say(row, "bad", words.large);
    else if (request.status === 507) say(row, "bad", words.full);
    else say(row, "bad", words.error.replace("#", request.status));
  };
  request.onerror = () => say(row, "bad", words.broke);
  request.onloadend = () => ((running -= 1), changed(), waiting.length && send(...waiting.shift()));
  request.open("POST", form.action);
  request.responseType = "document"; // the browser reads the page, no text is made into one here
  request.setRequestHeader("HX-Request", "true");
  request.send(data);
}

async function inside(entry) {
  if (entry.isFile) return [await new Promise((found, failed) => entry.file(found, failed))];
  const [reader, all] = [entry.createReader(), []];
  for (let some = [1]; some.length; all.push(...some)) some = await new Promise((found, failed) => reader.readEntries(found, failed));
  return (await Promise.all(all.map(inside))).flat();
}

const over = (event, on) => event.dataTransfer?.types.includes("Files") && (event.preventDefault(), document.body.classList.toggle("over", on));
addEventListener("dragover", (event) => over(event, true));
addEventListener("dragleave", (event) => event.relatedTarget || over(event, false));
addEventListener("drop", async (event) => {
  if (over(event, false) === undefined && !event.defaultPrevented) return;
  const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
  add((await Promise.all(entries.map(inside))).flat());
});
addEventListener("click", (event) => event.target.closest?.("[data-choose-files]") && (event.preventDefault(), input.click()));
addEventListener("click", (event) => event.target.closest?.("[data-close-uploads]") && [list, document.querySelector("#upload-figures")].forEach((each) => each.replaceChildren()));
addEventListener("beforeunload", (event) => running && event.preventDefault());
const chosen = () => (add([...input.files]), (input.value = ""));
input.addEventListener("change", () => form.hidden && chosen());
form.addEventListener("submit", (event) => (event.preventDefault(), chosen()));
