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

/** The colour of a load: none, up to half of the bound, up to the bound, up to twice the bound, more. */
function bin(state, load) {
  const bound = state.bound || 0;
  return [0, Math.floor(bound / 2), bound, 2 * bound].filter((limit) => load > limit).length;
}

function cellMarks(state, cell) {
  const marks = new Set(cell.links.flatMap((l) => marksOf(state, l)));
  if (cell.missing.some((finding) => finding.kind === "missing")) marks.add("missing");
  if (cell.missing.some((finding) => finding.kind !== "missing")) marks.add("wrong");
  if (cell.host !== NONE && slowHosts.has(cell.host)) marks.add("slow");
  if (cell.host !== NONE && state.gone.hosts.has(cell.host)) {
    marks.add(missing.hosts.has(cell.host) ? "missing" : "removed");
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
  for (const name of ["paper", "panel", "line", "ink", "soft", "accent", "load0", "load1", "load2", "load3", "load4",
    "plain", "mark", "there", "back", "better", "worse", "count"]) {
    colors[name] = style.getPropertyValue("--" + name).trim();
  }
}

/** The fill of a cell; null if its host or links are not there. */
function fill(cell) {
  if (cell.host !== NONE) return state().gone.hosts.has(cell.host) ? null : colors.plain;
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
  if (side < 9 && (marks.has("missing") || marks.has("wrong"))) {
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

// The least sides of cells with readable names beside them, and with a readable number of links in them.
const NAMED = 11, COUNTED = 16;
const FONT = "10px system-ui, sans-serif";

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

/** The side of a cell: the largest with which all blocks may fit the window, times the reader's zoom. */
function sideOf(blocks) {
  const columns = Math.max(1, ...blocks.map(({ columns }) => columns.length));
  const rows = Math.max(1, ...blocks.map(({ rows }) => rows.length));
  const { clientWidth } = $("matrix");
  const clientHeight = Math.max($("matrix").clientHeight, innerHeight / 2);
  const area = (side) => blocks.reduce((sum, { rows, columns }) => {
    const names = side < NAMED ? 20 : 90;
    return sum + (columns.length * side + names) * (rows.length * side + names + 40);
  }, 0);
  let fit = 32;
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

const columnName = (block, c) => (block.ports ? String(block.columns[c]) : S.label[block.columns[c]]);

function draw(part) {
  const { block, rows, columns, side, canvas } = part;
  const room = (texts, most) => (side < NAMED ? 2
    : Math.min(most, Math.ceil(Math.max(...texts.map((text) => widthOf(text, FONT)))) + 8));
  part.left = room(rows.map((r) => S.label[block.rows[r]]), 180);
  part.top = room(columns.map((c) => columnName(block, c)), 150);
  part.rowAt = new Map(rows.map((r, at) => [r, at]));
  part.columnAt = new Map(columns.map((c, at) => [c, at]));
  const [wide, high] = [part.left + columns.length * side + 2, part.top + rows.length * side + 2];
  paintOn(canvas, wide, high, (context) => paint(part, context));
}

function paint(part, context) {
  const { block, rows, columns, side } = part;
  context.fillStyle = colors.panel;
  context.fillRect(part.left, part.top, columns.length * side, rows.length * side);
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
    if (side >= COUNTED && cell.links.length > 1 && fill(cell)) {
      Object.assign(context, { font: FONT, fillStyle: colors.count, textAlign: "center", textBaseline: "middle" });
      context.fillText(cell.links.length, at[0] + side / 2, at[1] + side / 2);
    }
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
