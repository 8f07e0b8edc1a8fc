// Says that the vault does not answer, looks again every few seconds, and goes when it is back.
// Without it the browser's own page says so at the next click.
const banner = document.querySelector("#offline");
let [looking, leaving] = [0, false];

async function look() {
  try {
    await fetch(banner.dataset.look, { method: "HEAD", cache: "no-store" });
    clearInterval(looking);
    looking = 0;
    banner.hidden = true;
  } catch {
    banner.hidden = leaving;
  }
}

// A request that was replaced or left is no sign; only one look of our own that fails is.
function doubt() {
  if (looking) return;
  looking = setInterval(look, 3000);
  look();
}

if (banner) {
  // What sticks to the top of a page makes room for the line, however high it is.
  new ResizeObserver(() => document.documentElement.style.setProperty("--top", `${banner.offsetHeight}px`)).observe(banner);
  document.addEventListener("htmx:error", doubt);
  document.addEventListener("htmx:sse:error", doubt);
  addEventListener("offline", doubt);
  addEventListener("pagehide", () => (leaving = true)); // what it still waits for is given up
  addEventListener("pageshow", () => (leaving = false));
}
