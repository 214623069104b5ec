// ---- The matrices.

const regular = data.tabs.filter((tab) => tab.high === tab.low + 1);
const pods = new Int32Array(switches).fill(NONE), planes = new Int32Array(switches).fill(NONE);
const blocksOf = (tab) => (tab ? tab.blocks.filter((block) => !block.stray) : []);
const podBlocks = regular.length > 1 ? blocksOf(regular[0]) : [];
const planeBlocks = blocksOf(regular[regular.length - 1]);
for (const [blocks, of] of [[podBlocks, pods], [planeBlocks, planes]]) {
  blocks.forEach((block, at) => { for (const s of [...block.rows, ...block.columns]) of[s] = at; });
}
const span = (of) => (of.length > 1 ? `${S.label[of[0]]} … ${S.label[of[of.length - 1]]}` : S.label[of[0]]);

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
  tab: 0, usual: 0, state: states.length - 1, filters: new Set(), pod: NONE, plane: NONE, zoom: 0,
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

/** The load of links, the greatest in both directions; NONE without tables. */
function loadOf(state, { links }) {
  if (!state.risk) return NONE;
  let most = NONE;
  for (const l of links) most = Math.max(most, state.risk[2 * l] ?? NONE, state.risk[2 * l + 1] ?? NONE);
  return most;
}

/** The loads of the links in the matrix in view, ascending, and the usual one: the median of those in use. */
function loadsHere() {
  const { low, high } = tabs[view.tab] || {}, loads = [];
  for (let l = 0; l < links; l++) {
    if (S.rank[L.a[l]] === low && S.rank[L.b[l]] === high) loads.push(loadOf(state(), { links: [l] }));
  }
  const there = loads.filter((load) => load !== NONE).sort((a, b) => a - b), used = there.filter((load) => load > 0);
  return { loads: there, usual: used[used.length >> 1] || 0 };
}

/** The colour of a load: cool up to the bound, the best that tables can reach, and warm above it; dark from twice the
 * usual load on. Where the bound says nothing, all is cool. */
function shade(load) {
  return load ? (load <= (state().bound || Infinity) ? "cool" : "warm") + (load < 2 * view.usual ? 1 : 2) : "none";
}

function cellMarks(state, cell) {
  const marks = new Set(cell.links.flatMap((l) => marksOf(state, l)));
  if (cell.missing.some((finding) => finding.kind === ABSENT)) marks.add(ABSENT);
  if (cell.missing.some((finding) => finding.kind !== ABSENT)) marks.add("wrong");
  if (cell.host !== NONE && slowHosts.has(cell.host)) marks.add("slow");
  if (cell.host !== NONE && state.gone.hosts.has(cell.host)) {
    marks.add(missing.hosts.has(cell.host) ? ABSENT : "removed");
  }
  return marks;
}

/** Whether a load is among the worst: the greatest of all, and lower loads as long as few ports have them. */
const isWorst = (state, load) => load > 0 && load >= state.worstFrom;

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
  for (const name of ["paper", "panel", "line", "ink", "soft", "accent", "none", "cool1", "cool2", "warm1", "warm2",
    "plain", "mark", "there", "back", "count"]) {
    colors[name] = style.getPropertyValue("--" + name).trim();
  }
}

/** The fill of a cell; null if its host or links are not there. */
function fill(cell) {
  if (cell.host !== NONE) return state().gone.hosts.has(cell.host) ? null : colors.plain;
  if (cell.links.every((l) => state().gone.links.has(l))) return null;
  const load = loadOf(state(), cell);
  return load === NONE ? colors.plain : colors[shade(load)];
}

function drawCell(context, x, y, side, color, marks) {
  const gap = side > 5 ? 1 : side > 2 ? 0.5 : 0, size = side - gap;
  if (color) {
    context.fillStyle = color;
    context.fillRect(x, y, size, size);
  }
  context.lineWidth = Math.max(1, Math.min(3, side / 8));
  const line = (color, ...points) => {
    context.strokeStyle = color;
    context.beginPath();
    points.forEach(([dx, dy], at) => context[at % 2 ? "lineTo" : "moveTo"](x + dx * size, y + dy * size));
    context.stroke();
  };
  const ink = color ? colors.count : colors.ink;
  const triangle = (...points) => {
    context.fillStyle = ink;
    context.beginPath();
    points.forEach(([x, y], at) => context[at ? "lineTo" : "moveTo"](x, y));
    context.fill();
  };
  if (side < 9 && ["missing", "planned", "suspect", "wrong"].some((mark) => marks.has(mark))) {
    context.fillStyle = colors.mark;
    context.fillRect(x, y, size, size);
    return;
  }
  if (marks.has("drained")) {
    context.fillStyle = colors.paper;
    context.fillRect(x + 1, y + 1, size - 2, size - 2);
    const edge = Math.min(6, size * 0.35);
    if (color) { context.fillStyle = color; context.fillRect(x, y + edge, size, size - 2 * edge); }
    line(colors.ink, [0, 0], [1, 0], [0, 1], [1, 1]);
  }
  const part = Math.min(12, size * 0.6), [right, low] = [x + size, y + size];
  if (marks.has("slow")) triangle([x, low], [x + part, low], [x, low - part]);
  if (marks.has("rose")) triangle([right - part, y + part / 2], [right, y + part / 2], [right - part / 2, y]);
  if (marks.has("fell")) triangle([right - part, low - part / 2], [right, low - part / 2], [right - part / 2, low]);
  if (marks.has("suspect")) {
    const font = `bold ${part + 2}px sans-serif`;
    Object.assign(context, { font, fillStyle: ink, textAlign: "left", textBaseline: "middle" });
    context.fillText("?", x + 1, y + part / 2 + 1);
  }
  if (marks.has("planned")) {
    context.strokeStyle = colors.mark;
    context.setLineDash([3, 2]);
    context.strokeRect(x + 0.5, y + 0.5, size - 1, size - 1);
    context.setLineDash([]);
  }
  if (marks.has("wrong")) {
    context.strokeStyle = colors.mark;
    context.strokeRect(x + 0.5, y + 0.5, size - 1, size - 1);
  }
  if (marks.has("missing")) line(colors.mark, [0.1, 0.1], [0.9, 0.9], [0.9, 0.1], [0.1, 0.9]);
  if (marks.has("removed")) line(ink, [0.1, 0.1], [0.9, 0.9], [0.9, 0.1], [0.1, 0.9]);
}

// The least sides of cells with readable names beside them, and with a readable text in them; the largest side.
const NAMED = 11, COUNTED = 16, LARGEST = 240;
const fontOf = (pixels) => `${pixels}px system-ui, sans-serif`;
const FONT = fontOf(10);

/** Gives a canvas its size, and paints it; the picture calls the same `paint`. */
function paintOn(canvas, wide, high, paint) {
  const ratio = Math.min(window.devicePixelRatio || 1, 8000 / Math.max(wide, high));
  Object.assign(canvas, { width: wide * ratio, height: high * ratio, paint });
  Object.assign(canvas.style, { width: `${wide}px`, height: `${high}px` });
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  paint(context);
  return canvas;
}

/** Gives a part the measures that it has with cells of a side. */
function measureFor(part, side) {
  const { block, rows, columns } = part;
  part.lines ??= widthOf(captionOf(part).join(""), fontOf(13));
  part.widest ??= [rows.map((r) => S.label[block.rows[r]]), columns.map((c) => columnName(block, c))].map((texts) =>
    Math.ceil(Math.max(...texts.map((text) => widthOf(text, `bold ${FONT}`)))));
  const pixels = Math.max(10, Math.min(16, Math.floor(side / 4)));
  const [left, top] = [172, 142].map((most, at) =>
    (side < NAMED ? 2 : Math.ceil(Math.min(most, part.widest[at]) * pixels / 10) + 8));
  const [wide, high] = [left + columns.length * side + 2, top + rows.length * side + 2];
  Object.assign(part, { side, pixels, left, top, wide, high });
}

/** The side of a cell: the largest with which all parts fit the window side by side, times the reader's zoom. */
function sideOf(parts) {
  const most = Math.max(1, ...parts.flatMap(({ rows, columns }) => [rows.length, columns.length]));
  const width = $("matrix").clientWidth - 28, height = Math.max($("matrix").clientHeight, innerHeight / 2) - 20;
  const fits = (side) => {
    let x = 0, y = 0, line = 0;
    for (const part of parts) {
      measureFor(part, side);
      const wide = Math.max(part.wide, 150), caption = 8 + 17 * Math.ceil(part.lines / wide);
      if (x && x + wide > width) [x, y, line] = [0, y + line + 14, 0];
      [x, line] = [x + wide + 14, Math.max(line, part.high + caption)];
      if (wide > width || y + line > height) return false;
    }
    return true;
  };
  let fit = LARGEST;
  while (fit > 6 && !fits(fit)) fit--;
  const zoomed = Math.round(fit * 1.3 ** view.zoom);
  return Math.max(2, Math.min(LARGEST, zoomed, Math.floor(8000 / most)));
}

/** What a part is, for a reader who does not see it. */
function partLabel({ block, rows, columns }) {
  const cells = [...block.cells.values()], marked = new Map();
  const marks = cells.flatMap((cell) => [...cellMarks(state(), cell)]);
  for (const mark of marks) marked.set(mark, (marked.get(mark) || 0) + 1);
  const most = Math.max(...cells.map((cell) => loadOf(state(), cell)));
  const what = [`${rows.length} by ${columns.length}`, most > NONE ? `load up to ${most}` : "",
    ...[...marked].map(([mark, count]) => `${count} ${mark}`)].filter(Boolean).join(", ");
  return `${block.name || tabs[view.tab].name}: ${what}; arrow keys go from cell to cell and to the names`;
}

/** The name of a part, and what it has. */
function captionOf({ block, rows, columns }) {
  const lower = span(rows.map((r) => block.rows[r]));
  const upper = block.ports ? ", by port" : ` by ${span(columns.map((c) => block.columns[c]))}`;
  return [block.name, `${block.name && " "}${lower}${upper}`];
}

function show() {
  view.usual = loadsHere().usual;
  showLegend();
  const tab = tabs[view.tab], held = $("matrix").contains(document.activeElement);
  $("matrix").replaceChildren();
  $("matrix").setAttribute("aria-label", tab ? tab.name : "nothing");
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
    measureFor(part, side);
    part.canvas = el("canvas", {
      tabindex: 0, role: "application", "aria-label": partLabel(part), "aria-describedby": "status",
      onmousemove: (event) => hover(part, event), onmouseleave: () => { $("tip").hidden = true; },
      onclick: (event) => click(part, event), onkeydown: (event) => cellKey(part, event),
    });
    const [name, what] = captionOf(part);
    const caption = el("figcaption", null, name ? el("b", null, name) : null, what);
    const figure = el("figure", { class: block.stray ? "stray" : "" }, caption, part.canvas);
    $("matrix").append(figure);
    view.shown.push(part);
    draw(part);
    caption.style.maxWidth = `${Math.max(part.canvas.clientWidth, 150)}px`;
  }
  if (!blocks.length) {
    $("matrix").append(el("p", { class: "soft" }, tab ? "Nothing here passes the filters." : "No links and no hosts."));
  }
  const own = view.shown.find(({ block }) => view.cursor?.block === block) || view.shown[0];
  if (held) own?.canvas.focus({ preventScroll: true });
}

/** A switch, or a port: its label if the port has the same at all switches. */
function columnName(block, c) {
  if (!block.ports) return S.label[block.columns[c]];
  const names = new Set(block.rows.map((s) => portName(s, block.columns[c])));
  return names.size === 1 ? [...names][0] : String(block.columns[c]);
}

/** What a cell says where there is room: its host, or the ports of its links and their load, or the number of links. */
function cellText({ side, pixels }, cell) {
  if (side < COUNTED || !fill(cell)) return [];
  const links = cell.links.filter((l) => !state().gone.links.has(l));
  const ports = links.map((l) => [portName(L.a[l], L.p[l]), portName(L.b[l], L.q[l])]);
  const short = ports.map((ends) => ends.join(" – "));
  const loads = hasRoutes ? [...new Set([states[0], state()].map((state) => loadOf(state, cell)))].join(" → ") : "";
  const texts = cell.host !== NONE ? [[H.label[cell.host]]] : [[...short, ...(loads && [`load ${loads}`])],
    ...(loads.includes("→") ? [[...short, loads]] : []), short, ports.flat(), links.length > 1 ? [links.length] : []];
  const fits = (lines) => lines.length * (pixels + 2) < side - 4 &&
    lines.every((line) => widthOf(line, fontOf(pixels)) < side - 6);
  return texts.find(fits) || [];
}

function draw(part) {
  const { rows, columns, canvas } = part;
  part.rowAt = new Map(rows.map((r, at) => [r, at]));
  part.columnAt = new Map(columns.map((c, at) => [c, at]));
  paintOn(canvas, part.wide, part.high, (context) => paint(part, context));
}

function paint(part, context) {
  const { block, rows, columns, side } = part, font = fontOf(part.pixels);
  context.fillStyle = colors.panel;
  context.fillRect(part.left, part.top, columns.length * side, rows.length * side);
  if (side >= NAMED) {
    context.textAlign = "right";
    context.textBaseline = "middle";
    const bold = (is) => {
      context.fillStyle = is ? colors.ink : colors.soft;
      context.font = is ? `bold ${font}` : font;
    };
    rows.forEach((r, at) => {
      bold(view.marked.has(block.rows[r]));
      context.fillText(S.label[block.rows[r]], part.left - 4, part.top + (at + 0.5) * side, part.left - 6);
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
    const lines = cellText(part, cell), first = at[1] + (side - (lines.length - 1) * (part.pixels + 2)) / 2;
    Object.assign(context, { font, fillStyle: colors.count, textAlign: "center", textBaseline: "middle" });
    lines.forEach((line, down) => context.fillText(line, at[0] + side / 2, first + down * (part.pixels + 2)));
    context.globalAlpha = 1;
    for (const color of wayColors(cell)) outlines.push([at, color]);
  }
  context.lineWidth = Math.max(2, Math.min(5, side / 6));
  outlines.forEach(([[x, y], color], at) => {
    const inset = outlines.slice(0, at).some(([[u, v]]) => u === x && v === y) ? 2.5 : 0;
    context.strokeStyle = colors[color];
    context.strokeRect(x - 0.5 + inset, y - 0.5 + inset, Math.max(1, side - 2 * inset), Math.max(1, side - 2 * inset));
  });
  if (view.cursor && view.cursor.block === block) {
    const { row, column } = view.cursor;
    const x = part.left + (part.columnAt.get(column) ?? NONE) * side;
    const y = part.top + (part.rowAt.get(row) ?? NONE) * side;
    const [left, top] = [column === NONE ? 1 : x - 1, row === NONE ? 1 : y - 1];
    if ((column === NONE || x >= part.left) && (row === NONE || y >= part.top)) {
      context.strokeStyle = colors.ink;
      context.lineWidth = 2;
      context.setLineDash([3, 2]);
      context.strokeRect(left, top, column === NONE ? part.left - 2 : side + 1, row === NONE ? part.top - 2 : side + 1);
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

/** The colours of the ways through a cell. */
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
