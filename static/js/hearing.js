// Sends a recording to the vault and passes on its words as they are heard; for voice.js.
// Resolves to what went wrong, in words, or to nothing.
export async function wordsOf(recording, address, signal, heard) {
  const data = new FormData();
  data.append("recording", recording, "recording");
  const token = document.querySelector("#composer [name=csrfmiddlewaretoken]").value;
  let trouble = "";
  try {
    const answer = await fetch(address, { method: "POST", body: data, signal, headers: { "X-CSRFToken": token } });
    const [reader, decoder] = [answer.body.getReader(), new TextDecoder()];
    for (let rest = "", end = false; !end; ) {
      const { done, value } = await reader.read();
      rest += done ? "\n" : decoder.decode(value, { stream: true });
      end = done;
      const lines = rest.split("\n");
      rest = lines.pop();
      for (const line of lines.map((each) => each.trim()).filter(Boolean)) {
        if (!answer.ok || line.startsWith("!")) trouble = line.replace(/^!/, "");
        else heard(line);
      }
    }
  } catch (error) {
    if (error.name !== "AbortError") trouble = document.getElementById("composer").dataset.brokeSaid;
  }
  return trouble;
}
