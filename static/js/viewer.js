// Turns pages by the arrow keys and brings what is cited into view. Without it the links do.
const shown = (selector) => [...document.querySelectorAll(`#viewer ${selector}`)].find((each) => each.checkVisibility());
const show = () => (shown(".sentence") ?? shown("#passage"))?.scrollIntoView({ block: "center" });
const current = () => {
  const [outline, here] = ["#outline", "#outline [aria-current]"].map((each) => document.querySelector(each));
  if (here) outline.scrollTop += here.getBoundingClientRect().top - outline.getBoundingClientRect().top - outline.clientHeight / 3;
  if (here) outline.scrollLeft += here.getBoundingClientRect().left - outline.getBoundingClientRect().left - outline.clientWidth / 3;
};

document.addEventListener("click", (event) => {
  const [seek, player] = [event.target.closest?.("[data-seek]"), document.querySelector("#viewer audio")];
  if (!seek || !player) return;
  event.preventDefault();
  player.currentTime = Number(seek.dataset.seek);
  player.play();
});
document.addEventListener("keydown", (event) => {
  const rel = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
  const typing = event.target.closest("input, textarea, select, summary");
  if (!rel || typing || event.altKey || event.ctrlKey || event.metaKey) return;
  document.querySelector(`#viewer [rel=${rel}]`)?.click();
});
document.addEventListener("htmx:after:swap", ({ detail }) => {
  if (["reading", "viewer", "panel"].includes(detail?.ctx?.target?.id)) (show(), current());
});
current();
show();
