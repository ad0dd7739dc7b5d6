"use strict";
// The session's data and the positions of its events, independent of the display.

const data = JSON.parse(document.getElementById("data").textContent);
const count = data.dt.length;
const [OTHER, BEAT, FRAME, KICK_FRAME, TRANSITION, KICKED, START, STOP, COMMAND, FAULT, MARK] =
  Array(11).keys();
const LOST = -2, UNDERWAY = -3, UNSEEN = -4;

const time = new Float64Array(count);
for (let i = 0, t = 0; i < count; i++) time[i] = t += data.dt[i];
const numberOf = i => data.numbers ? data.numbers[i] : i + 1;
const textOf = i => data.texts[data.text[i]];
const kindOf = i => data.kinds[data.kind[i]];
const factsOf = i => data.factLists[data.facts[i]];
const nameOf = i => data.node[i] < 0 ? "session" : data.nodes[data.node[i]].name;
const isFrame = i => data.what[i] >= BEAT && data.what[i] <= KICK_FRAME;

function factOf(i, name) {
  const facts = factsOf(i);
  for (let k = 0; k < facts.length; k += 2) if (facts[k] === name) return facts[k + 1];
  return undefined;
}

/// The width of a text in columns. A wide character, such as a Chinese one, has two columns.
function cells(text) {
  if (!/[^\x00-\u2fff]/.test(text)) return text.length;
  let sum = 0;
  for (const c of text) sum += c.codePointAt(0) > 0x2fff ? 2 : 1;
  return sum;
}

function duration(ns) {
  const s = ns / 1e9, size = Math.abs(s);
  if (size >= 3600) return `${Math.floor(s / 3600)} h ${Math.round(s % 3600 / 60)} min`;
  if (size >= 60) return `${Math.floor(s / 60)} min ${Math.round(s % 60)} s`;
  if (size >= 1) return `${+s.toFixed(3)} s`;
  if (size >= 1e-3) return `${+(s * 1e3).toFixed(size < 0.01 ? 2 : 0)} ms`;
  return `${Math.round(ns / 1e3)} µs`;
}
const clock = ns => `+${(ns / 1e9).toFixed(3)}s`;

// Lanes: the server is in the middle, so that an arrow crosses few lanes. A side that was not recorded gets a
// lane, so that the arrows of its frames have two ends.
const lanes = [];
{
  const clients = data.nodes.map((node, i) => i).filter(i => !data.nodes[i].server);
  const servers = data.nodes.map((node, i) => i).filter(i => data.nodes[i].server);
  if (!servers.length) servers.push(-1);
  if (!clients.length) clients.push(-2);
  const before = clients.length > 1 ? Math.ceil(clients.length / 2) : 1;
  lanes.push(...clients.slice(0, before), ...servers, ...clients.slice(before));
}
const ghostName = lane => lane === -1 ? "server (not recorded)" : "clients (not recorded)";
const laneOf = new Map(lanes.map((node, place) => [node, place]));
const ghost = laneOf.has(-1) ? laneOf.get(-1) : laneOf.has(-2) ? laneOf.get(-2) : -1;
const lanesAt = i => data.node[i] < 0 ? -1 : laneOf.get(data.node[i]);

// For each client, its states over the session as a list of [first event, state], in order.
const pieces = data.nodes.map(() => []);
const changeAt = new Map();
for (const [i, from, to, reason] of data.transitions) changeAt.set(i, { from, to, reason });
for (let i = 0; i < count; i++) {
  const node = data.node[i];
  if (node < 0) continue;
  const what = data.what[i];
  if (what === START) pieces[node].push([i, data.nodes[node].server ? "running" : "logged-out"]);
  else if (what === STOP) pieces[node].push([i, "stopped"]);
  else if (changeAt.has(i)) pieces[node].push([i, changeAt.get(i).to]);
}
function pieceAt(node, i) {
  return bound(pieces[node].length, p => pieces[node][p][0] <= i) - 1;
}
const stateAt = (node, i) => { const p = pieceAt(node, i); return p < 0 ? "stopped" : pieces[node][p][1]; };

// The changes that each event made in the state of its node, as paths and values. The whole state at an event
// is the sum of all changes up to that event.
const changes = new Map();
for (const [i, leaves] of data.changes.rows) changes.set(i, leaves);
const changesOf = data.nodes.map(() => []);
for (const [i] of data.changes.rows) if (data.node[i] >= 0) changesOf[data.node[i]].push(i);

/// For each event number, its cause, and the rule that decided.
const causes = new Map(data.causes.steps.map(([number, next, how]) => [number, [next, how]]));
const rules = new Map(data.causes.rules.map(([number, ...rest]) => [number, rest]));
const places = new Map();
for (let i = 0; i < count; i++) places.set(numberOf(i), i);
const placeOf = number => places.has(number) ? places.get(number) : -1;

/// The wall clock time of an instant; empty if the session has no wall clock. The times of a log without a time
/// zone are local.
const hasZone = data.head.wall.endsWith("Z");
const startMilliseconds = Date.parse(hasZone ? data.head.wall : data.head.wall + "Z");
const timeScale = data.head["parameter world"] === "live" && Number(data.head["parameter time-scale"]) || 1;
const wallClock = ns => {
  const date = new Date(startMilliseconds + ns / 1e6 / timeScale);
  if (Number.isNaN(date.getTime())) return "";
  return date.toISOString().replace("T", " ").replace("Z", hasZone ? " UTC" : "");
};
const startText = wallClock(0) ? "recorded " + wallClock(0).replace(/\.\d+/, "") : "no wall clock";

/// The index of the input that changed the node's state: the last change at or before an event. -1 for none.
function causeOf(i) {
  const list = data.node[i] < 0 ? [] : changesOf[data.node[i]];
  let found = -1;
  for (const place of list) { if (place > i) break; found = place; }
  // An effect belongs to the input directly before it. If that input changed no state, the effect has no
  // change.
  for (let k = found + 1; found >= 0 && k <= i; k++) {
    if (data.node[k] === data.node[i] && data.dir[k] === 1) return -1;
  }
  return found;
}
function stateLeaves(node, last) {
  const state = new Map();
  for (const i of changesOf[node]) {
    if (i > last) break;
    const leaves = changes.get(i);
    for (let k = 0; k < leaves.length; k += 2) {
      const path = data.changes.paths[leaves[k]];
      if (leaves[k + 1] === null) state.delete(path); else state.set(path, leaves[k + 1]);
    }
  }
  return state;
}

// Rows: one for each visible event. Time that passed increases the distance of two rows a little. A long
// silence is a break.
const ROW = 20, BREAK = 30, SILENCE = 400e6;
const show = { beats: false, details: false };
let rows = new Int32Array(0), top_ = new Float64Array(0), breaks = [], height = 0;
const rowOf = new Int32Array(count);

function isShown(i) {
  const what = data.what[i];
  if (what === BEAT) return show.beats;
  if (data.weight[i] === 0 && what !== MARK) return show.details;
  return true;
}
function layOut() {
  const shown = [];
  rowOf.fill(-1);
  for (let i = 0; i < count; i++) if (isShown(i)) { rowOf[i] = shown.length; shown.push(i); }
  rows = Int32Array.from(shown);
  top_ = new Float64Array(rows.length);
  breaks = [];
  let y = 8;
  for (let r = 0; r < rows.length; r++) {
    const passed = r ? time[rows[r]] - time[rows[r - 1]] : 0;
    if (passed > SILENCE) { breaks.push({ y: y, passed, row: r }); y += BREAK; }
    else if (passed > 0) y += Math.min(12, 3 * Math.log10(1 + passed / 1e6));
    top_[r] = y;
    y += ROW;
  }
  height = y + 8;
}
/// The first index of a sorted list for which a condition no longer holds.
function bound(length, holds) {
  let low = 0, high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle + 1; else high = middle;
  }
  return low;
}
/// The last row whose top is not below y.
const rowAt = y => Math.max(0, bound(rows.length, r => top_[r] <= y) - 1);
/// The first row at or after an event.
const rowFrom = i => bound(rows.length, r => rows[r] < i);
const yOf = i => { const r = rowFrom(i); return r < rows.length ? top_[r] + ROW / 2 : height - 8; };
