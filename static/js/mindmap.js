// Moves the picture of a mindmap: drag, wheel, pinch, keys, folding. Without it picture and list stand there whole.
let svg, home, view, dragged, pointers;

function begin() { // also when htmx brought another picture
  svg = document.querySelector(".map-picture");
  if (!svg || svg.dataset.ready) return;
  const { x, y, width, height } = svg.viewBox.baseVal;
  [svg.dataset.ready, home, pointers] = ["1", view = { x, y, width, height }, new Map()];
  svg.closest(".map").classList.add("live");
  document.querySelector(".map-tools").hidden = false;
  zoom(Math.max(1, 0.5 / svg.getScreenCTM().a), { x: 0, y: 0 }); // on a phone the whole map is too small to read
}
const scale = () => home.width / view.width;
function show(next) {
  view = next;
  svg.setAttribute("viewBox", [view.x, view.y, view.width, view.height].join(" "));
}
function at({ clientX, clientY }) { // a place on the screen, in the picture's own measure
  return new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());
}
function zoom(factor, point = { x: view.x + view.width / 2, y: view.y + view.height / 2 }) {
  const by = Math.min(2.5, Math.max(0.4, scale() * factor)) / scale();
  show({ x: point.x - (point.x - view.x) / by, y: point.y - (point.y - view.y) / by, width: view.width / by, height: view.height / by });
}
const move = (dx, dy) => show({ ...view, x: view.x + dx, y: view.y + dy });
const link = (path) => document.querySelector(`.map-tree [data-node="${path}"]`);
const node = (path) => svg.querySelector(`.map-node[data-path="${path}"]`);

function fold(path) {
  const closed = node(path).classList.toggle("closed");
  for (const each of svg.querySelectorAll(`[data-path^="${path}."]`)) each.classList.toggle("gone", closed);
  link(path).parentElement.querySelector("ul")?.toggleAttribute("hidden", closed);
}
function reveal(path) { // the focus is in the list; its node comes into the picture
  for (const each of svg.querySelectorAll(".map-node.here")) each.classList.remove("here");
  const box = node(path).querySelector("rect").getBBox();
  node(path).classList.add("here");
  const [right, bottom] = [box.x + box.width - view.width, box.y + box.height - view.height];
  if (box.x < view.x || box.y < view.y || right > view.x || bottom > view.y) show({ ...view, x: box.x + box.width / 2 - view.width / 2, y: box.y + box.height / 2 - view.height / 2 });
}
document.addEventListener("wheel", (event) => {
  if (!event.target.closest(".map-picture")) return;
  event.preventDefault();
  zoom(1.1 ** (-Math.sign(event.deltaY)), at(event));
}, { passive: false });
document.addEventListener("pointerdown", (event) => {
  if (!event.target.closest(".map-picture")) return;
  pointers.set(event.pointerId, event);
  dragged = 0;
});
document.addEventListener("pointermove", (event) => {
  const before = pointers?.get(event.pointerId);
  if (!before) return;
  const other = [...pointers.values()].find((each) => each.pointerId !== event.pointerId);
  const apart = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
  dragged += Math.abs(event.clientX - before.clientX) + Math.abs(event.clientY - before.clientY);
  if (other) zoom(apart(event) / Math.max(1, apart(before)), at(event));
  else move(at(before).x - at(event).x, at(before).y - at(event).y);
  pointers.set(event.pointerId, event);
});
for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, (event) => pointers?.delete(event.pointerId));
document.addEventListener("click", ({ target }) => {
  const path = target.closest(".map-node")?.dataset.path;
  const factor = target.closest("[data-zoom]")?.dataset.zoom;
  if (factor) factor === "0" ? show(home) : zoom(Number(factor));
  else if (path && dragged < 6) target.closest(".map-fold") ? fold(path) : link(path).click();
});
document.addEventListener("focusin", ({ target }) => svg?.isConnected && target.dataset.node && reveal(target.dataset.node));
document.addEventListener("keydown", (event) => {
  if (!svg || event.target.closest("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
  const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  const path = event.target.dataset?.node;
  if (step) move(step[0] * view.width * 0.1, step[1] * view.width * 0.1);
  else if (document.body.dataset.keys !== "off" && "+=-0".includes(event.key)) event.key === "0" ? show(home) : zoom(event.key === "-" ? 0.8 : 1.25);
  else if (event.key === " " && path && path !== "root") fold(path);
  else return;
  event.preventDefault();
});
document.addEventListener("htmx:after:swap", begin);
begin();
