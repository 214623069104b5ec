// ---- The data. Names from captures are text here and never markup: only `el` makes nodes.

const $ = (id) => document.getElementById(id);

/** An element with properties (class, on…, and attributes) and children; strings become text. */
function el(tag, properties, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "class") node.className = value;
    else if (name.startsWith("aria-")) node.setAttribute(name, value);
    else if (value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

/** Gives a box other children; a focus that was in it stays there. */
function refill(box, ...children) {
  const { activeElement } = document, at = [...box.children].indexOf(activeElement), held = box.contains(activeElement);
  box.replaceChildren(...children);
  if (held) (box.children[at] || box).focus();
}

function bytes(id) {
  const text = $(id).textContent;
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

function inflated(id) {
  const stream = new Blob([bytes(id)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

if (!window.DecompressionStream) {
  $("status").textContent = "This page needs a browser of 2023 or later.";
  return;
}
const data = JSON.parse(new TextDecoder().decode(await inflated("data")));
const S = data.switches, H = data.hosts, L = data.links;
const switches = S.name.length, hosts = H.name.length, links = L.a.length;
const NONE = -1, NO_PATH = 255;
const width = hosts + switches;

// The index of each switch's first port, and by index what is behind a port: a channel, or -2 - h for host h. A
// channel is a link in one direction: twice the number of the link, and 1 more downwards.
const firstPort = new Int32Array(switches + 1);
for (let s = 0; s < switches; s++) firstPort[s + 1] = firstPort[s] + S.ports[s] + 1;
const behind = new Int32Array(firstPort[switches]).fill(NONE);
for (let l = 0; l < links; l++) {
  behind[firstPort[L.a[l]] + L.p[l]] = 2 * l;
  behind[firstPort[L.b[l]] + L.q[l]] = 2 * l + 1;
}
for (let h = 0; h < hosts; h++) behind[firstPort[H.at[h]] + H.port[h]] = -2 - h;
const isUp = (c) => (c & 1) === 0;
const from = (c) => (c & 1 ? L.b : L.a)[c >> 1];
const fromPort = (c) => (c & 1 ? L.q : L.p)[c >> 1];
const to = (c) => (c & 1 ? L.a : L.b)[c >> 1];
const toPort = (c) => (c & 1 ? L.p : L.q)[c >> 1];
const portOf = (s, port) => (port > 0 && port <= S.ports[s] ? behind[firstPort[s] + port] : NONE);

const hostsOf = Array.from({ length: switches }, () => []);
for (let h = 0; h < hosts; h++) hostsOf[H.at[h]].push(h);
const takesPart = (h) => H.kind[h] !== "aggregation node";

const states = data.states.map((state) => ({
  ...state,
  drained: new Set(state.drained),
  unknown: new Set(state.unknown),
  gone: {
    switches: new Set(state.gone.switches), links: new Set(state.gone.links), hosts: new Set(state.gone.hosts),
  },
  worst: (state.risk || []).reduce((most, risk) => Math.max(most, risk || 0), 0),
  rows: null,
}));
// The least of the worst loads: the greatest load, and lower ones while at most 1 % of the ports, or ten, have them.
for (const state of states) {
  const loads = (state.risk || []).filter((risk) => risk > 0).sort((a, b) => b - a);
  const few = Math.max(10, Math.floor(loads.length / 100));
  state.worstFrom = loads.slice(0, few).filter((load) => load > (loads[few] ?? 0)).pop() ?? state.worst;
}
// Equipment that is gone in the first state is missing, and has no LID.
const missing = states[0].gone;
for (const s of missing.switches) S.lid[s] = 0;
for (const h of missing.hosts) H.lid[h] = 0;
const hasRoutes = states[0].risk !== null;

/** Reads the tables, state by state; `packed` of tool/src/draw/page/mod.rs has written them. */
async function readTables() {
  for (const [at, state] of hasRoutes ? states.entries() : []) {
    state.rows = unpacked(new Uint8Array(await inflated(`tables-${at}`)), states[0].rows);
  }
}

/** `rows` has the bits of each row that differ from the row before, or from the same row of the first tables. */
function unpacked(rows, first) {
  for (let at = 0; at < rows.length; at++) rows[at] ^= first ? first[at] : at < width ? NO_PATH : rows[at - width];
  return rows;
}

// ---- Names.

const number = (n) => n.toLocaleString("en");
const plural = (n, one, many) => `${number(n)} ${n === 1 ? one : many || one + "s"}`;
/** The first of its names that nothing else has, else the last one with the GUID. */
function labels(guids, ...kinds) {
  const counts = kinds.map((names) => {
    const count = new Map();
    for (const name of names) count.set(name, (count.get(name) || 0) + 1);
    return count;
  });
  return guids.map((guid, at) => {
    const names = kinds.find((names, kind) => names[at] && counts[kind].get(names[at]) === 1);
    return names ? names[at] : `${kinds[kinds.length - 1][at]} ${guid}`.trim();
  });
}
S.label = labels(S.guid, S.short, S.name);
H.label = labels(H.guid, H.name);
/** A port as it is called on the box: its label, else its number. */
const portName = (s, port) => S.labels[s][port] ?? String(port);
const portText = (s, port) => (S.labels[s][port] ? `${port} = ${S.labels[s][port]}` : String(port));
const end = (s, port) => `${S.label[s]} [${portText(s, port)}]`;
const cable = (l) => `${end(L.a[l], L.p[l])} -- ${end(L.b[l], L.q[l])}`;
const speed = (of) => data.speeds[of];

// The ports of each server: hosts whose descriptions begin with the same word. If two adapters have the same
// description, their server is unknown.
const servers = new Map();
for (let h = 0; h < hosts; h++) {
  if (H.kind[h]) continue;
  const word = H.name[h].split(/\s/, 1)[0];
  if (!servers.has(word)) servers.set(word, []);
  servers.get(word).push(h);
}
for (const [word, of] of servers) {
  const nodes = new Map();
  const alike = of.some((h) => nodes.has(H.name[h]) && nodes.get(H.name[h]) !== H.node[h] ||
    !nodes.set(H.name[h], H.node[h]));
  if (of.length < 2 || alike || !word) servers.delete(word);
}

/** The things that a text names, the best matches first, in the order of `dmodc`: name, GUID, LID, parts of names. */
function find(text) {
  const name = text.trim(), lower = name.toLowerCase();
  if (!name) return [];
  const digits = /^(?:0x|[SHR]-)?([0-9a-f]{1,16})$/i.exec(name);
  const isGuid = digits && (digits[0].length > digits[1].length || digits[1].length === 16);
  const guid = isGuid ? "0x" + digits[1].toLowerCase().padStart(16, "0") : null;
  const lid = /^(?:lid)?[ :=]*(\d+|0x[0-9a-f]{1,4})$/i.exec(name);
  const wanted = lid ? Number(lid[1]) : NONE;
  const quoted = lower.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = quoted.length > 1 ? new RegExp(`^${quoted.join(".*")}$`) : null;
  const rank = (called, guids, lids, short = called) => {
    const own = called.toLowerCase();
    if (called === name || short === name) return 0;
    if (guid && guids.includes(guid)) return 1;
    if (lids[0] && wanted >= lids[0] && wanted < lids[0] + lids[1]) return 2;
    if (own === lower) return 3;
    if (own.startsWith(lower) && /\s/.test(own[lower.length])) return 4;
    if (pattern && pattern.test(own)) return 5;
    return own.includes(lower) ? 6 : NONE;
  };
  const found = [];
  const add = (thing, rank) => { if (rank !== NONE) found.push({ ...thing, rank }); };
  for (const [word, of] of servers) add({ name: word, hosts: of }, rank(word, [], [0, 0]));
  for (let s = 0; s < switches; s++) add(switchThing(s), rank(S.name[s], [S.guid[s]], [S.lid[s], 1], S.short[s]));
  for (let h = 0; h < hosts; h++) {
    add(hostThing(h), rank(H.name[h], [H.guid[h], H.node[h]], [H.lid[h], 1 << H.lmc[h]]));
  }
  return found.sort((a, b) => a.rank - b.rank);
}

const switchThing = (s) => ({ name: S.label[s], switch: s });
const hostThing = (h) => ({ name: H.label[h], hosts: [h] });
const thingText = (thing) => {
  if (thing.switch !== undefined) return `switch ${S.name[thing.switch]} ${S.guid[thing.switch]}`;
  const [h] = thing.hosts;
  if (thing.hosts.length > 1) return `server ${thing.name}: ${thing.hosts.length} ports`;
  return `${H.kind[h] || "host"} ${thing.name} at ${end(H.at[h], H.port[h])}`;
};

// ---- Oddities.

/** The lower switch first, as in links. */
function lowFirst(a, b) {
  const swap = S.rank[a] !== S.rank[b] ? S.rank[a] > S.rank[b] : S.guid[a] > S.guid[b];
  return swap ? [b, a] : [a, b];
}
const pairKey = (a, b) => a * switches + b;
// What a cabling plan has and the fabric does not is planned, not missing.
const ABSENT = data.planned ? "planned" : "missing";
const MARKS = [ABSENT, "slow", "suspect", "drained", "wrong", "removed", "rose", "fell"];
const missingAt = new Map(), slowLinks = new Map(), slowHosts = new Map(), wrongLinks = new Map();
const suspectLinks = new Map();
for (const { links, reason } of data.suspects) {
  for (const link of links) data.found.push({ kind: "suspect", ends: [], found: [], link, text: cable(link), reason });
}
for (const finding of data.found) {
  const linkAt = (one) => (one && one.switch !== null && one.port !== null ? portOf(one.switch, one.port) : NONE);
  const note = (map, key) => map.set(key, [...(map.get(key) || []), finding]);
  if (finding.kind === "missing") finding.kind = ABSENT;
  if (finding.kind === "suspect") { note(suspectLinks, finding.link); continue; }
  const [a, b] = finding.ends;
  const text = (one) => (one.switch === null ? one.name + (one.port === null ? "" : ` [${one.port}]`)
    : one.port === null ? S.label[one.switch] : end(one.switch, one.port));
  finding.text = [finding.ends, finding.found].filter((ends) => ends.length).map((ends) =>
    ends.map(text).join(" -- ")).join(", found ");
  const there = finding.kind === "extra" ? finding.ends : finding.found;
  if (finding.kind === "slow") {
    const behind = linkAt(a);
    if (behind >= 0) { finding.link = behind >> 1; note(slowLinks, finding.link); }
    else if (b.hosts) { finding.host = b.hosts[0]; note(slowHosts, finding.host); }
  } else {
    if (!b && a.hosts) finding.host = a.hosts[0];
    for (const one of there) {
      const channel = linkAt(one);
      if (channel >= 0) {
        finding.link = channel >> 1;
        if (!(wrongLinks.get(finding.link) || []).includes(finding)) note(wrongLinks, finding.link);
      } else if (channel <= -2) finding.host = -2 - channel;
    }
    if (finding.kind !== "extra" && b && a.switch !== null && b.switch !== null) {
      finding.pair = lowFirst(a.switch, b.switch);
      note(missingAt, pairKey(...finding.pair));
    }
  }
}

/** By how much the load of a channel is more than in the first state. */
const rise = (state, c) => ((state.risk?.[c] ?? null) === null ? 0 : state.risk[c] - (states[0].risk[c] ?? 0));

/** The marks of a link in a state, as words. */
function marksOf(state, l) {
  const marks = [], rises = [2 * l, 2 * l + 1].map((c) => rise(state, c));
  if (slowLinks.has(l)) marks.push("slow");
  if (suspectLinks.has(l)) marks.push("suspect");
  if (state.drained.has(l)) marks.push("drained");
  if (wrongLinks.has(l)) marks.push("wrong");
  if (state.gone.links.has(l)) marks.push(missing.links.has(l) ? ABSENT : "removed");
  if (rises.some((by) => by > 0)) marks.push("rose");
  if (rises.some((by) => by < 0)) marks.push("fell");
  return marks;
}
