// The overview: the whole session from left to right, a strip for each client, and above them a tick for
// every kick, fault and mark.

const TICKS = 18, NAMES = Math.max(GUTTER - 6, 90);
const moments = [];
for (let i = 0; i < count; i++) {
  const what = data.what[i];
  if (what === KICKED || what === FAULT || what === MARK) moments.push(i);
}
// A recording of a server alone has no transitions to `kicked`. Its kick frames get the ticks.
if (!data.transitions.length) for (let i = 0; i < count; i++) if (data.what[i] === KICK_FRAME) moments.push(i);
moments.sort((a, b) => a - b);
const mapClients = lanes.filter(node => node >= 0 && !data.nodes[node].server);
// With many clients, each strip is lower.
const STRIP_LOW = Math.max(5, Math.min(15, Math.floor(110 / Math.max(1, mapClients.length))));
const mapTall = TICKS + mapClients.length * (STRIP_LOW + 3) + 17;
let mapWide = 0;
const mapX = i => NAMES + (mapWide - NAMES - 10) * yOf(i) / height;
let mapPicture = null;

/// Paints, once, the part of the overview that does not change while the user scrolls. `drawMap` copies it.
function paintMap() {
  mapWide = map.parentElement.clientWidth;
  const ratio = window.devicePixelRatio || 1;
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(mapWide * ratio);
  canvas.height = Math.round(mapTall * ratio);
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.fillStyle = colours.raised;
  pen.fillRect(0, 0, mapWide, mapTall);
  pen.textBaseline = "middle";
  mapClients.forEach((node, place) => paintStrip(pen, node, TICKS + place * (STRIP_LOW + 3)));
  const last = { };
  for (const i of moments) {
    const what = data.what[i] === KICK_FRAME ? KICKED : data.what[i], x = Math.round(mapX(i));
    if (last[what] === x) continue;
    last[what] = x;
    paintTick(pen, x, what);
  }
  paintAxis(pen);
  mapPicture = canvas;
}
function paintStrip(pen, node, y) {
  pen.font = `${Math.min(11, STRIP_LOW + 1)}px ${MONO}`;
  pen.fillStyle = colours.text;
  pen.textAlign = "right";
  let name = data.nodes[node].name;
  while (name.length > 1 && pen.measureText(name).width > NAMES - 16) name = name.slice(0, -2) + "…";
  pen.fillText(name, NAMES - 8, y + STRIP_LOW / 2);
  pen.textAlign = "left";
  const list = pieces[node];
  for (let p = 0; p < list.length; p++) {
    const a = mapX(list[p][0]), b = p + 1 < list.length ? mapX(list[p + 1][0]) : mapWide - 10;
    const state = list[p][1];
    pen.fillStyle = colours[state];
    if (state === "stopped") pen.fillRect(a, y + STRIP_LOW / 2 - 1, b - a, 2);
    else pen.fillRect(a, y, Math.max(b - a, 0.7), STRIP_LOW);
    pen.font = `600 10px ${MONO}`;
    const label = state === "stopped" || STRIP_LOW < 10 ? "" : [state, state.slice(0, 3), state[0]].find(text =>
      pen.measureText(text).width + 5 < b - a);
    pen.fillStyle = colours.on;
    if (label) pen.fillText(label, a + 3, y + STRIP_LOW / 2 + 0.5);
  }
}
function paintTick(pen, x, what) {
  const y = 8;
  const colour = what === KICKED ? colours.kick : what === FAULT ? colours.fault : colours.mark;
  pen.fillStyle = pen.strokeStyle = colour;
  pen.lineWidth = what === KICKED ? 2.2 : 1;
  pen.beginPath();
  if (what === KICKED) {
    pen.moveTo(x - 4, y - 4); pen.lineTo(x + 4, y + 4); pen.moveTo(x + 4, y - 4); pen.lineTo(x - 4, y + 4);
    pen.stroke();
  } else if (what === FAULT) {
    pen.moveTo(x, y - 5); pen.lineTo(x + 4, y + 4); pen.lineTo(x - 4, y + 4);
    pen.fill();
  } else {
    pen.moveTo(x, y + 6); pen.lineTo(x, y - 6); pen.lineTo(x + 7, y - 3); pen.lineTo(x, y);
    pen.stroke();
    pen.fill();
  }
  pen.globalAlpha = 0.5;
  pen.fillRect(x - 0.5, y + 5, 1, mapTall - y - 22);
  pen.globalAlpha = 1;
}
function paintAxis(pen) {
  pen.font = `10px ${MONO}`;
  pen.fillStyle = colours.dim;
  let free = NAMES;
  for (let k = 0; k <= 24 && rows.length; k++) {
    const r = Math.min(rows.length - 1, Math.floor(k * rows.length / 24));
    const x = mapX(rows[r]), text = clock(time[rows[r]]);
    const w = pen.measureText(text).width;
    if (x < free || x + w > mapWide - 4) continue;
    pen.fillRect(x, mapTall - 15, 1, 4);
    pen.fillText(text, x, mapTall - 6);
    free = x + w + 26;
  }
}
function drawMap() {
  fitCanvas(map, mapPen, mapWide, mapTall);
  if (mapPicture) mapPen.drawImage(mapPicture, 0, 0, mapWide, mapTall);
  const scale = (mapWide - NAMES - 10) / height;
  const a = NAMES + scroller.scrollTop / zoom * scale, w = Math.min(tall / zoom, height) * scale;
  mapPen.strokeStyle = colours.accent;
  mapPen.lineWidth = 1.5;
  mapPen.strokeRect(a, TICKS - 3, Math.max(w, 3), mapTall - TICKS - 12);
  mapPen.globalAlpha = 0.1;
  mapPen.fillStyle = colours.accent;
  mapPen.fillRect(a, TICKS - 3, Math.max(w, 3), mapTall - TICKS - 12);
  mapPen.globalAlpha = 1;
  if (selected >= 0) {
    mapPen.fillStyle = colours.accent;
    mapPen.fillRect(mapX(selected) - 1, TICKS - 4, 2, mapTall - TICKS - 10);
  }
}
/// The tick near a position in the overview; -1 for none.
function tickAt(x, y) {
  if (y > TICKS) return -1;
  let best = -1, near = 7;
  for (const i of moments) { const d = Math.abs(mapX(i) - x); if (d < near) { near = d; best = i; } }
  return best;
}
