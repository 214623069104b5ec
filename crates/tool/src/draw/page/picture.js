// ---- The picture: what the page shows, as an SVG for paper.

/** An element of the picture. The page's own empty picture has the namespace. */
function shape(tag, attributes, ...text) {
  const node = document.createElementNS($("picture").namespaceURI, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== "") node.setAttribute(name, typeof value === "number" ? Number(value.toFixed(2)) : value);
  }
  node.append(...text);
  return node;
}

const measure = document.createElement("canvas").getContext("2d");
function widthOf(text, font) {
  measure.font = font;
  return measure.measureText(text).width;
}

/** Draws as the context of a canvas does, but into a part of the picture. */
class Pen {
  constructor(part, place) {
    Object.assign(this, { part, place, saved: place, path: "", dash: "", globalAlpha: 1 });
  }
  add(tag, attributes, ...text) {
    const opacity = this.globalAlpha === 1 ? "" : this.globalAlpha;
    this.part.append(shape(tag, { ...attributes, transform: this.place, opacity }, ...text));
  }
  get line() {
    return { fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth, "stroke-dasharray": this.dash };
  }
  beginPath() { this.path = ""; }
  moveTo(x, y) { this.path += `M${x.toFixed(2)} ${y.toFixed(2)}`; }
  lineTo(x, y) { this.path += `L${x.toFixed(2)} ${y.toFixed(2)}`; }
  stroke() { this.add("path", { d: this.path, ...this.line }); }
  fill() { this.add("path", { d: this.path, fill: this.fillStyle }); }
  fillRect(x, y, width, height) { this.add("rect", { x, y, width, height, fill: this.fillStyle }); }
  strokeRect(x, y, width, height) { this.add("rect", { x, y, width, height, ...this.line }); }
  setLineDash(dash) { this.dash = dash.join(" "); }
  save() { this.saved = this.place; }
  restore() { this.place = this.saved; }
  translate(x, y) { this.place += ` translate(${x} ${y})`; }
  rotate(angle) { this.place += ` rotate(${angle * 180 / Math.PI})`; }
  fillText(text, x, y, most = Infinity) {
    const squeezed = widthOf(text, this.font) > most ? { textLength: most, lengthAdjust: "spacingAndGlyphs" } : {};
    this.add("text", {
      x, y, fill: this.fillStyle, style: `font: ${this.font}`, ...squeezed,
      "text-anchor": { center: "middle", right: "end" }[this.textAlign] || "",
      "dominant-baseline": this.textBaseline === "middle" ? "central" : "",
    }, String(text).replace(/\p{Cc}/gu, ""));
  }
}

/** The title, the legend and all matrices in view, side by side where there is room. */
function picture() {
  const EDGE = 20, GAP = 16, LINE = 18, ROOM = 1400;
  const svg = shape("svg", {}), paper = shape("rect", { width: "100%", height: "100%", fill: colors.paper });
  svg.append(shape("title", {}, `${data.title}: ${$("summary").textContent}`), paper);
  let x = EDGE, y = EDGE, high = 0, widest = 0;
  const next = () => {
    [x, y, high] = [EDGE, y + high + GAP, 0];
  };
  const put = (wide, tall, paint) => {
    if (x > EDGE && x + wide > ROOM) next();
    paint(new Pen(svg, `translate(${x} ${y})`));
    widest = Math.max(widest, x + wide);
    [x, high] = [Math.ceil(x + wide + GAP), Math.max(high, tall)];
  };
  const write = (pen, text, x, font, color) => {
    Object.assign(pen, { font, fillStyle: color });
    pen.fillText(text, x, 12);
  };
  const line = (text, font, color) => {
    put(widthOf(text, font), LINE, (pen) => write(pen, text, 0, font, color));
    next();
  };
  line(data.title, "bold 16px sans-serif", colors.ink);
  line([$("summary").textContent, tabs[view.tab]?.name].join(" "), FONT, colors.soft);
  for (const { textContent: text, firstElementChild: mark } of $("legend").children) {
    put(widthOf(text, FONT) + 18, LINE, (pen) => {
      mark?.paint(pen);
      write(pen, text, mark ? 18 : 0, FONT, colors.ink);
    });
  }
  next();
  for (const { canvas } of view.shown) {
    const caption = canvas.previousSibling.textContent;
    put(Math.max(canvas.clientWidth, widthOf(caption, FONT)), canvas.clientHeight + LINE, (pen) => {
      write(pen, caption, 0, FONT, colors.soft);
      pen.translate(0, LINE);
      canvas.paint(pen);
    });
  }
  next();
  for (const [name, value] of [["width", widest + EDGE], ["height", y]]) svg.setAttribute(name, Math.ceil(value));
  return new XMLSerializer().serializeToString(svg);
}

function savePicture() {
  const address = URL.createObjectURL(new Blob([picture()], { type: "image/svg+xml" }));
  el("a", { href: address, download: `${data.title}, ${tabs[view.tab]?.name}.svg` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
