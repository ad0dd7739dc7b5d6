// A subset of the filter language: comparisons, sets, and, or, not, brackets. A text without an operator is
// a list of words, all of which must be in the event's line.

const FIELDS = {
  n: i => numberOf(i), t: i => time[i] / 1e9, node: nameOf, kind: kindOf, text: textOf,
  dir: i => ["", "in", "out"][data.dir[i]], connection: i => data.link[i],
};
FIELDS.state = i => changeAt.has(i) ? changeAt.get(i).to : undefined;
FIELDS.callback = i => (/\bcallback (\S+)/.exec(textOf(i)) || [])[1];
/// All names of fields in the session's events.
const factNames = new Set();
for (const list of data.factLists) for (let k = 0; k < list.length; k += 2) factNames.add(list[k]);

function tokens(text) {
  const found = [];
  const signs = "([(){},])|(==|!=|=~|!~|<=|>=|<|>|=)";
  const values = `"((?:[^"\\\\]|\\\\.)*)"|'([^']*)'|([^\\s(){},=!<>~"']+)`;
  const pattern = new RegExp(`\\s*(?:${signs}|${values})`, "y");
  while (pattern.lastIndex < text.trimEnd().length) {
    const at = pattern.lastIndex;
    const m = pattern.exec(text);
    if (!m) throw new Error(`cannot parse '${text.slice(at).trim()}'`);
    if (m[1]) found.push({ sign: m[1] });
    else if (m[2]) found.push({ operator: m[2] === "=" ? "==" : m[2] });
    else if (m[3] !== undefined) found.push({ value: m[3].replace(/\\(.)/g, "$1") });
    else if (m[4] !== undefined) found.push({ value: m[4] });
    else found.push({ value: m[5], word: m[5] });
  }
  return found;
}

function seconds(text) {
  const m = /^([0-9.]+)(ns|us|µs|ms|s|m|min|h)?$/.exec(text);
  if (!m) return NaN;
  return m[1] * ({ ns: 1e-9, us: 1e-6, "µs": 1e-6, ms: 1e-3, m: 60, min: 60, h: 3600 }[m[2]] || 1);
}

function getter(field) {
  if (!FIELDS[field] && !factNames.has(field)) throw new Error(`no event has a field '${field}'`);
  return FIELDS[field] || (i => factOf(i, field));
}
function comparison(field, operator, values) {
  const get = getter(field);
  const wanted = values.map(String);
  if (operator === "=~" || operator === "!~") {
    const pattern = new RegExp(wanted[0], "i");
    return i => { const v = get(i); return v !== undefined && pattern.test(v) === (operator === "=~"); };
  }
  if (operator === "==" || operator === "!=") {
    const isTime = get === FIELDS.t;
    return i => {
      const v = get(i);
      if (v === undefined) return false;
      const equal = wanted.some(w => isTime ? Math.abs(v - seconds(w)) < 5e-4 : String(v) === w);
      return equal === (operator === "==");
    };
  }
  const limit = get === FIELDS.t ? seconds(wanted[0]) : Number(wanted[0]);
  if (Number.isNaN(limit)) throw new Error(`'${wanted[0]}' is not a number`);
  const tests = { "<": (a, b) => a < b, "<=": (a, b) => a <= b, ">": (a, b) => a > b, ">=": (a, b) => a >= b };
  const test = tests[operator];
  return i => { const v = get(i); return v !== undefined && v !== "" && test(Number(v), limit); };
}

/// The test for a predefined word. `error` is tested here, because no single field of an event marks a failure.
function wordTest(word) {
  if (word !== "error") return expression(WORDS[word]);
  return i => kindOf(i) === "unreadable" || kindOf(i) === "link" && factOf(i, "link") === "failed"
    || kindOf(i) === "result" && !["ok", "stored"].includes(factOf(i, "status"));
}
function expression(text) {
  const list = tokens(text);
  let at = 0;
  const is = word => list[at] && list[at].word === word;
  const sign = s => list[at] && list[at].sign === s;
  const need = s => { if (!sign(s)) throw new Error(`'${s}' is missing`); at++; };
  function either() {
    let left = both();
    while (is("or")) { at++; const a = left, b = both(); left = i => a(i) || b(i); }
    return left;
  }
  function both() {
    let left = one();
    while (is("and")) { at++; const a = left, b = one(); left = i => a(i) && b(i); }
    return left;
  }
  function one() {
    if (is("not")) { at++; const inner = one(); return i => !inner(i); }
    if (sign("(")) { at++; const inner = either(); need(")"); return inner; }
    const field = list[at] && list[at].word;
    if (!field) throw new Error("a field is missing");
    at++;
    const following = list[at];
    if (WORDS[field] && (!following || is("and") || is("or") || sign(")"))) return wordTest(field);
    const isNot = is("not");
    if (isNot) at++;
    if (is("in")) {
      at++;
      need("{");
      const values = [];
      while (list[at] && !sign("}")) { if (list[at].value !== undefined) values.push(list[at].value); at++; }
      need("}");
      return comparison(field, isNot ? "!=" : "==", values);
    }
    if (isNot) throw new Error("'in' is missing after 'not'");
    const operator = list[at] && list[at].operator;
    if (!operator) {
      // A field without an operator is true if the event has the field.
      const get = getter(field);
      return i => { const v = get(i); return v !== undefined && v !== ""; };
    }
    at++;
    const value = list[at] && list[at].value;
    if (value === undefined) throw new Error("a value is missing");
    at++;
    return comparison(field, operator, [value]);
  }
  const whole = either();
  const rest = list[at];
  if (rest) throw new Error(`'and' or 'or' is missing before '${rest.value || rest.sign || rest.operator}'`);
  return whole;
}

function condition(text) {
  const list = text.trim().split(/[\s()]+/).filter(Boolean);
  const isOfWords = list.length && list.every(w => WORDS[w] || ["and", "or", "not"].includes(w));
  if (isOfWords || /[=<>~]|\bin\s*\{/.test(text)) return expression(text);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return i => {
    const line = `${nameOf(i)} ${kindOf(i)} ${textOf(i)}`.toLowerCase();
    return words.every(word => line.includes(word));
  };
}

let matches = [], isMatch = new Uint8Array(count);
function search(text) {
  matches = [];
  isMatch.fill(0);
  if (!text.trim()) return "";
  let holds;
  try { holds = condition(text); } catch (error) { return error.message; }
  for (let i = 0; i < count; i++) if (holds(i)) { matches.push(i); isMatch[i] = 1; }
  return "";
}
