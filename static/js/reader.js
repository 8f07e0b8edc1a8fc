// Marks in the contents where the reader is, and scrolls them along. Without it they are links.
const links = () => [...document.querySelectorAll(".lesson-contents a[href^='#']")];
const visible = new Set();

const watcher = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      if (entry.isIntersecting) visible.add(entry.target.id);
      else visible.delete(entry.target.id);
    }
    mark();
  },
  { rootMargin: "-10% 0px -55% 0px" },
);

function mark() {
  const atEnd = scrollY > 0 && innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
  const all = atEnd ? links().reverse() : links(); // the last sections never reach the top
  const there = all.filter((link) => atEnd || visible.has(link.hash.slice(1)));
  const here = (atEnd && there.find((link) => link.hash === location.hash)) || there[0];
  if (!here) return; // between two sections the last one stays marked
  for (const link of links()) {
    if (link === here) link.setAttribute("aria-current", "location");
    else link.removeAttribute("aria-current");
  }
  const box = here.closest(".lesson-contents");
  if (box.scrollHeight > box.clientHeight) box.scrollTop = here.offsetTop - box.clientHeight / 2;
}

function watch() {
  watcher.disconnect();
  visible.clear();
  for (const section of document.querySelectorAll(".lesson-section[id]")) watcher.observe(section);
}

document.addEventListener("scrollend", mark);
document.addEventListener("htmx:after:swap", watch);
watch();
