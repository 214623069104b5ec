// ---- The texts of things shown.

function loadText(state, l) {
  if (!state.risk) return "";
  const [up, down] = [state.risk[2 * l], state.risk[2 * l + 1]];
  if (up === null) return missing.links.has(l) ? ABSENT : "removed";
  return `load ${up} up, ${down} down, bound ${state.bound ?? "none"}`;
}

function linkLines(l) {
  const lines = [cable(l) + (speed(L.speed[l]) ? ` ${speed(L.speed[l])}` : "")];
  const of = (state) => (states.length > 1 ? `${state.title}: ` : "") + loadText(state, l);
  if (hasRoutes) lines.push(...states.map(of));
  if (state().drained.has(l)) lines.push("drained");
  for (const finding of slowLinks.get(l) || []) lines.push(`slow: ${finding.reason}`);
  for (const finding of suspectLinks.get(l) || []) lines.push(`suspect: ${finding.reason}`);
  for (const finding of wrongLinks.get(l) || []) lines.push(findingText(finding));
  if (!hasRoutes && missing.links.has(l)) lines.push(ABSENT);
  return lines;
}

const findingText = (finding) => `${finding.kind}: ${finding.text}${finding.reason ? `: ${finding.reason}` : ""}`;

function hostLines(h) {
  const lines = [`${H.label[h]} at ${end(H.at[h], H.port[h])}`,
    `${H.kind[h] || "host"}, GUID ${H.guid[h]}${H.lid[h] ? `, LID ${H.lid[h]}` : ""}${speed(H.speed[h]) ? `, ${speed(H.speed[h])}` : ""}`];
  for (const finding of slowHosts.get(h) || []) lines.push(`slow: ${finding.reason}`);
  if (state().gone.hosts.has(h)) lines.push(missing.hosts.has(h) ? ABSENT : "removed");
  return lines;
}

/** The switch of a name beside the rows or above the columns. */
const headOf = (block, { row, column }) =>
  (column === NONE ? block.rows[row] : row === NONE ? block.columns[column] : NONE);

function cellLines(block, { row, column }) {
  const head = headOf(block, { row, column });
  if (head !== NONE) return switchLines(head);
  const cell = block.cells.get(row * block.columns.length + column);
  const s = block.rows[row];
  if (block.ports) {
    return cell ? hostLines(cell.host) : [`${end(s, block.columns[column])}: no host`];
  }
  const t = block.columns[column];
  const count = cell ? cell.links.filter((l) => !missing.links.has(l)).length : 0;
  const first = `${S.label[s]} -- ${S.label[t]}: ${count ? plural(count, "link") : "no link"}`;
  const lines = (cell ? cell.links : []).slice(0, 6).flatMap(linkLines);
  const rest = cell ? cell.links.length - 6 : 0;
  const more = rest > 0 ? [`and ${rest} more`] : [];
  return [first, ...lines, ...more, ...(cell ? cell.missing : []).map(findingText)];
}

function say(lines) {
  $("status").textContent = lines.join(" · ");
}

// ---- The reader's actions.

/** The cell below the mouse; a name beside or above has no column or no row. */
function cellAt(part, event) {
  const box = part.canvas.getBoundingClientRect();
  const scale = box.width / parseFloat(part.canvas.style.width);
  const c = Math.floor(((event.clientX - box.left) / scale - part.left) / part.side);
  const r = Math.floor(((event.clientY - box.top) / scale - part.top) / part.side);
  const row = r < 0 ? NONE : part.rows[r], column = c < 0 ? NONE : part.columns[c];
  const nothing = row === undefined || column === undefined || Math.max(r, c) < 0 || (r < 0 && part.block.ports);
  return nothing ? null : { row, column };
}

function hover(part, event) {
  const tip = $("tip"), at = cellAt(part, event);
  tip.hidden = !at;
  if (!at) return;
  tip.textContent = cellLines(part.block, at).join("\n");
  tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8))}px`;
  const below = event.clientY + 18;
  tip.style.top = `${below + tip.offsetHeight > innerHeight ? Math.max(4, event.clientY - tip.offsetHeight - 10) : below}px`;
}

const switchLines = (s) => [`${S.name[s]} ${S.guid[s]}`,
  `level ${S.rank[s]}, ${missing.switches.has(s) ? ABSENT : `LID ${S.lid[s]}`}, ${plural(hostsOf[s].filter(takesPart).length, "host")}`];

function click(part, event) {
  const at = cellAt(part, event);
  if (at) selectCell(part.block, at);
}

function cellKey(part, event) {
  const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const own = view.cursor && view.cursor.block === part.block ? view.cursor : null;
  if (event.key === "Enter" && own) selectCell(part.block, own);
  else if (moves[event.key]) {
    const [dr, dc] = own ? moves[event.key] : [0, 0];
    const step = (of, now, by) => [NONE, ...of][Math.max(0, Math.min(of.length, of.indexOf(now) + 1 + by))];
    const row = step(part.rows, own ? own.row : part.rows[0], dr);
    const column = step(part.columns, own ? own.column : part.columns[0], dc);
    if (row !== NONE || (column !== NONE && !part.block.ports)) view.cursor = { block: part.block, row, column };
    redraw();
    scrollTo_(part);
    say(cellLines(part.block, view.cursor));
  } else return;
  event.preventDefault();
}

function selectCell(block, { row, column }) {
  view.cursor = { block, row, column };
  if (headOf(block, view.cursor) !== NONE) return selectSwitch(headOf(block, view.cursor));
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

const switchButton = (s) => el("button", { class: "plain", onclick: () => selectSwitch(s) }, S.label[s]);
const hostButton = (h) => el("button", { class: "plain", onclick: () => selectHosts(hostThing(h)) }, H.label[h]);

function showCell(s, t, cell) {
  const items = (cell ? cell.links : []).map((l) => {
    const lines = linkLines(l);
    const who = hasRoutes ? [0, 1].map((down) => whoUses(2 * l + down, down ? "down" : "up")) : [];
    return el("li", null, el("b", null, lines[0]), ...lines.slice(1).map((line) => el("div", null, line)), ...who);
  });
  const missing = (cell ? cell.missing : []).map((finding) => el("li", { class: "bad" }, findingText(finding)));
  refill($("detail"),
    el("h2", null, switchButton(s), " -- ", switchButton(t)),
    items.length + missing.length ? el("ul", null, ...items, ...missing) : el("p", null, "no link"));
}

/** The hosts whose routes use a channel, listed when the reader opens the element. */
function whoUses(channel, word, of = state()) {
  const body = el("div", null);
  const details = el("details", { class: "who" }, el("summary", null, `who uses it${word ? ` ${word}` : ""}`), body);
  details.addEventListener("toggle", async () => {
    if (!details.open || body.childNodes.length) return;
    body.append("…");
    await ready;
    if (of.gone.links.has(channel >> 1)) return body.replaceChildren(el("p", null, `${of.title}: it is not there`));
    const { sources, destinations } = users(of, channel);
    const head = `${states.length > 1 ? `${of.title}: ` : ""}${plural(sources.length, "host")} to ` +
      plural(destinations.length, "host");
    return body.replaceChildren(el("p", null, head), nameList("from", sources), nameList("to", destinations));
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
  refill($("detail"), ...[
    el("h2", null, S.label[s]),
    el("p", null, S.name[s] === S.label[s] ? "" : `${S.name[s]} `, `${S.guid[s]}${S.lid[s] ? `, LID ${S.lid[s]}` : ""}, level ${S.rank[s]}${place.join("")}, ${S.ports[s]} ports` +
      (missing.switches.has(s) ? `, ${ABSENT}` : state().gone.switches.has(s) ? ", removed" : "")),
    el("p", null, el("button", { onclick: () => addEnd(switchThing(s)) }, "a way from or to here")),
    list("above", links((by) => by > 0)), list("beside", links((by) => by === 0)), list("below", links((by) => by < 0)),
    list(plural(own.length, "host"), own.flatMap((h, at) => [at ? ", " : "", hostButton(h)])),
  ].filter(Boolean));
  reveal((block) => block.rows.includes(s) || (!block.ports && block.columns.includes(s)));
  say(switchLines(s));
}

/** Selects a host, or all ports of a server, as an end of a way. */
function selectHosts(thing) {
  view.marked = new Set(thing.hosts.map((h) => H.at[h]));
  const items = thing.hosts.map((h) => {
    const lines = hostLines(h);
    return el("li", null, H.label[h], " at ", switchButton(H.at[h]), ` [${portText(H.at[h], H.port[h])}]`,
      ...lines.slice(1).map((line) => el("div", { class: "soft" }, line)));
  });
  refill($("detail"), el("h2", null, thing.name), el("ul", null, ...items));
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
/** The pairs of ports of two ends that are in one network, or all pairs if none are. */
function pairs([a, b]) {
  const ports = (thing) => (thing.switch !== undefined
    ? [{ name: thing.name, start: thing.switch, target: switchTarget(thing.switch) }]
    : thing.hosts.map((h) => ({ name: H.label[h], start: H.at[h], target: hostTarget(h) })));
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
  if (!a) return void refill($("way"));
  const head = el("p", null, chip(a, "from"), chip(b, "to"), b ? swap : null, " ", clear);
  if (!b) {
    refill($("way"), el("h2", null, "Way"), head,
      el("p", { class: "soft" }, hasRoutes ? "Select another host to see the way there and back." : "No tables are given, so there are no ways."));
    return void redraw();
  }
  refill($("way"), el("h2", null, "Way"), head);
  if (!hasRoutes) return void $("way").append(el("p", { class: "soft" }, "No tables are given, so there are no ways."));
  await ready;
  if (view.ends[0] !== a || view.ends[1] !== b) return;
  view.ways = pairs(view.ends).map(([one, other]) => ({
    one, other, there: follow(state(), one.start, other.target), back: follow(state(), other.start, one.target),
  }));
  view.ways.forEach((way, at) => {
    const parts = [wayPart(way, "there"), wayPart(way, "back")];
    if (view.ways.length === 1) $("way").append(...parts);
    else {
      const title = el("summary", null, `${way.one.name} -- ${way.other.name}`);
      $("way").append(el("details", { open: at < 2 }, title, ...parts));
    }
  });
  for (const [at, button] of [...$("tabs").children].entries()) badge(button, at);
  redraw();
}

/** The steps of a way in a state. */
function hopList(state, steps) {
  return el("ol", null, ...steps.map(({ channel, turns }) => {
    const load = state.risk[channel], marks = marksOf(state, channel >> 1);
    return el("li", { class: "hop" }, `${isUp(channel) ? (turns ? "up AGAIN" : "up") : "down"} `,
      el("button", { class: "plain", onclick: () => revealLink(channel >> 1) },
        `${end(from(channel), fromPort(channel))} -- ${end(to(channel), toPort(channel))}`),
      " ", el("span", { class: load > (state.bound || Infinity) ? "over" : "" }, `load ${load}`),
      marks.length ? ` (${marks.join(", ")})` : "", whoUses(channel, "", state));
  }));
}

/** One direction of a way, hop by hop; if it has moved, what it was, too. */
function wayPart(way, direction) {
  const { steps, lost } = way[direction];
  const [from_, to_] = direction === "there" ? [way.one, way.other] : [way.other, way.one];
  const gone = [from_, to_].find(({ target }) => isGone(state(), target));
  if (gone) return el("div", { class: direction }, el("h3", null, `${direction}: ${gone.name} is not there`));
  const channels = (steps) => steps.map(({ channel }) => channel).join();
  const was = follow(states[0], from_.start, to_.target).steps;
  const moved = channels(was) !== channels(steps);
  const heading = `${direction}: ${from_.name} to ${to_.name}, ${plural(steps.length, "hop")}${moved ? ", moved" : ""}`;
  return el("div", { class: direction }, el("h3", null, heading), hopList(state(), steps),
    lost ? el("p", { class: "bad" }, `LOST: ${lost}`) : el("p", { class: "soft" },
      to_.target.port ? `arrives by ${end(to_.target.at, to_.target.port)}` : "arrives"),
    moved ? el("details", { class: "was" }, el("summary", null, states[0].title), hopList(states[0], was)) : null);
}

function swapEnds() {
  view.ends.reverse();
  showWay();
}

function clearAll() {
  Object.assign(view, { ends: [], ways: [], cursor: null, marked: new Set() });
  for (const id of ["way", "detail"]) refill($(id));
  [...$("tabs").children].forEach(badge);
  say([]);
  redraw();
}

/** Scrolls to the first block that fits, in this tab or else in another. */
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

/** Shows every pod and plane if the reader's choice hides one of these switches. */
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
      refill($("detail"), el("h2", null, H.label[finding.host]),
        ...hostLines(finding.host).map((line) => el("p", null, line)));
    } else if (known) selectSwitch(known.switch);
  }
  say([findingText(finding)]);
}
