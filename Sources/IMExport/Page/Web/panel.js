// The side panel. Texts of the session are inserted as text, never as markup.

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "click") made.addEventListener("click", value);
    else if (value !== undefined) made.setAttribute(name, value);
  }
  for (const child of children.flat(Infinity)) if (child !== undefined && child !== "") made.append(child);
  return made;
}
const table = (list, kind) => element("table", { class: kind }, list.map(([name, ...cells]) =>
  element("tr", {}, element("td", {}, name), element("td", {}, ...cells))));
const pill = state => {
  const made = element("span", { class: state === "stopped" ? "pill stopped" : "pill" }, state);
  if (colours[state] && state !== "stopped") made.style.background = colours[state];
  return made;
};
const KIND_CLASSES = { [KICKED]: "kick", [KICK_FRAME]: "kick", [FAULT]: "fault", [MARK]: "mark" };
const kindClass = i => KIND_CLASSES[data.what[i]] || "";
const go = (i, text) => element("button",
  { class: "go " + kindClass(i), type: "button", click: () => select(i) }, text);
const lineOf = i => `#${numberOf(i)} ${clock(time[i])} ${nameOf(i)} ${textOf(i)}`;

function showPanel() {
  const panel = $("panel");
  panel.replaceChildren(...(selected < 0 ? sessionPanel() : eventPanel(selected)));
  panel.scrollTop = 0;
}

const LISTED_MAX = 300;
function sessionPanel() {
  const head = data.head;
  const about = [["file", head.file], ["profile", `${head.profileTitle} (${head.profile})`],
    ["start", wallClock(0) || "no wall clock"],
    ["duration", duration(count ? time[count - 1] : 0)], ["events", String(count)],
    ["made by", `${head.application}, ${head.os}`]];
  for (const [name, value] of Object.entries(head)) {
    if (name.startsWith("parameter ")) about.push([name.slice(10), value]);
  }
  if (head.complete) about.push(["complete", "no: " + head.complete]);
  const listed = [...new Set([...moments, ...data.transitions.map(t => t[0])])].sort((a, b) => a - b);
  return [
    element("h2", {}, "The session"), table(about),
    element("h3", {}, "Nodes"), table(data.nodes.map(node => [node.name, node.about || ""])),
    element("h3", {}, "States"),
    element("p", { class: "legend" }, ["logged-out", "connecting", "syncing", "online",
      "reconnecting", "offline", "kicked", "token-expired"].map(pill)),
    element("h3", {}, "What happened"),
    ...listed.slice(0, LISTED_MAX).map(i => go(i, lineOf(i))),
    listed.length <= LISTED_MAX ? ""
      : element("p", {}, `and ${listed.length - LISTED_MAX} more; 't' steps through them`),
  ];
}

function eventPanel(i) {
  const parts = [element("h2", {}, element("span", {}, `#${numberOf(i)} ${nameOf(i)}: ${kindOf(i)}`),
    element("button",
      { class: "close", type: "button", "aria-label": "close", click: () => select(-1) }, "✕"))];
  parts.push(element("p", { class: "words" }, textOf(i)));
  const peer = data.peer[i];
  const place = [["time", clock(time[i])]];
  if (wallClock(time[i])) place.push(["wall clock", wallClock(time[i])]);
  if (i) place.push(["after the previous event", duration(time[i] - time[i - 1])]);
  if (data.link[i]) place.push(["link", String(data.link[i])]);
  parts.push(table(place));
  if (isFrame(i)) parts.push(...travel(i, peer));
  const facts = factsOf(i), list = [];
  for (let k = 0; k < facts.length; k += 2) list.push([facts[k], facts[k + 1]]);
  if (list.length) parts.push(element("h3", {}, "Content"), table(list));
  parts.push(...whyPart(i));
  if (data.node[i] >= 0) parts.push(...statePart(i));
  return parts;
}
/// The chain of causes back to a cause outside the client, and the rule that decided.
function whyPart(i) {
  if (!causes.has(numberOf(i))) return [];
  const parts = [element("h3", {}, "Why")], chain = from => {
    let number = from, how = "";
    for (let steps = 0; number && steps < LISTED_MAX; steps++) {
      const at = placeOf(number);
      if (at < 0) return;
      if (at !== i) parts.push(go(at, lineOf(at) + (how ? `  (${how})` : "")));
      const cause = causes.get(number);
      if (!cause) return;
      [number, how] = cause;
      if (!number) parts.push(element("p", { class: "end" }, how));
    }
  };
  chain(numberOf(i));
  const [rule, decision, lost] = rules.get(numberOf(i)) || [];
  if (decision) {
    parts.push(element("p", {}, "It was delivered late; the kick was decided earlier:"));
    chain(decision);
  }
  if (lost && placeOf(lost) >= 0) {
    parts.push(element("p", {}, "It ended this login:"), go(placeOf(lost), lineOf(placeOf(lost))));
  }
  if (rule) parts.push(element("p", { class: "rule" }, rule));
  return parts;
}
function travel(i, peer) {
  const isIn = data.dir[i] === 1, title = element("h3", {}, "Delivery");
  if (peer >= 0) {
    const took = duration(Math.abs(time[peer] - time[i]));
    return [title, go(peer, isIn ? `sent at #${numberOf(peer)} by ${nameOf(peer)}, ${took} before`
      : `arrived at #${numberOf(peer)} at ${nameOf(peer)}, ${took} later`)];
  }
  const words = { [LOST]: "it never arrived", [UNDERWAY]: "it was in flight when the session ended",
    [UNSEEN]: "the other end is not in this session" }[peer];
  return words ? [title, element("p", {}, words)] : [];
}
function statePart(i) {
  const node = data.node[i], parts = [];
  const cause = causeOf(i);
  if (!data.nodes[node].server) {
    const change = changeAt.get(i);
    parts.push(element("h3", {}, "State of " + nameOf(i)), element("p", {},
      change ? [pill(change.from), " → ", pill(change.to), " " + change.reason] : pill(stateAt(node, i))));
  }
  if (!data.changes.rows.length) {
    if (data.noStates) parts.push(element("p", {}, `Only the names of states are shown: ${data.noStates}.`));
    return parts;
  }
  const before = stateLeaves(node, cause - 1);
  const leaves = cause >= 0 ? changes.get(cause) : [];
  if (leaves.length && data.what[i] !== START) {
    const list = [];
    for (let k = 0; k < leaves.length; k += 2) {
      const path = data.changes.paths[leaves[k]], old = before.get(path), now = leaves[k + 1];
      list.push([path, old === undefined ? "" : element("del", {}, old), old === undefined ? "" : " → ",
        now === null ? "removed" : element("ins", {}, now)]);
    }
    const isHere = cause === i;
    parts.push(element("h3", {}, isHere ? "Changes" : "Changes by its cause"));
    if (!isHere) parts.push(go(cause, lineOf(cause)));
    parts.push(table(list.slice(0, LISTED_MAX), "changes"));
  } else if (data.what[i] !== START) parts.push(element("p", {}, "It did not change the state."));
  parts.push(whole("The whole state before", () => stateLeaves(node, (cause >= 0 ? cause : i) - 1)),
    whole("The whole state after", () => stateLeaves(node, i)));
  return parts;
}
/// A folded section. Its table is made when the user opens it, because the state of a server can be long.
function whole(title, leaves) {
  const made = element("details", {}, element("summary", {}, title));
  made.addEventListener("toggle", () => {
    if (made.open && made.childElementCount === 1) {
      made.append(table([...leaves()].slice(0, 5000), "changes"));
    }
  });
  return made;
}
