// Goes from stop to stop as Tab does and says which do not show that they are focused, and which
// cannot be seen at least in part. A test evaluates it; no page has it.
() => {
  const faults = [];
  const lined = (each) => getComputedStyle(each).outlineStyle !== "none" && parseFloat(getComputedStyle(each).outlineWidth) > 0;
  for (const stop of document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")) {
    const shown = stop.checkVisibility({ checkVisibilityCSS: true }) && !stop.disabled && stop.tabIndex >= 0;
    if (!shown || stop.type === "hidden") continue;
    stop.focus();
    const name = `${stop.tagName} ${stop.getAttribute("aria-label") ?? stop.textContent.trim().slice(0, 40)}`;
    if (document.activeElement !== stop) { faults.push(`${name} takes no focus`); continue; }
    const around = [stop, stop.parentElement, stop.parentElement.parentElement, stop.parentElement.parentElement.parentElement];
    if (!around.some(lined) && !around.slice(1).some((each) => [...each.querySelectorAll("*")].some(lined))) faults.push(`${name} does not show its focus`);
    const { left, top, right, bottom, width, height } = stop.getBoundingClientRect();
    if (width < 3 || height < 3) continue; // a hidden box whose label is what is seen
    if (stop.dataset.node && document.querySelector(".map-node.here")) continue; // seen on the map
    const [x1, x2, y1, y2] = [Math.max(left, 0), Math.min(right, innerWidth), Math.max(top, 0), Math.min(bottom, innerHeight)];
    const seen = [0.5, 0.1, 0.9].some((x) => [0.5, 0.1, 0.9].some((y) => {
      const there = document.elementFromPoint(x1 + (x2 - x1) * x, y1 + (y2 - y1) * y);
      return there && (there.closest("#panel") || stop.contains(there) || there.contains(stop) && there.closest("label, .search-field"));
    }));
    if (x2 <= x1 || y2 <= y1 || !seen) faults.push(`${name} is covered or out of sight`);
  }
  return faults;
}
