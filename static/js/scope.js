// Everything, or what is ticked: choosing one unticks the other, as the form means it.
// Without it both may be ticked; the list says by its style that only what is chosen is used.
const EVERYTHING = "all";

addEventListener("change", ({ target }) => {
  const list = target.name === "scope" && target.closest(".scope-list");
  if (!list) return;
  const boxes = [...list.querySelectorAll("input[name=scope]")];
  const all = boxes.find((box) => box.value === EVERYTHING);
  const others = boxes.filter((box) => box !== all);
  if (target === all && all.checked) for (const box of others) box.checked = false;
  else all.checked = !others.some((box) => box.checked);
});
