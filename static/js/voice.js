// Records a question and lets the vault hear it; the words go into the field, to be read over.
// Without a microphone, a recorder or JavaScript there is no button, and the keyboard does.
import { wordsOf } from "./hearing.js";

const LONGEST = 5 * 60; // seconds
const TYPES = ["audio/webm;codecs=opus", "audio/mp4", "audio/ogg;codecs=opus"]; // Chromium and Firefox, Safari
let recorder = null;
let hearing = null;

const button = () => document.querySelector("[data-voice]");
const able = navigator.mediaDevices?.getUserMedia && window.MediaRecorder;
function show(state, words) {
  const shown = button();
  if (!shown) return;
  shown.dataset.state = state;
  shown.setAttribute("aria-label", words);
  shown.title = words;
  let line = document.getElementById("voice-line");
  if (!line) {
    line = Object.assign(document.createElement("p"), { id: "voice-line", className: "voice-line" });
    line.setAttribute("role", "status");
    document.getElementById("tray").after(line);
  }
  line.textContent = state ? words : "";
  line.dataset.state = state;
}

async function record() {
  let stream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  } catch {
    return show("bad", button().dataset.denied);
  }
  const type = TYPES.find((each) => MediaRecorder.isTypeSupported(each));
  const [pieces, began] = [[], Date.now()];
  recorder = new MediaRecorder(stream, type ? { mimeType: type } : {});
  recorder.ondataavailable = (event) => pieces.push(event.data);
  const clock = setInterval(() => {
    const seconds = Math.floor((Date.now() - began) / 1000);
    show("recording", button().dataset.listening.replace("#", seconds));
    if (seconds >= LONGEST) recorder?.stop();
  }, 250);
  recorder.onstop = () => {
    clearInterval(clock);
    for (const track of stream.getTracks()) track.stop();
    if (!recorder.forgotten) hear(new Blob(pieces, { type: recorder.mimeType }));
    recorder = null;
  };
  recorder.start(1000);
}

async function hear(recording) {
  hearing = new AbortController();
  show("hearing", button().dataset.hearing);
  const field = document.querySelector("#composer textarea");
  const add = (words) => (field.value = `${field.value.trimEnd()} ${words}`.trimStart());
  const trouble = await wordsOf(recording, button().dataset.voice, hearing.signal, add);
  hearing = null;
  show(trouble ? "bad" : "", trouble || button().dataset.speak);
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.focus();
}

function forget() {
  if (recorder) ((recorder.forgotten = true), recorder.stop());
  hearing?.abort();
  show("", button().dataset.speak);
}

document.addEventListener("click", ({ target }) => {
  if (!target.closest?.("[data-voice]") || button().hasAttribute("popovertarget")) return;
  if (hearing) forget();
  else if (recorder) recorder.stop();
  else record();
});
document.addEventListener("keydown", (event) => event.key === "Escape" && (recorder || hearing) && forget());
const reveal = () => able && button() && (button().hidden = false);
document.addEventListener("htmx:after:swap", reveal);
reveal();
