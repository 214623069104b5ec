// ---- Ways: the routes of packets.

const hostTarget = (h) => ({ column: h, at: H.at[h], port: H.port[h] });
const switchTarget = (s) => ({ column: hosts + s, at: s, port: 0 });

/** Whether an end of a way is gone in a state. */
const isGone = (state, { column }) =>
  (column < hosts ? state.gone.hosts.has(column) : state.gone.switches.has(column - hosts));

/** The way of a packet from a switch: its channels, and the reason if the packet is lost. */
function follow(state, start, target) {
  const steps = [], seen = new Set();
  for (let at = start; ;) {
    if (seen.has(at)) return { steps, lost: `it comes to ${S.label[at]} again, for ever` };
    seen.add(at);
    const entry = state.rows[at * width + target.column];
    if (entry === NO_PATH) {
      const why = state.unknown.has(at) ? "is not known" : "has no entry for it";
      return { steps, lost: `the table of ${S.label[at]} ${why}` };
    }
    if (at === target.at && entry === target.port) return { steps, lost: null };
    const channel = portOf(at, entry);
    if (channel < 0 || state.gone.links.has(channel >> 1)) {
      return { steps, lost: `${S.label[at]} sends it to port ${entry}, the wrong one` };
    }
    const down = steps.length > 0 && steps.some(({ channel }) => !isUp(channel));
    steps.push({ channel, turns: isUp(channel) && down });
    at = to(channel);
  }
}

/** The hosts that send over a channel, and the hosts that they send to, as A2A counts them. */
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

// The network of each switch: the switches that links join, up or down.
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
