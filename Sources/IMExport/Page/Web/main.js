// Handles keys, the wheel and clicks.

let isWaiting = false;
function redraw() {
  if (isWaiting) return;
  isWaiting = true;
  requestAnimationFrame(() => { isWaiting = false; draw(); });
}
function relayout() {
  const anchor = selected >= 0 ? selected : rows.length ? rows[rowAt(scroller.scrollTop / zoom)] : 0;
  layOut();
  findLongArrows();
  paintMap();
  zoomTo(zoom, anchor);
}
function setShown(name, value) {
  show[name] = value;
  $(name).checked = value;
  relayout();
}

function zoomTo(value, anchor, atY) {
  const middle = rows[rowAt((scroller.scrollTop + tall / 2) / zoom)];
  const i = anchor ?? (selected >= 0 && isInView(selected) ? selected : middle);
  const y = atY ?? Math.max(0, Math.min(tall - 30, yOf(i || 0) * zoom - scroller.scrollTop));
  zoom = Math.max(zoomMin(), Math.min(zoomMax(), value));
  $("spacer").style.height = Math.max(1, Math.round(height * zoom)) + "px";
  scroller.scrollTop = yOf(i || 0) * zoom - y;
  redraw();
}
const isInView = i => {
  const y = yOf(i) * zoom - scroller.scrollTop;
  return y > 20 && y < tall - 20;
};
function scrollTo(i) {
  if (!isInView(i)) scroller.scrollTop = yOf(i) * zoom - tall * 0.4;
  if (data.node[i] >= 0) {
    const x = laneX(lanesAt(i));
    const isOutside = x - scroller.scrollLeft < GUTTER || x + 60 > scroller.scrollLeft + width;
    if (isOutside) scroller.scrollLeft = x - GUTTER - 20;
  }
}

function select(i) {
  selected = i;
  if (i >= 0) {
    // If the selected event is hidden, all events of its kind are shown, so that every link in the panel works.
    if (rowOf[i] < 0) {
      if (data.what[i] === BEAT) show.beats = $("beats").checked = true;
      else show.details = $("details").checked = true;
      relayout();
    }
    scrollTo(i);
    const state = data.node[i] >= 0 && !data.nodes[data.node[i]].server ? ", " + stateAt(data.node[i], i) : "";
    $("said").textContent = `event ${numberOf(i)} of ${count}, ${nameOf(i)}${state}: ${textOf(i)}`;
    history.replaceState(null, "", "#" + numberOf(i));
  } else history.replaceState(null, "", "#");
  if (window.innerWidth <= 900) $("panel").hidden = i < 0;
  showPanel();
  showFound();
  redraw();
}
function walk(step) {
  if (!rows.length) return;
  const at = selected < 0 ? (step > 0 ? rowAt(scroller.scrollTop / zoom) - 1 : rows.length) : rowOf[selected];
  select(rows[Math.max(0, Math.min(rows.length - 1, at + step))]);
}
/// Selects the next event for which `holds` is true, forwards or backwards. The search starts at the selected
/// event, or at the beginning or the end if none is selected.
function seek(step, holds) {
  const from = selected >= 0 ? selected : step > 0 ? -1 : count;
  for (let i = from + step; i >= 0 && i < count; i += step) if (holds(i)) return select(i);
  $("said").textContent = "there are no more";
}

let failure = "";
function runSearch() {
  failure = search($("query").value);
  // If no match is visible, the page scrolls to the first one after the selected event. Enter selects it.
  if (matches.length && !matches.some(i => rowOf[i] >= 0 && isInView(i))) {
    const from = selected >= 0 ? selected : 0;
    scrollTo(matches.find(i => i >= from) ?? matches[0]);
  }
  showFound();
  redraw();
}
function showFound() {
  const found = $("found");
  found.classList.toggle("wrong", failure !== "");
  const at = selected >= 0 && isMatch[selected] ? matches.indexOf(selected) + 1 + " / " : "";
  found.textContent = failure || ($("query").value.trim() ? at + matches.length : "");
  found.title = failure;
}
const nextMatch = step => matches.length ? seekRound(step) : undefined;
function seekRound(step) {
  const from = selected >= 0 ? selected : step > 0 ? -1 : count;
  const found = step > 0 ? matches.find(i => i > from) ?? matches[0]
    : matches.findLast(i => i < from) ?? matches[matches.length - 1];
  select(found);
}

function setTheme(isDark) {
  document.documentElement.classList.toggle("dark", isDark);
  readColours();
  paintMap();
  showPanel();
  redraw();
}

const KEYS = [
  ["j ↓ · k ↑", "the next and the previous event"], ["t · T", "the next and the previous change of a state"],
  ["x · X", "the next and the previous kick"], ["f · F", "the next and the previous fault"],
  ["m · M", "the next and the previous mark"], ["p", "the other end of a frame"],
  ["Home · End", "the beginning and the end"], ["/", "search"], ["n · N", "the next and the previous match"],
  ["+ · - · 0", "zoom in, out, to fit (or Ctrl and the wheel)"],
  ["h · b", "show or hide heartbeats and bookkeeping"], ["l", "light or dark"],
  ["Esc", "close, clear"], ["?", "show these keys"]];
const ACTIONS = {
  j: () => walk(1), ArrowDown: () => walk(1), k: () => walk(-1), ArrowUp: () => walk(-1),
  t: () => seek(1, i => changeAt.has(i)), T: () => seek(-1, i => changeAt.has(i)),
  x: () => seek(1, i => data.what[i] === KICKED || data.what[i] === KICK_FRAME),
  X: () => seek(-1, i => data.what[i] === KICKED || data.what[i] === KICK_FRAME),
  f: () => seek(1, i => data.what[i] === FAULT), F: () => seek(-1, i => data.what[i] === FAULT),
  m: () => seek(1, i => data.what[i] === MARK), M: () => seek(-1, i => data.what[i] === MARK),
  p: () => selected >= 0 && data.peer[selected] >= 0 && select(data.peer[selected]),
  n: () => nextMatch(1), N: () => nextMatch(-1), "/": () => $("query").focus(),
  Home: () => { if (rows.length) select(rows[0]); },
  End: () => { if (rows.length) select(rows[rows.length - 1]); },
  "+": () => zoomTo(zoom * 1.3), "=": () => zoomTo(zoom * 1.3),
  "-": () => zoomTo(zoom / 1.3), 0: () => zoomTo(0),
  h: () => setShown("beats", !show.beats), b: () => setShown("details", !show.details),
  l: () => setTheme(!document.documentElement.classList.contains("dark")),
  "?": () => $("help").showModal(),
  Escape: () => select(-1),
};
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
  if (event.target === $("query")) {
    if (event.key !== "Escape") return;
    $("query").value = "";
    runSearch();
    scroller.focus();
    event.preventDefault();
    return;
  }
  const action = ACTIONS[event.key];
  const isButton = event.target.tagName === "BUTTON" || event.target.tagName === "SUMMARY";
  if (!action || (isButton && event.key === "Enter")) return;
  event.preventDefault();
  action();
});
// Enter moves the keyboard focus from the search field to the events, so that n and N work.
$("search").addEventListener("submit", event => {
  event.preventDefault();
  nextMatch(1);
  if (matches.length) scroller.focus({ preventScroll: true });
});
$("query").addEventListener("keydown", event => {
  if (event.key === "Enter" && event.shiftKey) { event.preventDefault(); nextMatch(-1); }
});
$("query").addEventListener("input", runSearch);
$("next").addEventListener("click", () => nextMatch(1));
$("previous").addEventListener("click", () => nextMatch(-1));
for (const name of ["beats", "details"]) {
  $(name).addEventListener("change", e => setShown(name, e.target.checked));
}
$("in").addEventListener("click", () => zoomTo(zoom * 1.3));
$("out").addEventListener("click", () => zoomTo(zoom / 1.3));
$("fit").addEventListener("click", () => zoomTo(0));
$("theme").addEventListener("click", ACTIONS.l);
$("keys").addEventListener("click", ACTIONS["?"]);
scroller.addEventListener("scroll", redraw);
scroller.addEventListener("wheel", event => {
  if (!event.ctrlKey) return;
  event.preventDefault();
  const y = event.clientY - scroller.getBoundingClientRect().top;
  zoomTo(zoom * Math.exp(-event.deltaY / 300), rows[rowAt((scroller.scrollTop + y) / zoom)], y);
}, { passive: false });
view.addEventListener("click", event => {
  const box = view.getBoundingClientRect();
  const y = (event.clientY - box.top + scroller.scrollTop) / zoom;
  if (!rows.length) return;
  select(rows[rowAt(y)]);
  scroller.focus({ preventScroll: true });
});
function mapTo(event) {
  const box = map.getBoundingClientRect(), x = event.clientX - box.left;
  scroller.scrollTop = (x - NAMES) / (mapWide - NAMES - 10) * height * zoom - tall / 2;
}
let isDragging = false;
map.addEventListener("pointerdown", event => {
  const box = map.getBoundingClientRect();
  const tick = tickAt(event.clientX - box.left, event.clientY - box.top);
  if (tick >= 0) return select(tick);
  isDragging = true;
  map.setPointerCapture(event.pointerId);
  mapTo(event);
});
map.addEventListener("pointermove", event => {
  if (isDragging) return mapTo(event);
  const box = map.getBoundingClientRect(), x = event.clientX - box.left;
  const tick = tickAt(x, event.clientY - box.top), tip = $("tip");
  tip.style.display = tick >= 0 ? "block" : "none";
  if (tick < 0) return;
  tip.textContent = lineOf(tick);
  tip.style.left = Math.max(4, Math.min(x, mapWide - tip.offsetWidth - 4)) + "px";
});
map.addEventListener("pointerup", () => { isDragging = false; });
map.addEventListener("pointerleave", () => { $("tip").style.display = "none"; });
new ResizeObserver(() => { paintMap(); redraw(); }).observe($("lanes"));

function begin() {
  const head = data.head, title = head.title || head.file;
  $("title").textContent = title;
  $("title").title = title;
  const kicks = moments.filter(i => data.what[i] === KICKED || data.what[i] === KICK_FRAME).length;
  const faults = moments.filter(i => data.what[i] === FAULT).length;
  const several = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
  $("about").textContent = [head.profileTitle, startText,
    several(count, "event"), duration(count ? time[count - 1] : 0), several(kicks, "kick"),
    several(faults, "fault"), head.complete].filter(Boolean).join(" · ");
  map.setAttribute("aria-label", `overview: ${$("about").textContent}`);
  $("help").append(element("h2", {}, "Keys"), element("table", {}, KEYS.map(([keys, what]) => element("tr", {},
    element("td", {}, keys.split(" · ").map((k, place) => [place ? " " : "", element("kbd", {}, k)])),
    element("td", {}, what)))), element("p", {}, "In the search: words, or an expression such as ",
    element("kbd", {}, "kind == transition and to in {kicked, reconnecting}"), " over ",
    "n, t, node, kind, dir, connection, text and the field names of an event; ",
    "predefined conditions: " + Object.keys(WORDS).join(", ") + "; ",
    "==, !=, =~, <, >, and, or, not."));
  for (const node of lanes) {
    const [name, about] = node < 0 ? [ghostName(node), ""] : [data.nodes[node].name, data.nodes[node].about];
    $("heads").append(element("div", { class: "head", title: about },
      element("b", {}, name), element("span", { class: "pill bare" })));
  }
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", event => setTheme(event.matches));
  document.documentElement.classList.toggle("dark", dark.matches);
  readColours();
  findLinkPeers();
  layOut();
  findLongArrows();
  paintMap();
  draw();
  const wanted = Number(location.hash.slice(1));
  let place = -1;
  for (let i = 0; i < count && place < 0 && wanted; i++) if (numberOf(i) === wanted) place = i;
  select(place);
  scroller.focus({ preventScroll: true });
}
begin();
