// The minimap: the whole run in one strip, with the range that the lanes show.

const mapHeight = 30;

class Minimap {
  /** @param {Timeline} timeline the lanes, which it moves */
  constructor(timeline) {
    this.timeline = timeline;
    this.canvas = make("canvas", { "aria-hidden": "true" });
    const end = (name, side) => make("input", { type: "range", step: "any", class: side, "aria-label": name, oninput: () => this.take(side) });
    this.ends = { from: end("Begin of the lanes", "from"), to: end("End of the lanes", "to") };
    this.track = make("div", { class: "track" }, this.canvas, this.ends.from, this.ends.to);
    this.element = make("div", { class: "map" }, make("div", { class: "names" }, make("span", {}, "whole run")), this.track);
    this.listen();
  }

  /** A drag beside the handles moves the range; a click brings it there. */
  listen() {
    this.canvas.addEventListener("pointerdown", (event) => {
      const { from, to } = this.timeline, time = this.timeAt(event.offsetX);
      if (time < from || time > to) this.timeline.move(time - (from + to) / 2);
      this.held = time < from || time > to ? 0 : time - (from + to) / 2;
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const { from, to } = this.timeline;
      if (this.held != null) this.timeline.move(this.timeAt(event.offsetX) - this.held - (from + to) / 2);
    });
    for (const name of ["pointerup", "pointercancel"]) this.canvas.addEventListener(name, () => { this.held = null; });
  }

  /** From the first step to the end of what is recorded. */
  get first() { return this.timeline.model.steps[0]?.start ?? 0; }
  get length() { return Math.max(this.timeline.model.end - this.first, 1); }

  timeAt(x) { return this.first + (x / this.canvas.clientWidth) * this.length; }
  xAt(time) { return ((time - this.first) / this.length) * this.canvas.clientWidth; }

  /** Shows the range between the handles, which do not pass each other. */
  take(side) {
    const least = this.length / 500, [from, to] = [Number(this.ends.from.value), Number(this.ends.to.value)];
    if (side === "from") this.timeline.show(Math.min(from, to - least), to); else this.timeline.show(from, Math.max(to, from + least));
    this.timeline.chosenLength = this.timeline.to - this.timeline.from;
  }

  /** How many events there are in each two pixels, as the height of a column. */
  heights(width) {
    const { model } = this.timeline;
    if (this.counted?.model === model && this.counted.width === width) return this.counted.heights;
    const counts = new Array(Math.ceil(width / 2) + 1).fill(0);
    for (const event of model.events) if (event.time >= this.first) counts[Math.floor(this.xAt(event.time) / 2)] += 1;
    const most = Math.log(1 + Math.max(...counts, 1));
    this.counted = { model, width, heights: counts.map((count) => (Math.log(1 + count) / most) * 13) };
    return this.counted.heights;
  }

  draw(colour) {
    const { timeline, canvas } = this, { model } = timeline, width = canvas.clientWidth;
    if (!width) return;
    const ratio = window.devicePixelRatio || 1;
    [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(mapHeight * ratio)];
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = "11px system-ui, sans-serif";
    const bar = (start, end, top, height, fill) => { context.fillStyle = fill; context.fillRect(this.xAt(start), top, Math.max(1, this.xAt(end) - this.xAt(start)), height); };
    for (const band of model.bands) bar(band.start, band.end, 0, mapHeight, colour.tint);
    for (const step of model.steps) {
      if (!step.path.includes(".")) bar(step.start, step.end ?? model.end, 4, 7, model.isInconclusive(step) ? colour.open : model.isBad(step) ? colour.bad : colour.step);
    }
    context.fillStyle = colour.other;
    this.heights(width).forEach((height, index) => { if (height) context.fillRect(index * 2, mapHeight - 3 - height, 1.5, height); });
    const tearDown = model.steps.find((step) => step.path === "t" || /^t\d/.test(step.path));
    if (tearDown && width - this.xAt(tearDown.start) > 70) { context.fillStyle = colour.soft; context.fillText("tear-down", this.xAt(tearDown.start) + 4, 12); }
    const [from, to] = [Math.max(0, this.xAt(timeline.from)), Math.min(width, this.xAt(timeline.to))];
    context.fillStyle = colour.veil;
    context.fillRect(0, 0, from, mapHeight);
    context.fillRect(to, 0, width - to, mapHeight);
    context.strokeStyle = colour.accent;
    context.strokeRect(from + 0.5, 0.5, Math.max(1, to - from - 1), mapHeight - 1);
    if (timeline.cursor != null) bar(timeline.cursor, timeline.cursor, 0, mapHeight, colour.accent);
    const limits = { min: String(this.first), max: String(this.first + this.length) };
    for (const [side, time] of [["from", timeline.from], ["to", timeline.to]]) {
      const input = Object.assign(this.ends[side], limits);
      input.value = String(time);
      input.setAttribute("aria-valuetext", formatTime(Math.round(Number(input.value))));
    }
  }
}
