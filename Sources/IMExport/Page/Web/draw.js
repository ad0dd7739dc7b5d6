// Draws the lanes on a canvas. Only the visible part is drawn.

const $ = id => document.getElementById(id);
const scroller = $("scroller"), view = $("view"), map = $("map");
const pen = view.getContext("2d"), mapPen = map.getContext("2d");
const NUMBER = 8 + 6.7 * (count ? String(numberOf(count - 1)).length + 1 : 2);
const GUTTER = Math.ceil(NUMBER + 20 + 6.7 * clock(count ? time[count - 1] : 0).length);
const STRIP = 15, LANE_MIN = 150, FONT = 12;
const MONO = 'ui-monospace, "DejaVu Sans Mono", "Noto Sans Mono CJK SC", monospace';
let halo = "", zoom = 1, selected = -1, laneWidth = 300, width = 0, tall = 0, colours = {}, letter = 7.2;

function readColours() {
  const style = getComputedStyle(document.documentElement);
  const names = ["back", "raised", "line", "text", "dim", "accent", "select", "match", "frame", "kick", "fault",
    "mark", "logged-out", "connecting", "syncing", "online", "reconnecting", "offline", "kicked",
    "token-expired", "stopped", "on"];
  for (const name of names) colours[name] = style.getPropertyValue("--" + name).trim();
  colours.running = colours.line;
}
function fitCanvas(canvas, pen, w, h) {
  const ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(h * ratio);
    canvas.style.width = w + "px";
    canvas.style.height = h + "px";
  }
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
}
const laneX = lane => GUTTER + lane * laneWidth + 6;

// The maximum scroll height of browsers, in pixels.
const TALL_MAX = 15e6;
const zoomMax = () => Math.max(0.02, Math.min(2.5, TALL_MAX / height));
const zoomMin = () => Math.min(1, Math.max(0.012, (tall - 4) / height));

function clip(text, pixels) {
  let room = Math.floor(pixels / letter);
  if (text.length <= room && !/[^\x00-\u2fff]/.test(text)) return text;
  let end = 0;
  for (const c of text) {
    room -= c.codePointAt(0) > 0x2fff ? 2 : 1;
    if (room < 1) return text.slice(0, end) + "…";
    end += c.length;
  }
  return text;
}
function words(text, x, y, pixels, colour, isStrong) {
  const shown = clip(text, pixels);
  if (!shown) return;
  pen.font = `${isStrong ? "600 " : ""}${FONT}px ${MONO}`;
  pen.lineWidth = 3;
  pen.strokeStyle = halo;
  pen.lineJoin = "round";
  pen.strokeText(shown, x, y);
  pen.fillStyle = colour;
  pen.fillText(shown, x, y);
}

function draw() {
  width = scroller.clientWidth;
  tall = scroller.clientHeight;
  laneWidth = Math.max(LANE_MIN, (width - GUTTER) / lanes.length);
  fitCanvas(view, pen, width, tall);
  const wide = GUTTER + laneWidth * lanes.length;
  $("spacer").style.height = Math.max(1, Math.round(height * zoom)) + "px";
  $("spacer").style.width = Math.floor(wide) + "px";
  pen.fillStyle = colours.back;
  pen.fillRect(0, 0, width, tall);
  const y0 = scroller.scrollTop, x0 = scroller.scrollLeft;
  const first = rowAt(y0 / zoom), last = Math.min(rows.length - 1, rowAt((y0 + tall) / zoom) + 1);
  pen.font = `${FONT}px ${MONO}`;
  letter = pen.measureText("0000000000").width / 10;
  pen.textBaseline = "middle";
  pen.save();
  pen.beginPath();
  pen.rect(GUTTER - 6, 0, width, tall);
  pen.clip();
  pen.translate(-x0, -y0);
  drawBands(first, last, x0);
  drawStrips(y0);
  drawArrows(first, last);
  drawRows(first, last);
  pen.restore();
  pen.save();
  pen.translate(0, -y0);
  drawGutter(first, last);
  pen.restore();
  drawHeads(x0);
  drawMap();
}

function drawBands(first, last, x0) {
  for (let r = first; r <= last; r++) {
    const i = rows[r];
    const colour = i === selected ? colours.select : isMatch[i] ? colours.match : "";
    if (!colour) continue;
    pen.fillStyle = colour;
    pen.fillRect(x0, top_[r] * zoom, width, Math.max(2, ROW * zoom));
  }
}

function drawStrips(y0) {
  lanes.forEach((node, lane) => {
    const x = laneX(lane);
    if (node < 0) {
      pen.setLineDash([4, 5]);
      line(x + STRIP / 2, y0, x + STRIP / 2, y0 + tall, colours.line);
      pen.setLineDash([]);
      return;
    }
    const list = pieces[node];
    for (let p = 0; p < list.length; p++) {
      const from = yOf(list[p][0]) * zoom, to = (p + 1 < list.length ? yOf(list[p + 1][0]) : height) * zoom;
      if (to < y0 || from > y0 + tall) continue;
      strip(x, from, to, list[p][1], y0, data.nodes[node].server);
    }
  });
}
function strip(x, from, to, state, y0, isServer) {
  const a = Math.max(from, y0 - 2), b = Math.min(to, y0 + tall + 2);
  if (isServer || state === "stopped") {
    pen.fillStyle = state === "stopped" ? colours.stopped : colours.line;
    if (state === "stopped") pen.setLineDash([3, 4]);
    pen.strokeStyle = colours.dim;
    if (state === "stopped") line(x + STRIP / 2, a, x + STRIP / 2, b, colours.dim);
    else pen.fillRect(x, a, STRIP, b - a);
    pen.setLineDash([]);
    return;
  }
  pen.fillStyle = colours[state] || colours.dim;
  pen.fillRect(x, a, STRIP, Math.max(1, b - a));
  // The strip repeats the name of the state along its length, so that a reader need not recognise the colour.
  const length = state.length * 6.2 + 8;
  if (b - a < length) return;
  pen.font = `600 10px ${MONO}`;
  pen.fillStyle = colours.on;
  const step = 320;
  for (let y = from + 4; y + length <= b + 4; y += step) {
    let at = y < a ? (y + step <= b - length ? NaN : a + 4) : y;
    if (Number.isNaN(at) || at + length > b + 4) continue;
    pen.save();
    pen.translate(x + STRIP / 2 + 0.5, at);
    pen.rotate(Math.PI / 2);
    pen.fillText(state, 0, 0);
    pen.restore();
    if (y + step > b) break;
  }
}
function line(x1, y1, x2, y2, colour, w = 1) {
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
  pen.lineWidth = w;
  pen.strokeStyle = colour;
  pen.stroke();
}

const NEAR = 300;
let longArrows = [];
function findLongArrows() {
  longArrows = [];
  for (let i = 0; i < count; i++) {
    const to = data.peer[i];
    if (data.dir[i] === 2 && to >= 0 && rowOf[i] >= 0 && rowFrom(to) - rowOf[i] > NEAR) longArrows.push(i);
  }
}
function drawArrows(first, last) {
  const from = Math.max(0, first - NEAR), to = Math.min(rows.length - 1, last + NEAR);
  for (let r = from; r <= to; r++) if (isFrame(rows[r])) arrow(rows[r]);
  for (const i of longArrows) if (rowOf[i] < from && rowFrom(data.peer[i]) >= first) arrow(i);
}
function colourOf(i) {
  switch (data.what[i]) {
    case KICK_FRAME: case KICKED: return colours.kick;
    case BEAT: return colours.dim;
    case FAULT: return colours.fault;
    case MARK: return colours.mark;
    case TRANSITION: return colours[changeAt.get(i).to];
    case FRAME: return colours.frame;
    default: return data.weight[i] === 2 ? colours.text : colours.dim;
  }
}
/// The two x coordinates of an arrow: the start at one lane and the end at another.
function span(a, b) {
  const right = b > a;
  return [laneX(a) + (right ? STRIP : 0), laneX(b) + (right ? 0 : STRIP)];
}
function arrow(i) {
  const peer = data.peer[i], isIn = data.dir[i] === 1, mine = lanesAt(i);
  const colour = colourOf(i), w = data.what[i] === KICK_FRAME ? 2.2 : 1.2;
  if (isIn) {
    if (peer === UNSEEN && ghost >= 0) {
      const [a, b] = span(ghost, mine), y = yOf(i) * zoom;
      line(a, y, b, y, colour, w);
      head(b, y, b > a ? 0 : Math.PI, colour);
    } else if (peer >= 0 && data.peer[peer] !== i) pass(peer, i, colour, w, true);
    return;
  }
  if (peer >= 0) return pass(i, peer, colour, w, false);
  const other = peer === UNSEEN ? ghost : target(i);
  if (other < 0 || other === mine) return;
  const [a, b] = span(mine, other), y = yOf(i) * zoom;
  if (peer === UNSEEN) {
    line(a, y, b, y, colour, w);
    head(b, y, b > a ? 0 : Math.PI, colour);
    return;
  }
  // The arrow of a lost frame ends with a cross before its destination. The arrow of a frame that was still in
  // flight at the end of the session is dotted.
  const end = a + (b - a) * 0.62, down = Math.min(8, ROW * zoom / 2);
  pen.setLineDash(peer === UNDERWAY ? [2, 5] : [5, 3]);
  line(a, y, end, y + down, colour, w);
  pen.setLineDash([]);
  if (peer === LOST) {
    const s = zoom > 0.4 ? 5 : 3;
    line(end - s, y + down - s, end + s, y + down + s, colours.kick, 2);
    line(end - s, y + down + s, end + s, y + down - s, colours.kick, 2);
  }
}
function pass(i, peer, colour, w, isAgain) {
  const [a, b] = span(lanesAt(i), lanesAt(peer));
  const y1 = yOf(i) * zoom, y2 = yOf(peer) * zoom;
  if (isAgain) pen.setLineDash([2, 3]);
  pen.globalAlpha = data.what[i] === BEAT ? 0.6 : 1;
  line(a, y1, b, y2, colour, w);
  pen.setLineDash([]);
  head(b, y2, Math.atan2(y2 - y1, b - a), colour);
  pen.globalAlpha = 1;
}
function head(x, y, angle, colour) {
  const s = zoom > 0.4 ? 8 : 4;
  pen.save();
  pen.translate(x, y);
  pen.rotate(angle);
  pen.beginPath();
  pen.moveTo(0, 0);
  pen.lineTo(-s, -s * 0.45);
  pen.lineTo(-s, s * 0.45);
  pen.closePath();
  pen.fillStyle = colour;
  pen.fill();
  pen.restore();
}
/// The lane for the destination of a frame that did not arrive: the node at the other end of its link, or else
/// the server.
const linkPeer = new Map();
function findLinkPeers() {
  for (let i = 0; i < count; i++) {
    if (isFrame(i) && data.peer[i] >= 0) linkPeer.set(data.node[i] + "/" + data.link[i], lanesAt(data.peer[i]));
  }
}
function target(i) {
  const known = linkPeer.get(data.node[i] + "/" + data.link[i]);
  if (known !== undefined) return known;
  return data.nodes[data.node[i]].server ? -1 : lanes.findIndex(n => n >= 0 && data.nodes[n].server);
}

function drawRows(first, last) {
  const small = ROW * zoom < 13;
  // If rows are lower than a line of text, the most important events get their text first.
  for (const weight of small ? [3, 2, 1] : [0]) {
    for (let r = first; r <= last; r++) {
      const i = rows[r], mine = rankOf(i);
      if (small && (mine !== weight || data.what[i] === BEAT)) continue;
      const y = (top_[r] + ROW / 2) * zoom, lane = lanesAt(i);
      if (small) {
        if (taken(y, lane)) continue;
        take(y, lane);
      }
      rowWords(i, y, lane);
    }
  }
  spots.clear();
}
const spots = new Map();
const rankOf = i => data.what[i] === KICKED || data.what[i] === MARK || data.what[i] === FAULT ? 3
  : data.what[i] === TRANSITION || data.what[i] === COMMAND || data.what[i] === KICK_FRAME ? 2 : 1;
function taken(y, lane) {
  const cell = Math.floor(y / 15);
  for (const c of [cell - 1, cell, cell + 1]) {
    const other = spots.get(c * 100 + lane);
    if (other !== undefined && Math.abs(other - y) < 14) return true;
  }
  return false;
}
const take = (y, lane) => spots.set(Math.floor(y / 15) * 100 + lane, y);

function rowWords(i, y, lane) {
  halo = i === selected ? colours.select : isMatch[i] ? colours.match : colours.back;
  const what = data.what[i], colour = colourOf(i);
  if (lane < 0) {
    const under = y + Math.min(9, ROW * zoom / 2);
    if (what === MARK) line(GUTTER - 4, under, laneX(lanes.length), under, colours.mark, 1);
    words((what === MARK ? "⚑ " : "") + textOf(i), laneX(0) + STRIP + 10, y, laneWidth * lanes.length - 60,
      what === MARK ? colours.mark : colours.dim, what === MARK);
    return;
  }
  // A text extends over the lanes to its right, because it is alone on its row. If the text does not fit there
  // and there is more space to the left, it is drawn on the left.
  if (isFrame(i)) return frameWords(i, y, lane, colour);
  const toRight = laneX(lane) + STRIP + 9, right = laneX(lanes.length) - laneX(lane) - STRIP - 22;
  const left = laneX(lane) - GUTTER - 12, length = cells(textOf(i)) * letter;
  const isLeft = what !== TRANSITION && what !== KICKED && length > right && left > right;
  const room = isLeft ? left : right;
  const x = isLeft ? laneX(lane) - 10 - Math.min(left, length + 2) : toRight;
  if (what === TRANSITION || what === KICKED) {
    const change = changeAt.get(i);
    const label = (what === KICKED ? "✖ " : "") + change.to;
    pen.font = `600 11px ${MONO}`;
    const w = pen.measureText(label).width + 12;
    pen.fillStyle = colours[change.to];
    pen.beginPath();
    pen.roundRect(x - 4, y - 8, w, 16, 8);
    pen.fill();
    pen.fillStyle = colours.on;
    pen.fillText(label, x + 2, y + 0.5);
    const ink = what === KICKED ? colours.kick : colours.text;
    words(`${change.reason} (was ${change.from})`, x + w + 2, y, room - w, ink);
    return;
  }
  if (what === FAULT) return words("▲ " + textOf(i), x, y, room, colours.fault, true);
  words(textOf(i), x, y, room, colour, what === COMMAND);
}
function frameWords(i, y, lane, colour) {
  const isIn = data.dir[i] === 1, peer = data.peer[i];
  const other = peer >= 0 ? lanesAt(peer) : peer === UNSEEN ? ghost : target(i);
  const toRight = other < 0 ? true : other > lane;
  const room = laneWidth - STRIP - 30;
  // The text of a frame is at the sender's end of the arrow. At the receiver's end is the latency.
  let text = textOf(i).slice(2);
  const isQuiet = isIn && peer >= 0;
  if (isQuiet) text = duration(time[i] - time[peer]) + (data.peer[peer] === i ? "" : " (again)");
  else if (peer === LOST) text += "  ✗ lost";
  else if (peer === UNDERWAY) text += "  … in flight";
  const shown = clip(text, room);
  pen.font = `${FONT}px ${MONO}`;
  const w = pen.measureText(shown).width;
  const x = toRight ? laneX(lane) + STRIP + 10 : laneX(lane) - 10 - w;
  const lift = isQuiet ? 0 : zoom < 0.65 ? 0 : -6;
  words(text, x, y + lift, room, isQuiet ? colours.dim : colour, data.what[i] === KICK_FRAME);
}

function drawGutter(first, last) {
  pen.fillStyle = colours.raised;
  pen.fillRect(0, scroller.scrollTop, GUTTER - 6, tall);
  pen.font = `11px ${MONO}`;
  let free = -1e9, shownTime = -1;
  for (let r = first; r <= last; r++) {
    const i = rows[r], y = (top_[r] + ROW / 2) * zoom;
    if (y - free < 12) continue;
    free = y;
    pen.fillStyle = i === selected ? colours.accent : colours.dim;
    pen.textAlign = "right";
    pen.fillText("#" + numberOf(i), NUMBER, y);
    if (time[i] !== shownTime) pen.fillText(clock(time[i]), GUTTER - 12, y);
    shownTime = time[i];
  }
  pen.textAlign = "left";
  for (const gap of breaks) {
    if (gap.row < first || gap.row > last + 1) continue;
    const y = gap.y * zoom, h = BREAK * zoom, middle = y + h / 2;
    if (h < 8) continue;
    pen.setLineDash([1, 4]);
    line(GUTTER, middle, width, middle, colours.dim);
    pen.setLineDash([]);
    pen.font = `italic 11px ${MONO}`;
    pen.textAlign = "right";
    pen.fillStyle = colours.dim;
    pen.fillText("⋮ " + duration(gap.passed), GUTTER - 12, middle);
    pen.textAlign = "left";
  }
}

function drawHeads(x0) {
  const at = selected >= 0 ? selected : rows.length ? rows[rowAt((scroller.scrollTop + tall / 2) / zoom)] : 0;
  lanes.forEach((node, lane) => {
    const box = $("heads").children[lane];
    box.style.left = laneX(lane) - x0 + "px";
    box.style.width = laneWidth - 12 + "px";
    box.style.visibility = laneX(lane) - x0 < GUTTER - 12 ? "hidden" : "";
    if (node < 0) return;
    const state = stateAt(node, at), pill = box.lastChild;
    const isServer = data.nodes[node].server;
    pill.textContent = state === "stopped" ? "not running" : state;
    pill.className = "pill" + (state === "stopped" ? " stopped" : isServer ? " bare" : "");
    pill.style.background = isServer || state === "stopped" ? "" : colours[state];
  });
}
