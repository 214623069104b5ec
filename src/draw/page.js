"use strict";
// The page of a fabric. What captures call things is text here and never markup: nodes are made by `el` alone.
(async () => {
const $ = (id) => document.getElementById(id);

/** An element with properties (class, on…, and attributes) and children; strings become text. */
function el(tag, properties, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "class") node.className = value;
    else if (value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

// ---- The data.

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

// Where the ports of each switch begin, and what is behind each: a channel, or -2 and below for a host. A channel
// is a link in one direction: twice the number of the link, and 1 more downwards.
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
const hasRoutes = states[0].risk !== null;

/** Reads the tables, state by state; see src/draw/page.rs for how they are written. */
async function readTables() {
  for (const [at, state] of states.entries()) {
    if (!hasRoutes) return;
    const rows = new Uint8Array(await inflated(`tables-${at}`));
    if (at === 0) for (let i = width; i < rows.length; i++) rows[i] ^= rows[i - width];
    else for (let i = 0; i < rows.length; i++) rows[i] ^= states[0].rows[i];
    state.rows = rows;
  }
}

// ---- Names.

const number = (n) => n.toLocaleString("en");
const plural = (n, one, many) => `${number(n)} ${n === 1 ? one : many || one + "s"}`;
const end = (s, port) => `${S.name[s]} [${port}]`;
const cable = (l) => `${end(L.a[l], L.p[l])} -- ${end(L.b[l], L.q[l])}`;
const speed = (of) => data.speeds[of];

// The ports of one server: hosts whose descriptions begin with one word. Two adapters with one description do not
// say which server they are in.
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

/** What a text names, the best matches first, in the order in which `dmodc` looks: name, GUID, LID, parts of names. */
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
  const rank = (called, guids, lids) => {
    const own = called.toLowerCase();
    if (called === name) return 0;
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
  for (let s = 0; s < switches; s++) add(switchThing(s), rank(S.name[s], [S.guid[s]], [S.lid[s], 1]));
  for (let h = 0; h < hosts; h++) {
    add(hostThing(h), rank(H.name[h], [H.guid[h], H.node[h]], [H.lid[h], 1 << H.lmc[h]]));
  }
  return found.sort((a, b) => a.rank - b.rank);
}

const switchThing = (s) => ({ name: S.name[s], switch: s });
const hostThing = (h) => ({ name: H.name[h], hosts: [h] });
const thingText = (thing) => {
  if (thing.switch !== undefined) return `switch ${thing.name} ${S.guid[thing.switch]}`;
  const [h] = thing.hosts;
  if (thing.hosts.length > 1) return `server ${thing.name}: ${thing.hosts.length} ports`;
  return `${H.kind[h] || "host"} ${thing.name} at ${end(H.at[h], H.port[h])}`;
};

// ---- What is odd.

/** Lower end first, as links are. */
function lowFirst(a, b) {
  const swap = S.rank[a] !== S.rank[b] ? S.rank[a] > S.rank[b] : S.guid[a] > S.guid[b];
  return swap ? [b, a] : [a, b];
}
const pairKey = (a, b) => a * switches + b;
const MARKS = ["missing", "slow", "drained", "wrong", "removed"];
const missingAt = new Map(), slowLinks = new Map(), slowHosts = new Map(), wrongLinks = new Map();
for (const finding of data.found) {
  const linkAt = (one) => (one && one.switch !== null && one.port !== null ? portOf(one.switch, one.port) : NONE);
  const note = (map, key) => map.set(key, [...(map.get(key) || []), finding]);
  const [a, b] = finding.ends;
  finding.text = [finding.ends, finding.found].filter((ends) => ends.length).map((ends) =>
    ends.map((one) => one.name + (one.port === null ? "" : ` [${one.port}]`)).join(" -- ")).join(", found ");
  const there = finding.kind === "extra" ? finding.ends : finding.found;
  if (finding.kind === "slow") {
    const behind = linkAt(a);
    if (behind >= 0) { finding.link = behind >> 1; note(slowLinks, finding.link); }
    else if (b.hosts) { finding.host = b.hosts[0]; note(slowHosts, finding.host); }
  } else {
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

/** The marks of a link in a state, by words. */
function marksOf(state, l) {
  const marks = [];
  if (slowLinks.has(l)) marks.push("slow");
  if (state.drained.has(l)) marks.push("drained");
  if (wrongLinks.has(l)) marks.push("wrong");
  if (state.gone.links.has(l)) marks.push("removed");
  return marks;
}

// ---- Ways.

const hostTarget = (h) => ({ column: h, at: H.at[h], port: H.port[h] });
const switchTarget = (s) => ({ column: hosts + s, at: s, port: 0 });

/** The way of a packet from a switch: its channels, and how it ends. */
function follow(state, start, target) {
  const steps = [], seen = new Set();
  for (let at = start; ;) {
    if (seen.has(at)) return { steps, lost: `it comes to ${S.name[at]} again, for ever` };
    seen.add(at);
    const entry = state.rows[at * width + target.column];
    if (entry === NO_PATH) {
      const why = state.unknown.has(at) ? "is not known" : "has no entry for it";
      return { steps, lost: `the table of ${S.name[at]} ${why}` };
    }
    if (at === target.at && entry === target.port) return { steps, lost: null };
    const channel = portOf(at, entry);
    if (channel < 0) return { steps, lost: `${S.name[at]} sends it to port ${entry}, the wrong one` };
    const down = steps.length > 0 && steps.some(({ channel }) => !isUp(channel));
    steps.push({ channel, turns: isUp(channel) && down });
    at = to(channel);
  }
}

/** Who sends over a channel, and to whom, as A2A counts them. */
function users(state, channel) {
  const start = from(channel), port = fromPort(channel);
  const counts = (h) => takesPart(h) && !state.gone.hosts.has(h);
  const senders = hostsOf.map((of) => of.filter(counts));
  const stamp = new Int32Array(switches).fill(NONE), sends = new Uint8Array(switches);
  const destinations = [];
  for (let h = 0; h < hosts; h++) {
    if (state.rows[start * width + h] !== port || !counts(h)) continue;
    if (follow(state, start, hostTarget(h)).lost) continue;
    const open = [start];
    stamp[start] = h;
    let any = false;
    while (open.length) {
      const at = open.pop();
      if (senders[at].length) { sends[at] = 1; any = true; }
      for (let p = firstPort[at] + 1; p < firstPort[at + 1]; p++) {
        const c = behind[p];
        if (c < 0 || stamp[to(c)] === h || state.gone.links.has(c >> 1)) continue;
        if (state.rows[to(c) * width + h] === toPort(c)) { stamp[to(c)] = h; open.push(to(c)); }
      }
    }
    if (any) destinations.push(h);
  }
  const sources = [];
  for (let s = 0; s < switches; s++) if (sends[s]) sources.push(...senders[s]);
  return { sources: destinations.length ? sources : [], destinations };
}

// Which switches links join, whatever their directions.
const network = new Int32Array(switches).fill(NONE);
for (let start = 0; start < switches; start++) {
  const open = network[start] === NONE ? [start] : [];
  while (open.length) {
    const at = open.pop();
    if (network[at] !== NONE) continue;
    network[at] = start;
    for (let p = firstPort[at]; p < firstPort[at + 1]; p++) if (behind[p] >= 0) open.push(to(behind[p]));
  }
}

// ---- The matrices.

const regular = data.tabs.filter((tab) => tab.high === tab.low + 1);
const pods = new Int32Array(switches).fill(NONE), planes = new Int32Array(switches).fill(NONE);
const blocksOf = (tab) => (tab ? tab.blocks.filter((block) => !block.stray) : []);
const podBlocks = regular.length > 1 ? blocksOf(regular[0]) : [];
const planeBlocks = blocksOf(regular[regular.length - 1]);
for (const [blocks, of] of [[podBlocks, pods], [planeBlocks, planes]]) {
  blocks.forEach((block, at) => { for (const s of [...block.rows, ...block.columns]) of[s] = at; });
}
const span = (of) => (of.length > 1 ? `${S.name[of[0]]} … ${S.name[of[of.length - 1]]}` : S.name[of[0]]);

const tabs = data.tabs.map((tab) => ({ ...tab, name: tab.low === tab.high
  ? `within level ${tab.low}` : `level ${tab.low} by ${tab.high}` }));
tabs.forEach((tab) => tab.blocks.forEach((block, at) => {
  const all = tab.blocks.length, what = tab === tabs[data.tabs.indexOf(regular[0])] && podBlocks.length
    ? "pod" : tab === tabs[data.tabs.indexOf(regular[regular.length - 1])] ? "plane" : "part";
  block.name = block.stray ? "cables between others" : all > 1 ? `${what} ${at + 1}` : "";
}));
if (hosts > 0) {
  const groups = new Map();
  for (let s = 0; s < switches; s++) {
    if (!hostsOf[s].some(takesPart)) continue;
    const group = podBlocks.length > 1 ? pods[s] : planeBlocks.length > 1 ? planes[s] : 0;
    if (!groups.has(group)) groups.set(group, []);
    groups.get(group).push(s);
  }
  const blocks = [...groups].map(([group, rows]) => ({
    rows,
    columns: [...new Set(rows.flatMap((s) => hostsOf[s].filter(takesPart).map((h) => H.port[h])))].sort((a, b) => a - b),
    name: groups.size > 1 ? (group === NONE ? "others" : `${podBlocks.length > 1 ? "pod" : "plane"} ${group + 1}`) : "",
    ports: true,
  }));
  tabs.push({ name: "hosts", blocks, ports: true });
}

const view = {
  tab: 0, state: 0, change: false, filters: new Set(), pod: NONE, plane: NONE, zoom: 0,
  ends: [], ways: [], cursor: null, shown: [], marked: new Set(), finding: NONE,
};
const state = () => states[view.state];

/** The cells of a block: links and findings of two switches, or a host. */
function cellsOf(tab, block) {
  if (block.cells) return block.cells;
  const cells = block.cells = new Map();
  const row = new Map(block.rows.map((s, at) => [s, at]));
  const column = new Map(block.columns.map((s, at) => [s, at]));
  const cell = (r, c) => {
    const key = r * block.columns.length + c;
    if (!cells.has(key)) cells.set(key, { row: r, column: c, links: [], missing: [], host: NONE });
    return cells.get(key);
  };
  for (const s of block.ports ? block.rows : []) {
    for (const h of hostsOf[s]) if (takesPart(h)) cell(row.get(s), column.get(H.port[h])).host = h;
  }
  for (const s of block.ports ? [] : block.rows) {
    for (let p = firstPort[s]; p < firstPort[s + 1]; p++) {
      const c = behind[p];
      if (c >= 0 && isUp(c) && column.has(to(c))) cell(row.get(s), column.get(to(c))).links.push(c >> 1);
    }
  }
  for (const findings of block.ports ? [] : missingAt.values()) {
    const [a, b] = findings[0].pair;
    if (row.has(a) && column.has(b)) cell(row.get(a), column.get(b)).missing = findings;
  }
  return cells;
}

/** The load of a cell, the greatest of its links in both directions; NONE without tables. */
function loadOf(state, cell) {
  if (!state.risk) return NONE;
  let most = NONE;
  for (const l of cell.links) most = Math.max(most, state.risk[2 * l] ?? NONE, state.risk[2 * l + 1] ?? NONE);
  return most;
}

/** The colour of a load: none, up to half of the bound, up to it, up to twice, more. */
function bin(state, load) {
  const bound = state.bound || 0;
  return [0, Math.floor(bound / 2), bound, 2 * bound].filter((limit) => load > limit).length;
}

function cellMarks(state, cell) {
  const marks = new Set(cell.links.flatMap((l) => marksOf(state, l)));
  if (cell.missing.some((finding) => finding.kind === "missing")) marks.add("missing");
  if (cell.missing.some((finding) => finding.kind !== "missing")) marks.add("wrong");
  if (cell.host !== NONE && slowHosts.has(cell.host)) marks.add("slow");
  if (cell.host !== NONE && state.gone.hosts.has(cell.host)) marks.add("removed");
  return marks;
}

/** Whether a load is among the worst: above the bound, or the greatest where none is. */
const isWorst = (state, load) => load > 0 && load >= Math.min(state.worst, (state.bound || 0) + 1);

function passes(cell) {
  if (!view.filters.size) return true;
  const marks = cellMarks(state(), cell);
  return [...view.filters].some((filter) =>
    filter === "worst" ? isWorst(state(), loadOf(state(), cell)) : marks.has(filter));
}

const isOpen = (s) => (view.pod === NONE || pods[s] === NONE || pods[s] === view.pod) &&
  (view.plane === NONE || planes[s] === NONE || planes[s] === view.plane);

// ---- Drawing.

let colors = {};
function readColors() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["paper", "panel", "line", "ink", "soft", "accent", "load0", "load1", "load2", "load3", "load4",
    "plain", "mark", "there", "back", "better", "worse"]) {
    colors[name] = style.getPropertyValue("--" + name).trim();
  }
}

/** The fill of a cell; none if there is nothing. */
function fill(cell) {
  if (cell.host !== NONE) return colors.plain;
  if (!cell.links.length) return null;
  if (!view.change) {
    const load = loadOf(state(), cell);
    const gone = cell.links.every((l) => state().gone.links.has(l));
    return gone ? null : load === NONE ? colors.plain : colors["load" + bin(state(), load)];
  }
  const [before, after] = states.map((state) => loadOf(state, cell));
  if (after === NONE) return null;
  return after > before ? colors.worse : after < before ? colors.better : colors.load0;
}

function drawCell(context, x, y, side, color, marks) {
  const gap = side > 5 ? 1 : side > 2 ? 0.5 : 0, size = side - gap;
  if (color) {
    context.fillStyle = color;
    context.fillRect(x, y, size, size);
  }
  context.lineWidth = Math.max(1, side / 8);
  const line = (color, ...points) => {
    context.strokeStyle = color;
    context.beginPath();
    points.forEach(([dx, dy], at) => context[at % 2 ? "lineTo" : "moveTo"](x + dx * size, y + dy * size));
    context.stroke();
  };
  if (side < 6 && (marks.has("missing") || marks.has("wrong"))) {
    context.fillStyle = colors.mark;
    context.fillRect(x, y, size, size);
    return;
  }
  if (marks.has("drained")) {
    context.fillStyle = colors.paper;
    context.fillRect(x + 1, y + 1, size - 2, size - 2);
    if (color) { context.fillStyle = color; context.fillRect(x, y + size * 0.35, size, size * 0.3); }
    line(colors.ink, [0, 0], [1, 0], [0, 1], [1, 1]);
  }
  if (marks.has("slow")) {
    context.fillStyle = colors.ink;
    context.beginPath();
    context.moveTo(x, y + size);
    context.lineTo(x + size * 0.65, y + size);
    context.lineTo(x, y + size * 0.35);
    context.fill();
  }
  if (marks.has("wrong")) {
    context.strokeStyle = colors.mark;
    context.strokeRect(x + 0.5, y + 0.5, size - 1, size - 1);
  }
  if (marks.has("missing")) line(colors.mark, [0.1, 0.1], [0.9, 0.9], [0.9, 0.1], [0.1, 0.9]);
  if (marks.has("removed")) line(colors.ink, [0.1, 0.1], [0.9, 0.9], [0.9, 0.1], [0.1, 0.9]);
}

const NAMED = 11;
const FONT = "10px system-ui, sans-serif";

/** The side of a cell: the largest with which all blocks may fit the window, then as the reader zooms. */
function sideOf(blocks) {
  const columns = Math.max(1, ...blocks.map(({ columns }) => columns.length));
  const rows = Math.max(1, ...blocks.map(({ rows }) => rows.length));
  const { clientWidth, clientHeight } = $("matrix");
  const area = (side) => blocks.reduce((sum, { rows, columns }) => {
    const names = side < NAMED ? 20 : 90;
    return sum + (columns.length * side + names) * (rows.length * side + names + 40);
  }, 0);
  let fit = 26;
  while (fit > 6 && (area(fit) > clientWidth * clientHeight || columns * fit > clientWidth - 160)) fit--;
  const zoomed = Math.round(fit * 1.3 ** view.zoom);
  return Math.max(2, Math.min(40, zoomed, Math.floor(8000 / Math.max(columns, rows))));
}

function show() {
  const tab = tabs[view.tab];
  $("matrix").replaceChildren();
  view.shown = [];
  for (const [at, button] of [...$("tabs").children].entries()) {
    button.setAttribute("aria-selected", at === view.tab);
  }
  const blocks = (tab ? tab.blocks : []).map((block) => ({
    block,
    rows: block.rows.map((_, at) => at).filter((at) => isOpen(block.rows[at])),
    columns: block.columns.map((_, at) => at).filter((at) => block.ports || isOpen(block.columns[at])),
  })).filter(({ block, rows, columns }) => rows.length && columns.length && (!view.filters.size ||
    [...cellsOf(tab, block).values()].some((cell) =>
      passes(cell) && rows.includes(cell.row) && columns.includes(cell.column))));
  const side = sideOf(blocks);
  for (const part of blocks) {
    const { block, rows, columns } = part;
    cellsOf(tab, block);
    part.side = side;
    part.canvas = el("canvas", {
      tabindex: 0, role: "img",
      "aria-label": `${block.name || tab.name}: ${rows.length} by ${columns.length}; arrow keys go from cell to cell`,
      onmousemove: (event) => hover(part, event), onmouseleave: () => { $("tip").hidden = true; },
      onclick: (event) => click(part, event), onkeydown: (event) => cellKey(part, event),
    });
    const what = block.ports ? `${span(rows.map((r) => block.rows[r]))}, by port`
      : `${span(rows.map((r) => block.rows[r]))} by ${span(columns.map((c) => block.columns[c]))}`;
    const caption = el("figcaption", null, block.name ? el("b", null, block.name) : null, block.name ? " " : "", what);
    const figure = el("figure", { class: block.stray ? "stray" : "" }, caption, part.canvas);
    $("matrix").append(figure);
    view.shown.push(part);
    draw(part);
    caption.style.maxWidth = `${Math.max(part.canvas.clientWidth, 150)}px`;
  }
  if (!blocks.length) {
    $("matrix").append(el("p", { class: "soft" }, tab ? "Nothing here passes the filters." : "No links and no hosts."));
  }
}

const columnName = (block, c) => (block.ports ? String(block.columns[c]) : S.name[block.columns[c]]);

function draw(part) {
  const { block, rows, columns, side, canvas } = part;
  const context = canvas.getContext("2d");
  context.font = FONT;
  const room = (texts, most) => (side < NAMED ? 2
    : Math.min(most, Math.ceil(Math.max(...texts.map((text) => context.measureText(text).width))) + 8));
  part.left = room(rows.map((r) => S.name[block.rows[r]]), 180);
  part.top = room(columns.map((c) => columnName(block, c)), 150);
  const [wide, high] = [part.left + columns.length * side + 2, part.top + rows.length * side + 2];
  const ratio = Math.min(window.devicePixelRatio || 1, 8000 / Math.max(wide, high));
  Object.assign(canvas, { width: wide * ratio, height: high * ratio });
  Object.assign(canvas.style, { width: `${wide}px`, height: `${high}px` });
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = colors.panel;
  context.fillRect(part.left, part.top, columns.length * side, rows.length * side);
  part.rowAt = new Map(rows.map((r, at) => [r, at]));
  part.columnAt = new Map(columns.map((c, at) => [c, at]));
  if (side >= NAMED) {
    context.font = FONT;
    context.fillStyle = colors.soft;
    context.textAlign = "right";
    context.textBaseline = "middle";
    const bold = (is) => {
      context.fillStyle = is ? colors.ink : colors.soft;
      context.font = is ? `bold ${FONT}` : FONT;
    };
    rows.forEach((r, at) => {
      bold(view.marked.has(block.rows[r]));
      context.fillText(S.name[block.rows[r]], part.left - 4, part.top + (at + 0.5) * side, part.left - 6);
    });
    context.textAlign = "left";
    columns.forEach((c, at) => {
      bold(!block.ports && view.marked.has(block.columns[c]));
      context.save();
      context.translate(part.left + (at + 0.5) * side, part.top - 4);
      context.rotate(-Math.PI / 2);
      context.fillText(columnName(block, c), 0, 0, part.top - 6);
      context.restore();
    });
  }
  const outlines = [];
  for (const cell of block.cells.values()) {
    const at = place(part, cell);
    if (!at) continue;
    context.globalAlpha = passes(cell) ? 1 : 0.15;
    drawCell(context, ...at, side, fill(cell), cellMarks(state(), cell));
    context.globalAlpha = 1;
    for (const color of wayColors(cell)) outlines.push([at, color]);
  }
  context.lineWidth = Math.max(2, side / 6);
  outlines.forEach(([[x, y], color], at) => {
    const inset = outlines.slice(0, at).some(([[u, v]]) => u === x && v === y) ? 2.5 : 0;
    context.strokeStyle = colors[color];
    context.strokeRect(x - 0.5 + inset, y - 0.5 + inset, Math.max(1, side - 2 * inset), Math.max(1, side - 2 * inset));
  });
  if (view.cursor && view.cursor.block === block) {
    const at = place(part, view.cursor);
    if (at) {
      context.strokeStyle = colors.ink;
      context.lineWidth = 2;
      context.setLineDash([3, 2]);
      context.strokeRect(at[0] - 1, at[1] - 1, side + 1, side + 1);
      context.setLineDash([]);
    }
  }
}

/** The corner of a cell, if it is shown. */
function place(part, { row, column }) {
  const r = part.rowAt.get(row), c = part.columnAt.get(column);
  return r === undefined || c === undefined ? null : [part.left + c * part.side, part.top + r * part.side];
}

const redraw = () => view.shown.forEach(draw);

/** The colours in which ways go through a cell. */
function wayColors(cell) {
  const colors = [];
  for (const direction of ["there", "back"]) {
    const on = view.ways.some((way) => way[direction].steps.some(({ channel }) => cell.links.includes(channel >> 1)));
    if (on) colors.push(direction);
  }
  const isEnd = (at) => view.ends[at] && view.ends[at].hosts && view.ends[at].hosts.includes(cell.host);
  if (cell.host !== NONE && isEnd(0)) colors.push("there");
  if (cell.host !== NONE && isEnd(1)) colors.push("back");
  return colors;
}

// ---- Words for what is shown.

function loadText(state, l) {
  if (!state.risk) return "";
  const [up, down] = [state.risk[2 * l], state.risk[2 * l + 1]];
  if (up === null) return "removed";
  return `load ${up} up, ${down} down, bound ${state.bound ?? "none"}`;
}

function linkLines(l) {
  const lines = [cable(l) + (speed(L.speed[l]) ? ` ${speed(L.speed[l])}` : "")];
  if (view.change) {
    for (const state of states) lines.push(`${state.title}: ${loadText(state, l)}`);
  } else if (hasRoutes) lines.push(loadText(state(), l));
  if (state().drained.has(l)) lines.push("drained");
  for (const finding of slowLinks.get(l) || []) lines.push(`slow: ${finding.reason}`);
  for (const finding of wrongLinks.get(l) || []) lines.push(findingText(finding));
  if (!hasRoutes && state().gone.links.has(l)) lines.push("removed");
  return lines;
}

const findingText = (finding) => `${finding.kind}: ${finding.text}${finding.reason ? `: ${finding.reason}` : ""}`;

function hostLines(h) {
  const lines = [`${H.name[h]} at ${end(H.at[h], H.port[h])}`,
    `${H.kind[h] || "host"}, GUID ${H.guid[h]}, LID ${H.lid[h]}${speed(H.speed[h]) ? `, ${speed(H.speed[h])}` : ""}`];
  for (const finding of slowHosts.get(h) || []) lines.push(`slow: ${finding.reason}`);
  if (state().gone.hosts.has(h)) lines.push("removed");
  return lines;
}

function cellLines(block, { row, column }) {
  const cell = block.cells.get(row * block.columns.length + column);
  const s = block.rows[row];
  if (block.ports) {
    return cell ? hostLines(cell.host) : [`${end(s, block.columns[column])}: no host`];
  }
  const t = block.columns[column];
  const count = cell ? cell.links.length : 0;
  const head = `${S.name[s]} -- ${S.name[t]}: ${count ? plural(count, "link") : "no link"}`;
  const lines = (cell ? cell.links : []).slice(0, 6).flatMap(linkLines);
  const more = count > 6 ? [`and ${count - 6} more`] : [];
  return [head, ...lines, ...more, ...(cell ? cell.missing : []).map(findingText)];
}

function say(lines) {
  $("status").textContent = lines.join(" · ");
}

// ---- What the reader does.

function cellAt(part, event) {
  const box = part.canvas.getBoundingClientRect();
  const scale = box.width / parseFloat(part.canvas.style.width);
  const c = Math.floor(((event.clientX - box.left) / scale - part.left) / part.side);
  const r = Math.floor(((event.clientY - box.top) / scale - part.top) / part.side);
  return { row: part.rows[r], column: part.columns[c], beside: r >= 0 && c < 0, above: c >= 0 && r < 0 };
}

function hover(part, event) {
  const { row, column, beside, above } = cellAt(part, event);
  let lines = null;
  if (row !== undefined && column !== undefined) lines = cellLines(part.block, { row, column });
  else if (beside && row !== undefined) lines = switchLines(part.block.rows[row]);
  else if (above && column !== undefined && !part.block.ports) lines = switchLines(part.block.columns[column]);
  const tip = $("tip");
  tip.hidden = !lines;
  if (!lines) return;
  tip.textContent = lines.join("\n");
  tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8))}px`;
  const below = event.clientY + 18;
  tip.style.top = `${below + tip.offsetHeight > innerHeight ? Math.max(4, event.clientY - tip.offsetHeight - 10) : below}px`;
}

const switchLines = (s) => [`${S.name[s]} ${S.guid[s]}`,
  `level ${S.rank[s]}, LID ${S.lid[s]}, ${plural(hostsOf[s].filter(takesPart).length, "host")}`];

function click(part, event) {
  const { row, column, beside, above } = cellAt(part, event);
  if (row !== undefined && column !== undefined) selectCell(part.block, { row, column });
  else if (beside && row !== undefined) selectSwitch(part.block.rows[row]);
  else if (above && column !== undefined && !part.block.ports) selectSwitch(part.block.columns[column]);
}

function cellKey(part, event) {
  const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const own = view.cursor && view.cursor.block === part.block ? view.cursor : null;
  if (event.key === "Enter" && own) selectCell(part.block, own);
  else if (moves[event.key]) {
    const [dr, dc] = own ? moves[event.key] : [0, 0];
    const step = (of, now, by) => of[Math.max(0, Math.min(of.length - 1, of.indexOf(now) + by))];
    view.cursor = {
      block: part.block,
      row: step(part.rows, own ? own.row : part.rows[0], dr),
      column: step(part.columns, own ? own.column : part.columns[0], dc),
    };
    redraw();
    say(cellLines(part.block, view.cursor));
  } else return;
  event.preventDefault();
}

function selectCell(block, { row, column }) {
  view.cursor = { block, row, column };
  const cell = block.cells.get(row * block.columns.length + column);
  say(cellLines(block, view.cursor));
  if (block.ports) {
    if (cell) return selectHosts(hostThing(cell.host));
    return selectSwitch(block.rows[row]);
  }
  view.marked = new Set([block.rows[row], block.columns[column]]);
  redraw();
  showCell(block.rows[row], block.columns[column], cell);
}

const switchButton = (s) => el("button", { class: "plain", onclick: () => selectSwitch(s) }, S.name[s]);
const hostButton = (h) => el("button", { class: "plain", onclick: () => selectHosts(hostThing(h)) }, H.name[h]);

function showCell(s, t, cell) {
  const items = (cell ? cell.links : []).map((l) => {
    const lines = linkLines(l);
    const who = hasRoutes ? [0, 1].map((down) => whoUses(2 * l + down, down ? "down" : "up")) : [];
    return el("li", null, el("b", null, lines[0]), ...lines.slice(1).map((line) => el("div", null, line)), ...who);
  });
  const missing = (cell ? cell.missing : []).map((finding) => el("li", { class: "bad" }, findingText(finding)));
  $("detail").replaceChildren(
    el("h2", null, switchButton(s), " -- ", switchButton(t)),
    items.length + missing.length ? el("ul", null, ...items, ...missing) : el("p", null, "no link"));
}

/** Who uses a channel, told when it is opened. */
function whoUses(channel, word) {
  const body = el("div", null);
  const details = el("details", { class: "who" }, el("summary", null, `who uses it${word ? ` ${word}` : ""}`), body);
  details.addEventListener("toggle", async () => {
    if (!details.open || body.childNodes.length) return;
    body.append("…");
    await ready;
    const tell = (state) => {
      if (state.gone.links.has(channel >> 1)) return [el("p", null, `${state.title}: removed`)];
      const { sources, destinations } = users(state, channel);
      const head = `${states.length > 1 ? `${state.title}: ` : ""}${plural(sources.length, "host")} to ` +
        plural(destinations.length, "host");
      return [el("p", null, head), nameList("from", sources), nameList("to", destinations)];
    };
    body.replaceChildren(...(view.change ? states : [state()]).flatMap(tell));
  });
  return details;
}

const LISTED = 40;
function nameList(word, of) {
  const shown = of.slice(0, LISTED).flatMap((h, at) => (at ? [", ", hostButton(h)] : [hostButton(h)]));
  const more = of.length > LISTED ? [` and ${number(of.length - LISTED)} more`] : [];
  return el("p", null, `${word} `, ...shown, ...more);
}

function selectSwitch(s) {
  view.marked = new Set([s]);
  const own = hostsOf[s].filter(takesPart);
  const near = new Map();
  for (let p = firstPort[s]; p < firstPort[s + 1]; p++) {
    const c = behind[p];
    if (c >= 0) near.set(to(c), (near.get(to(c)) || 0) + 1);
  }
  const links = (is) => [...near].filter(([t]) => is(S.rank[t] - S.rank[s])).flatMap(([t, count], at) =>
    [at ? ", " : "", switchButton(t), count > 1 ? ` (${count})` : ""]);
  const list = (word, items) => (items.length ? el("p", null, `${word}: `, ...items) : null);
  const place = [[podBlocks, pods, "pod"], [planeBlocks, planes, "plane"]].filter(([blocks, of]) =>
    blocks.length > 1 && of[s] !== NONE).map(([, of, word]) => `, ${word} ${of[s] + 1}`);
  $("detail").replaceChildren(...[
    el("h2", null, S.name[s]),
    el("p", null, `${S.guid[s]}, LID ${S.lid[s]}, level ${S.rank[s]}${place.join("")}, ${S.ports[s]} ports` +
      (state().gone.switches.has(s) ? ", removed" : "")),
    el("p", null, el("button", { onclick: () => addEnd(switchThing(s)) }, "a way from or to here")),
    list("above", links((by) => by > 0)), list("beside", links((by) => by === 0)), list("below", links((by) => by < 0)),
    list(plural(own.length, "host"), own.flatMap((h, at) => [at ? ", " : "", hostButton(h)])),
  ].filter(Boolean));
  reveal((block) => block.rows.includes(s) || (!block.ports && block.columns.includes(s)));
  say(switchLines(s));
}

/** A host, or all ports of a server: an end of a way. */
function selectHosts(thing) {
  view.marked = new Set(thing.hosts.map((h) => H.at[h]));
  const items = thing.hosts.map((h) => {
    const lines = hostLines(h);
    return el("li", null, lines[0].slice(0, H.name[h].length), " at ", switchButton(H.at[h]), ` [${H.port[h]}]`,
      ...lines.slice(1).map((line) => el("div", { class: "soft" }, line)));
  });
  $("detail").replaceChildren(el("h2", null, thing.name), el("ul", null, ...items));
  const [h] = thing.hosts;
  if (tabs[view.tab].ports) {
    const block = tabs[view.tab].blocks.find((block) => block.rows.includes(H.at[h]));
    if (block) view.cursor = { block, row: block.rows.indexOf(H.at[h]), column: block.columns.indexOf(H.port[h]) };
  }
  reveal((block) => block.rows.includes(H.at[h]) || (!block.ports && block.columns.includes(H.at[h])));
  say(hostLines(h));
  addEnd(thing);
}

function addEnd(thing) {
  const same = (a, b) => a && b && a.switch === b.switch && String(a.hosts) === String(b.hosts);
  if (same(view.ends[view.ends.length - 1], thing)) return;
  view.ends = view.ends.length === 1 ? [view.ends[0], thing] : [thing];
  return showWay();
}

const MOST_WAYS = 100;
/** The pairs of ports of two ends that are in one network, or all if none are. */
function pairs([a, b]) {
  const ports = (thing) => (thing.switch !== undefined
    ? [{ name: thing.name, start: thing.switch, target: switchTarget(thing.switch) }]
    : thing.hosts.map((h) => ({ name: H.name[h], start: H.at[h], target: hostTarget(h) })));
  const all = ports(a).flatMap((one) => ports(b).map((other) => [one, other]));
  const joined = all.filter(([one, other]) => network[one.start] === network[other.start]);
  return (joined.length ? joined : all).slice(0, MOST_WAYS);
}

async function showWay() {
  const [a, b] = view.ends;
  view.ways = [];
  const chip = (thing, word) => (thing ? el("span", null, `${word} `, el("b", null, thing.name), " ") : null);
  const clear = el("button", { onclick: clearAll, title: "Esc" }, "clear");
  const swap = el("button", { onclick: swapEnds, title: "w" }, "swap");
  if (!a) return void $("way").replaceChildren();
  const head = el("p", null, chip(a, "from"), chip(b, "to"), b ? swap : null, " ", clear);
  if (!b) {
    $("way").replaceChildren(el("h2", null, "Way"), head,
      el("p", { class: "soft" }, hasRoutes ? "Select another host to see the way there and back." : "No tables are given, so there are no ways."));
    return void redraw();
  }
  $("way").replaceChildren(el("h2", null, "Way"), head);
  if (!hasRoutes) return void $("way").append(el("p", { class: "soft" }, "No tables are given, so there are no ways."));
  await ready;
  if (view.ends[0] !== a || view.ends[1] !== b) return;
  const which = view.change ? states : [state()];
  const found = pairs(view.ends);
  view.ways = which.flatMap((state) => found.map(([one, other]) => ({
    state, one, other, there: follow(state, one.start, other.target), back: follow(state, other.start, one.target),
  })));
  view.ways.forEach((way, at) => {
    const first = states.length > 1 && view.change && at >= found.length ? view.ways[at - found.length] : null;
    const parts = [wayPart(way, "there", first), wayPart(way, "back", first)];
    const title = `${way.one.name} -- ${way.other.name}${view.change ? `, ${way.state.title}` : ""}`;
    if (found.length === 1) $("way").append(...(view.change ? [el("h3", null, way.state.title)] : []), ...parts);
    else $("way").append(el("details", { open: at < 2 }, el("summary", null, title), ...parts));
  });
  for (const [at, button] of [...$("tabs").children].entries()) badge(button, at);
  redraw();
}

/** One direction of a way, hop by hop. */
function wayPart(way, direction, first) {
  const { steps, lost } = way[direction];
  const [from_, to_] = direction === "there" ? [way.one, way.other] : [way.other, way.one];
  const channels = (of) => of.steps.map(({ channel }) => channel).join();
  const moved = first && channels(first[direction]) !== channels(way[direction]);
  const hops = steps.map(({ channel, turns }) => {
    const load = way.state.risk[channel], over = way.state.bound !== null && load > way.state.bound;
    const marks = marksOf(way.state, channel >> 1);
    return el("li", { class: "hop" }, `${isUp(channel) ? (turns ? "up AGAIN" : "up") : "down"} `,
      el("button", { class: "plain", onclick: () => revealLink(channel >> 1) },
        `${end(from(channel), fromPort(channel))} -- ${end(to(channel), toPort(channel))}`),
      " ", el("span", { class: over ? "over" : "" }, `load ${load}`),
      marks.length ? ` (${marks.join(", ")})` : "", whoUses(channel, ""));
  });
  const heading = `${direction}: ${from_.name} to ${to_.name}, ${plural(steps.length, "hop")}${moved ? ", moved" : ""}`;
  return el("div", { class: direction }, el("h3", null, heading), el("ol", null, ...hops),
    lost ? el("p", { class: "bad" }, `LOST: ${lost}`) : el("p", { class: "soft" },
      to_.target.port ? `arrives by ${end(to_.target.at, to_.target.port)}` : "arrives"));
}

function swapEnds() {
  view.ends.reverse();
  showWay();
}

function clearAll() {
  Object.assign(view, { ends: [], ways: [], cursor: null, marked: new Set() });
  for (const id of ["way", "detail"]) $(id).replaceChildren();
  [...$("tabs").children].forEach(badge);
  say([]);
  redraw();
}

/** Goes to the first block that fits, in this tab or else in another, and scrolls to it. */
function reveal(fits) {
  const here = tabs[view.tab];
  const tab = [here, ...tabs.filter((tab) => tab !== here)].find((tab) => tab.blocks.some(fits));
  if (!tab) return redraw();
  if (tab !== here) { view.tab = tabs.indexOf(tab); show(); } else redraw();
  const part = view.shown.find(({ block }) => fits(block));
  if (part) scrollTo_(part);
}

/** Brings the cursor, or else the first marked switch, into view. */
function scrollTo_(part) {
  const { block, canvas, rows, columns, side } = part;
  const row = view.cursor && view.cursor.block === block ? part.rowAt.get(view.cursor.row)
    : rows.findIndex((r) => view.marked.has(block.rows[r]));
  const column = view.cursor && view.cursor.block === block ? part.columnAt.get(view.cursor.column)
    : block.ports ? NONE : columns.findIndex((c) => view.marked.has(block.columns[c]));
  const box = canvas.getBoundingClientRect(), area = $("matrix").getBoundingClientRect();
  const y = box.top + part.top + Math.max(0, row ?? 0) * side, x = box.left + part.left + Math.max(0, column ?? 0) * side;
  if (y < area.top + 20 || y > area.bottom - 40) $("matrix").scrollTop += y - area.top - area.height / 2;
  if (x < area.left + 20 || x > area.right - 40) $("matrix").scrollLeft += x - area.left - area.width / 2;
}

/** Opens what would hide two switches. */
function openFor(...of) {
  if (of.every(isOpen)) return;
  view.pod = view.plane = NONE;
  $("pod").value = $("plane").value = String(NONE);
  show();
}

function revealPair(a, b) {
  openFor(a, b);
  const fits = (block) => !block.ports && block.rows.includes(a) && block.columns.includes(b) &&
    cellsOf(null, block).has(block.rows.indexOf(a) * block.columns.length + block.columns.indexOf(b));
  for (const tab of tabs) {
    const block = tab.blocks.find(fits);
    if (!block) continue;
    view.cursor = { block, row: block.rows.indexOf(a), column: block.columns.indexOf(b) };
    reveal((other) => other === block);
    selectCell(block, view.cursor);
    return;
  }
}
const revealLink = (l) => revealPair(L.a[l], L.b[l]);

function revealFinding(finding) {
  view.finding = data.found.indexOf(finding);
  if (finding.pair) revealPair(...finding.pair);
  else if (finding.link !== undefined) revealLink(finding.link);
  else {
    const known = finding.ends.find((one) => one.switch !== null);
    if (finding.host !== undefined) openFor(H.at[finding.host]);
    if (finding.host !== undefined) {
      view.tab = tabs.findIndex((tab) => tab.ports);
      show();
      const block = tabs[view.tab].blocks.find((block) => block.rows.includes(H.at[finding.host]));
      const cell = { row: block.rows.indexOf(H.at[finding.host]), column: block.columns.indexOf(H.port[finding.host]) };
      view.cursor = { block, ...cell };
      reveal((other) => other === block);
      $("detail").replaceChildren(el("h2", null, H.name[finding.host]),
        ...hostLines(finding.host).map((line) => el("p", null, line)));
    } else if (known) selectSwitch(known.switch);
  }
  say([findingText(finding)]);
}

// ---- The panels.

function showSummary() {
  const count = H.kind.filter((kind) => kind !== "aggregation node").length;
  const parts = [plural(switches, "switch", "switches"), plural(count, "host"), plural(links, "link")];
  if (hasRoutes) {
    const both = (of) => [...new Set(states.map(of))].join(" → ");
    parts.push(`A2A ${both(({ worst }) => worst)}`, `bound ${both(({ bound }) => bound ?? "none")}`);
  }
  $("summary").textContent = `${parts.join(", ")}. ${data.by}`;
}

function showLegend() {
  const entry = (text, color, ...marks) => {
    const canvas = el("canvas", { width: 28, height: 28, style: "width:14px;height:14px" });
    const context = canvas.getContext("2d");
    context.scale(2, 2);
    drawCell(context, 0.5, 0.5, 14, color, new Set(marks));
    return el("span", null, canvas, text);
  };
  const entries = [];
  if (view.change) {
    entries.push(entry("less load", colors.better), entry("the same", colors.load0), entry("more load", colors.worse));
  } else if (hasRoutes) {
    const { worst, bound } = state();
    const ranges = [0, 1, 2, 3, 4].map(() => []);
    for (let load = 0; load <= worst; load++) ranges[bin(state(), load)].push(load);
    ranges.forEach((range, at) => {
      if (!range.length) return;
      const [least, most] = [range[0], range[range.length - 1]];
      entries.push(entry(`load ${least === most ? least : `${least} to ${most}`}`, colors["load" + at]));
    });
    entries.push(el("span", null, `bound ${bound ?? "none"}`));
  }
  const used = markCounts();
  for (const mark of MARKS) {
    if (!used.get(mark)) continue;
    entries.push(entry(mark, ["missing", "removed"].includes(mark) ? null : colors.load0, mark));
  }
  if (view.ends.length > 1 || hasRoutes) {
    for (const direction of ["there", "back"]) {
      const canvas = el("canvas", { width: 14, height: 14 });
      const context = canvas.getContext("2d");
      context.strokeStyle = colors[direction];
      context.lineWidth = 3;
      context.strokeRect(2, 2, 10, 10);
      entries.push(el("span", null, canvas, `way ${direction}`));
    }
  }
  $("legend").replaceChildren(...entries);
}

/** How many cables have each mark in this state. */
function markCounts() {
  const counts = new Map();
  const missing = data.found.filter(({ kind }) => kind === "missing").length;
  const wrong = data.found.filter(({ kind }) => !["missing", "slow"].includes(kind)).length;
  const slow = data.found.filter(({ kind }) => kind === "slow").length;
  const { drained, gone } = view.change ? states[states.length - 1] : state();
  const all = [missing, slow, drained.size, wrong, gone.links.size + gone.hosts.size];
  MARKS.forEach((mark, at) => counts.set(mark, all[at]));
  return counts;
}

function showFilters() {
  const used = markCounts();
  const names = [...MARKS.filter((mark) => used.get(mark)), ...(hasRoutes ? ["worst"] : [])];
  const button = (name) => el("button", {
    "aria-pressed": view.filters.has(name), "data-filter": name,
    onclick: () => { view.filters.has(name) ? view.filters.delete(name) : view.filters.add(name); showAll(); },
  }, name + (used.has(name) ? ` ${number(used.get(name))}` : ""));
  $("filters").replaceChildren(...names.map(button));
}

const FOUND = 300;
function showFindings() {
  const items = data.found.slice(0, FOUND).map((finding) => el("li", null,
    el("button", { class: "plain", onclick: () => revealFinding(finding) }, findingText(finding))));
  const parts = [el("h2", null, data.found.length ? plural(data.found.length, "cable or host is", "cables or hosts are") +
    " not as should be" : "All cables are as they should be, as far as one can tell")];
  if (items.length) parts.push(el("ul", null, ...items));
  if (data.found.length > FOUND) parts.push(el("p", null, `and ${number(data.found.length - FOUND)} more`));
  if (hasRoutes) {
    const { risk } = state(), worst = [];
    for (let c = 0; c < risk.length; c++) {
      if (worst.length < 10 || risk[c] > risk[worst[9]]) {
        worst.push(c);
        worst.sort((a, b) => risk[b] - risk[a] || a - b);
        worst.length = Math.min(10, worst.length);
      }
    }
    parts.push(el("h2", null, "The worst ports"), el("ul", null, ...worst.filter((c) => risk[c] > 0).map((c) =>
      el("li", null, `load ${risk[c]} `, el("button", { class: "plain", onclick: () => revealLink(c >> 1) },
        `${end(from(c), fromPort(c))} -- ${end(to(c), toPort(c))}`)))));
  }
  const unknown = state().unknown.size;
  if (unknown) parts.push(el("p", { class: "bad" }, `The tables of ${plural(unknown, "switch", "switches")} are not known.`));
  $("findings").replaceChildren(...parts);
}

function badge(button, at) {
  const tab = tabs[at];
  const on = !tab.ports && view.ways.some((way) => ["there", "back"].some((direction) => way[direction].steps.some(
    ({ channel }) => tab.low === S.rank[L.a[channel >> 1]] && tab.high === S.rank[L.b[channel >> 1]])));
  button.textContent = tab.name + (on ? " •" : "");
  button.title = on ? "the way goes by here" : "";
}

function showStates() {
  if (states.length < 2) return;
  $("states").hidden = false;
  const choices = [...states.map(({ title }, at) => [title, at, false]), ["change", states.length - 1, true]];
  $("states").replaceChildren(...choices.map(([title, at, change]) => el("button", {
    "aria-pressed": view.change === change && (change || view.state === at), onclick: () => setState(at, change),
  }, title)));
}

function setState(at, change) {
  Object.assign(view, { state: at, change });
  showAll();
  showWay();
}

function showAll() {
  showStates();
  showFilters();
  showLegend();
  showFindings();
  show();
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  readColors();
  showLegend();
  redraw();
}
const theme = () => document.documentElement.dataset.theme;

function setTab(at) {
  if (at < 0 || at >= tabs.length) return;
  view.tab = at;
  show();
}

function setZoom(by) {
  view.zoom += by;
  show();
}

// ---- The search.

let results = [], chosen = 0;
function search() {
  const all = find($("find").value);
  results = all.slice(0, 50);
  chosen = 0;
  const items = results.map((thing, at) => el("li", {
    role: "option", id: `result-${at}`, "aria-selected": at === chosen,
    onmousedown: (event) => { event.preventDefault(); take(at); },
  }, thingText(thing)));
  if (all.length > results.length) items.push(el("li", { class: "soft" }, `and ${number(all.length - 50)} more`));
  if ($("find").value.trim() && !all.length) items.push(el("li", { class: "soft" }, "nothing is called so"));
  $("results").replaceChildren(...items);
  $("results").hidden = !items.length;
  $("find").setAttribute("aria-expanded", items.length > 0);
}

function take(at) {
  const thing = results[at];
  if (!thing) return;
  $("results").hidden = true;
  $("find").setAttribute("aria-expanded", false);
  $("find").value = "";
  $("find").blur();
  if (thing.switch !== undefined) { openFor(thing.switch); selectSwitch(thing.switch); }
  else { openFor(H.at[thing.hosts[0]]); selectHosts(thing); }
}

$("find").addEventListener("input", search);
$("find").addEventListener("blur", () => { $("results").hidden = true; });
$("find").addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === "Enter") take(chosen);
  else if (event.key === "Escape") { $("find").value = ""; search(); $("find").blur(); }
  else if (step && results.length) {
    chosen = (chosen + step + results.length) % results.length;
    [...$("results").children].forEach((item, at) => item.setAttribute("aria-selected", at === chosen));
    $(`result-${chosen}`).scrollIntoView({ block: "nearest" });
    $("find").setAttribute("aria-activedescendant", `result-${chosen}`);
  } else return;
  event.preventDefault();
});

// ---- The keys.

document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, select, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
  const finding = (by) => {
    if (!data.found.length) return;
    revealFinding(data.found[(Math.max(view.finding, by < 0 ? 0 : NONE) + by + data.found.length) % data.found.length]);
  };
  const choices = [...states.map((_, at) => [at, false]), [states.length - 1, true]];
  const keys = {
    "/": () => $("find").focus(), "?": () => $("help").showModal(), "[": () => setTab(view.tab - 1),
    "]": () => setTab(view.tab + 1), n: () => finding(1), p: () => finding(-1),
    b: () => {
      const now = choices.findIndex(([at, change]) => change === view.change && (change || at === view.state));
      if (states.length > 1) setState(...choices[(now + 1) % choices.length]);
    },
    w: () => { if (view.ends.length > 1) swapEnds(); },
    t: () => setTheme(theme() === "dark" ? "light" : "dark"),
    "+": () => setZoom(1), "=": () => setZoom(1), "-": () => setZoom(-1), Escape: clearAll,
  };
  if (/^[1-9]$/.test(event.key)) setTab(Number(event.key) - 1);
  else if (keys[event.key]) keys[event.key]();
  else return;
  event.preventDefault();
});

// ---- The beginning.

$("title").textContent = data.title;
$("theme").onclick = () => setTheme(theme() === "dark" ? "light" : "dark");
$("keys").onclick = () => $("help").showModal();
$("more").onclick = () => setZoom(1);
$("less").onclick = () => setZoom(-1);
$("tabs").append(...tabs.map((tab, at) => el("button", { role: "tab", onclick: () => setTab(at) }, tab.name)));
for (const [id, word, blocks] of [["pod", "pod", podBlocks], ["plane", "plane", planeBlocks]]) {
  $(id).hidden = blocks.length < 2;
  $(id).append(el("option", { value: NONE }, `every ${word}`), ...blocks.map((block, at) =>
    el("option", { value: at }, `${word} ${at + 1}: ${span(id === "pod" ? block.rows : block.columns)}`)));
  $(id).onchange = () => { view[id] = Number($(id).value); show(); };
}
const dark = matchMedia("(prefers-color-scheme: dark)");
document.documentElement.dataset.theme = dark.matches ? "dark" : "light";
dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));
let before = "light";
addEventListener("beforeprint", () => { before = theme(); setTheme("light"); });
addEventListener("afterprint", () => setTheme(before));
addEventListener("resize", () => show());
readColors();
showSummary();
showAll();
document.documentElement.dataset.shown = Math.round(performance.now());
const ready = readTables();
await ready;
document.documentElement.dataset.ready = Math.round(performance.now());
say([hasRoutes ? "Select two hosts to see the way there and back; ? tells the keys." : "? tells the keys."]);
})();
