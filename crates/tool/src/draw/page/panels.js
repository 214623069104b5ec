// ---- The panels.

function showSummary() {
  const both = (of) => [...new Set(states.map(of))];
  const count = (of, ...names) => {
    const counts = both(({ gone }) => of(gone));
    return [...counts.slice(0, -1).map(number), plural(counts[counts.length - 1], ...names)].join(" → ");
  };
  const parts = [
    count((gone) => switches - gone.switches.size, "switch", "switches"),
    count((gone) => H.kind.filter((kind, h) => takesPart(h) && !gone.hosts.has(h)).length, "host"),
    count((gone) => links - gone.links.size, "link"),
  ];
  if (hasRoutes) {
    const values = (of) => both(of).join(" → ");
    parts.push(`A2A ${values(({ worst }) => worst)}`, `bound ${values(({ bound }) => bound ?? "none")}`);
  }
  $("summary").textContent = `${parts.join(", ")}. ${data.by}`;
}

function showLegend() {
  const entry = (text, color, ...marks) => {
    const mark = (context) => drawCell(context, 0.5, 0.5, 14, color, new Set(marks));
    return el("span", null, paintOn(el("canvas"), 14, 14, mark), text);
  };
  const entries = [];
  if (hasRoutes) {
    const { bound } = state(), { loads, usual } = loadsHere(), ranges = new Map();
    for (const load of loads) ranges.set(shade(load), [(ranges.get(shade(load)) || [load])[0], load]);
    for (const [name, [least, most]] of ranges) {
      entries.push(entry(`load ${least === most ? least : `${least} to ${most}`}`, colors[name]));
    }
    const best = `at most the bound (${bound}), the best that tables can reach; orange and red: above it.`;
    const cool = `Blue: ${bound ? best : "no bound is known."}`;
    const dark = `Dark blue, red: at least twice the usual load (${usual}, the median of this matrix).`;
    if (loads.length) entries.push(el("span", null, `${cool} ${dark}`));
  }
  const used = markCounts();
  for (const mark of MARKS) {
    if (!used.get(mark)) continue;
    entries.push(entry(mark, [ABSENT, "removed"].includes(mark) ? null : colors.none, mark));
  }
  if (view.ends.length > 1 || hasRoutes) {
    for (const direction of ["there", "back"]) {
      const mark = (context) => {
        Object.assign(context, { strokeStyle: colors[direction], lineWidth: 3 });
        context.strokeRect(2, 2, 10, 10);
      };
      entries.push(el("span", null, paintOn(el("canvas"), 14, 14, mark), `way ${direction}`));
    }
  }
  $("legend").replaceChildren(...entries);
}

/** The number of cables with each mark in this state. */
function markCounts() {
  const known = [ABSENT, "slow", "suspect"].map((one) => data.found.filter(({ kind }) => kind === one).length);
  const { drained, gone } = state();
  const wrong = data.found.length - known.reduce((a, b) => a + b);
  const removed = (of) => [...gone[of]].filter((one) => !missing[of].has(one)).length;
  const rises = (state().risk || []).map((_, c) => rise(state(), c));
  const all = [...known, drained.size, wrong, removed("links") + removed("hosts"),
    rises.filter((by) => by > 0).length, rises.filter((by) => by < 0).length];
  return new Map(MARKS.map((mark, at) => [mark, all[at]]));
}

function showFilters() {
  const used = markCounts();
  const names = [...MARKS.filter((mark) => used.get(mark)), ...(hasRoutes ? ["worst"] : [])];
  for (const filter of view.filters) if (!names.includes(filter)) view.filters.delete(filter);
  const button = (name) => el("button", {
    "aria-pressed": view.filters.has(name), "data-filter": name,
    onclick: () => { view.filters.has(name) ? view.filters.delete(name) : view.filters.add(name); showAll(); },
  }, name + (used.has(name) ? ` ${number(used.get(name))}` : ""));
  refill($("filters"), ...names.map(button));
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
      el("li", null, `load ${risk[c]} `, rise(state(), c) ? `(was ${states[0].risk[c] ?? 0}) ` : "",
        el("button", { class: "plain", onclick: () => revealLink(c >> 1) },
        `${end(from(c), fromPort(c))} -- ${end(to(c), toPort(c))}`)))));
  }
  const unknown = state().unknown.size;
  if (unknown) parts.push(el("p", { class: "bad" }, `The tables of ${plural(unknown, "switch", "switches")} are not known.`));
  refill($("findings"), ...parts);
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
  refill($("states"), ...states.map(({ title }, at) => el("button", {
    "aria-pressed": view.state === at, onclick: () => setState(at),
  }, title)));
}

function setState(at) {
  view.state = at;
  showAll();
  showWay();
  say([`${state().title}: A2A ${state().worst}, bound ${state().bound ?? "none"}`]);
}

/** What the last state has changed; the number of entries comes with the tables. */
async function showChanged() {
  if (states.length < 2) return;
  const [first, last] = [states[0], states[states.length - 1]];
  const gone = (of) => [...last.gone[of]].filter((one) => !missing[of].has(one));
  const list = (items, button) => [...items.slice(0, LISTED).flatMap((item) => [" ", button(item)]),
    items.length > LISTED ? " …" : ""];
  const [boxes, cables, nodes] = ["switches", "links", "hosts"].map(gone);
  const moved = el("li", null, "…");
  const counts = [1, -1].map((sign) => last.risk.filter((_, c) => sign * rise(last, c) > 0).length);
  $("changed").replaceChildren(el("h2", null, `From ${first.title} to ${last.title}`), el("ul", null,
    el("li", null, `gone: ${plural(boxes.length, "switch", "switches")}`, ...list(boxes, switchButton)),
    el("li", null, `gone: ${plural(cables.length, "link")}, ${plural(nodes.length, "host")}`, ...list(nodes, hostButton)),
    el("li", null, `load rose at ${plural(counts[0], "port")}, fell at ${number(counts[1])}`), moved));
  await ready;
  let entries = 0, changed = 0;
  for (let s = 0; s < switches; s++) {
    if (last.gone.switches.has(s)) continue;
    const before = entries;
    for (let at = s * width; at < (s + 1) * width; at++) if (first.rows[at] !== last.rows[at]) entries++;
    if (entries > before) changed++;
  }
  moved.textContent = `${plural(entries, "entry", "entries")} of ${plural(changed, "switch", "switches")} moved`;
}

function showAll() {
  showStates();
  showFilters();
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
  $("find").setAttribute("aria-activedescendant", results.length ? "result-0" : "");
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
  const keys = {
    "/": () => $("find").focus(), "?": () => $("help").showModal(), "[": () => setTab(view.tab - 1),
    "]": () => setTab(view.tab + 1), n: () => finding(1), p: () => finding(-1),
    b: () => { if (states.length > 1) setState(1 - view.state); },
    w: () => { if (view.ends.length > 1) swapEnds(); },
    t: () => setTheme(theme() === "dark" ? "light" : "dark"),
    s: savePicture, "+": () => setZoom(1), "=": () => setZoom(1), "-": () => setZoom(-1), Escape: clearAll,
  };
  if (/^[1-9]$/.test(event.key)) setTab(Number(event.key) - 1);
  else if (keys[event.key]) keys[event.key]();
  else return;
  event.preventDefault();
});

// ---- The beginning.

$("title").textContent = data.title;
$("theme").onclick = () => setTheme(theme() === "dark" ? "light" : "dark");
$("save").onclick = savePicture;
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
await Promise.all([ready, showChanged()]);
document.documentElement.dataset.ready = Math.round(performance.now());
say([hasRoutes ? "Select two hosts to see the way there and back; ? tells the keys." : "? tells the keys."]);
