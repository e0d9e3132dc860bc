// The lanes: one for each process, grouped by device, on one axis of time. Only what is in sight is drawn.

const rowHeight = 18;

/**
 * Rows from top to bottom, each with the spans or events that it shows.
 * @param {TimelineModel} model
 * @param {(lane: object) => boolean} shows
 * @param {Set<string> | null} unfolded devices that show their idle lanes, too; null if all do
 */
function layOutRows(model, shows, unfolded) {
  const rows = [];
  const row = (entry) => { rows.push({ ...entry, top: rows.length * rowHeight }); return rows.at(-1); };
  const lanes = model.lanes.filter(shows);
  const idle = unfolded ? model.idleLanes() : new Set();
  for (const device of new Set(lanes.map((lane) => lane.device))) {
    const isAlone = lanes.filter((lane) => lane.device === device).length === 1;
    if (!isAlone) row({ title: device, isDevice: true });
    const titleOf = (lane) => (lane.name === device && !isAlone ? "agent" : lane.name);
    const folded = model.lanes.filter((lane, index) => lane.device === device && shows(lane) && idle.has(index));
    if (folded.length) row({ title: `${folded.length} idle: ${folded.map(titleOf).join(", ")}`, fold: device, isFirst: true });
    model.lanes.forEach((lane, index) => {
      if (lane.device !== device || !shows(lane) || (idle.has(index) && !unfolded.has(device))) return;
      const spans = model.spans.filter((span) => span.lane === index);
      const groups = [...new Set(spans.map((span) => span.row))].sort((a, b) => groupRank(a) - groupRank(b));
      let title = titleOf(lane);
      for (const group of groups) {
        for (const level of levels(spans.filter((span) => span.row === group))) {
          row({ title, lane: index, isFirst: title !== "", group, spans: level });
          title = "";
        }
      }
      const events = model.events.filter((event) => event.lane === index);
      if (events.length) { row({ title, lane: index, isFirst: title !== "", group: "events", events }); title = ""; }
    });
  }
  return rows;
}

const groupRank = (group) => ["steps", "turns", "commands", "operation", "operation lock", "queue lock", "status lock", "requests", "state"].indexOf(group);

/** Spans that overlap go into rows below each other, what surrounds others above them. */
function levels(spans) {
  const sorted = [...spans].sort((a, b) => a.start - b.start || b.end - a.end);
  const rows = [];
  for (const span of sorted) {
    const level = rows.find((row) => row.at(-1).end <= span.start);
    if (level) level.push(span); else rows.push([span]);
  }
  return rows;
}

class Timeline {
  /**
   * Lanes that show a model. Beside another one on the same axis (`bind`), times are relative to an `origin`, only one has the
   * axis (`hasAxis`), only some lanes are shown (`shows`), an event is marked as the first that is different, and a turn as the one that decides (`decisive`). Lanes that are `hidden` are left out of
   * the list. One that stands alone (`isAlone`) has a minimap, begins with the times from `begin` to `end`, and
   * folds idle lanes unless it is live, where each may be busy at any moment.
   */
  constructor(model, select, { origin = 0, hasAxis = true, shows = null, marked = null, decisive = null, hidden = [], isAlone = false, begin = null, end = null } = {}) {
    Object.assign(this, { model, select, origin, marked, decisive, turn: decisive, shows: shows ?? (() => true), hidden: new Set(hidden), unfolded: isAlone && !live ? new Set() : null });
    this.furthest = model.end - origin;
    this.rows = layOutRows(model, this.shows, this.unfolded);
    this.height = this.rows.length * rowHeight;
    this.arrows = new ArrowLayer(this);
    this.found = null;
    // What comes before the first step is the same in every scenario: its processes start.
    const first = begin ?? model.steps[0]?.start ?? 0, last = end ?? model.end;
    const margin = (last - first) * 0.02 + 1;
    this.from = first - margin;
    this.to = last + margin;
    this.axis = make("canvas", { height: String(this.axisHeight), "aria-hidden": "true" });
    this.axisNames = make("div", { class: "names" });
    this.map = isAlone ? new Minimap(this) : null;
    this.canvas = make("canvas", { class: "rows", tabindex: "0", role: "img", "aria-describedby": "tip",
      "aria-label": `Timeline of ${model.lanes.length} processes and ${model.events.length} events. The list below has the same events as text.` });
    this.names = make("div", { class: "names", style: `height:${this.height}px` }, this.rows.map((row) => this.nameOf(row)));
    this.element = make("div", { class: "lanes" },
      this.map?.element, hasAxis && make("div", { class: "axis" }, this.axisNames, this.axis),
      make("div", { class: "scroll", tabindex: "-1" }, this.names, make("div", {}, this.canvas)));
    this.listen();
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.canvas.parentElement);
  }

  /** Shows a model with more events; what is in sight stays in sight. */
  replace(model) {
    this.model = model;
    this.furthest = model.end - this.origin;
    this.layOut();
  }

  /** Makes the rows anew. */
  layOut() {
    this.rows = layOutRows(this.model, this.shows, this.unfolded);
    this.height = this.rows.length * rowHeight;
    this.eventRows = this.stepRows = this.turnRows = this.clockMoves = undefined;
    this.names.style.height = `${this.height}px`;
    this.names.replaceChildren(...this.rows.map((row) => this.nameOf(row)));
    this.resize();
  }

  /** Brings the last moments into sight: half a minute, or as much as was chosen by zooming. */
  showEnd() {
    const length = this.chosenLength ?? Math.min(this.model.end * 1.04 + 10, 30e6);
    this.from = this.model.end + length * 0.02 - length;
    this.to = this.from + length;
    this.requestDraw();
  }

  nameOf(row) {
    const style = `top:${row.top}px`;
    if (row.isDevice) return make("div", { class: "device", style }, row.title);
    if (row.fold != null) return this.foldOf(row, style);
    if (!row.isFirst) return make("div", { style }, `  ${row.group}`);
    const button = make("button", { type: "button", "aria-pressed": String(!this.hidden.has(row.lane)), title: "Show or hide this process in the list", onclick: () => {
      const isShown = this.hidden.has(row.lane);
      this.hidden[isShown ? "delete" : "add"](row.lane);
      button.setAttribute("aria-pressed", String(isShown));
      this.changed?.();
    } }, row.title);
    return make("div", { class: "lane", style }, button);
  }

  /** The row that stands for the idle lanes of a device, and shows them. */
  foldOf(row, style) {
    const isUnfolded = this.unfolded.has(row.fold);
    return make("div", { style }, make("button", { type: "button", class: "fold", "aria-expanded": String(isUnfolded), title: row.title, "data-device": row.fold, onclick: () => {
      this.unfolded[isUnfolded ? "delete" : "add"](row.fold);
      this.layOut();
      [...this.names.querySelectorAll(".fold")].find((button) => button.dataset.device === row.fold)?.focus();
    } }, row.title));
  }

  listen() {
    this.canvas.addEventListener("click", (event) => this.click(event));
    // A finger shows the tooltip with its tap; it stays until the next one.
    this.canvas.addEventListener("pointermove", (event) => { if (event.pointerType !== "touch" && !this.drag?.hasMoved) this.tell(this.hit(event), event); });
    this.canvas.addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch") tip.hide(); });
    this.canvas.addEventListener("blur", () => tip.hide());
    this.canvas.addEventListener("wheel", (event) => {
      tip.hide();
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        this.zoom(event.deltaY < 0 ? 0.8 : 1.25, this.timeAt(event.offsetX));
      } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        this.move(((event.deltaX || event.deltaY) / this.width) * (this.to - this.from));
      }
    }, { passive: false });
    this.canvas.addEventListener("pointerdown", (event) => {
      this.drag = { x: event.clientX, from: this.from, to: this.to, hasMoved: false };
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!this.drag) return;
      const shift = ((this.drag.x - event.clientX) / this.width) * (this.drag.to - this.drag.from);
      if (Math.abs(this.drag.x - event.clientX) > 3) this.drag.hasMoved = true;
      if (this.drag.hasMoved) this.show(this.drag.from + shift, this.drag.to + shift);
    });
    const release = () => { this.wasDragged = this.drag?.hasMoved; this.drag = null; };
    this.canvas.addEventListener("pointerup", release);
    this.canvas.addEventListener("pointercancel", release);
  }

  resize() {
    this.axisNames.replaceChildren(...(this.hasLabClock ? ["real time", "lab's clock"] : []).map((words) => make("span", {}, words)));
    const ratio = window.devicePixelRatio || 1;
    this.width = this.canvas.parentElement.clientWidth;
    if (!this.width) return;
    for (const [canvas, height] of [[this.canvas, this.height], [this.axis, this.axisHeight]]) {
      canvas.width = Math.round(this.width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.height = `${height}px`;
      canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
    }
    this.draw();
  }

  timeAt(x) { return this.from + (x / this.width) * (this.to - this.from); }
  xAt(time) { return ((time - this.from) / (this.to - this.from)) * this.width; }

  /** Shares the axis with another timeline: what is in sight is the same in both, counted from their origins. */
  bind(other) {
    this.furthest = other.furthest = Math.max(this.furthest, other.furthest);
    [this.bound, other.bound] = [other, this];
  }

  show(from, to) {
    const least = 2, last = this.origin + this.furthest, most = last * 1.2 + 10;
    const length = Math.min(Math.max(to - from, least), most);
    const middle = Math.min(Math.max((from + to) / 2, 0), last);
    this.from = middle - length / 2;
    this.to = middle + length / 2;
    this.requestDraw();
    if (!this.bound) return;
    const { bound } = this;
    [bound.from, bound.to] = [this.from, this.to].map((time) => time - this.origin + bound.origin);
    bound.requestDraw();
  }

  zoom(factor, around = (this.from + this.to) / 2) {
    this.show(around - (around - this.from) * factor, around + (this.to - around) * factor);
    this.chosenLength = this.to - this.from;
  }

  /** Shows the tooltip of a choice at a place, else hides it. @param {object | null} choice */
  tell(choice, { clientX, clientY }) {
    if (choice) tip.show(this.element, this.describe(choice), clientX, clientY); else tip.hide();
  }

  /** Shows the tooltip where a choice is drawn, for those who use no mouse. */
  tellAt(choice) {
    const { left, top } = this.canvas.getBoundingClientRect(), box = this.canvas.closest(".scroll");
    const event = choice.event ?? (choice.arrow != null ? this.model.arrows[choice.arrow].to : null);
    const span = choice.span ?? (choice.step != null || choice.turn != null ? this.model.spanOf(choice) : null);
    const row = span ? this.rows.find((one) => one.spans?.includes(span)) : event != null ? this.rowOf(this.model.events[event]) : null;
    if (!row) { tip.hide(); return; }
    if (row.top < box.scrollTop || row.top + rowHeight > box.scrollTop + box.clientHeight) box.scrollTop = row.top - box.clientHeight / 2;
    const time = span ? Math.max(span.start, this.from) : this.model.events[event].time;
    this.tell(choice, { clientX: left + Math.min(Math.max(this.xAt(time), 0), this.width), clientY: this.canvas.getBoundingClientRect().top + row.top + rowHeight / 2 });
  }

  /** What a choice is, in lines; the first one names it. */
  describe({ arrow, event, span, step, turn }) {
    const { model } = this;
    if (arrow != null) {
      const one = model.arrows[arrow], start = model.startOf(one);
      return [model.describeArrow(one), `sent at ${model.moment(start)}`, `under way for ${formatTime(model.events[one.to].time - start)}`];
    }
    span ??= step != null || turn != null ? model.spanOf({ step, turn }) : null;
    if (span) {
      const place = span.step != null ? model.verdictOf(model.steps[span.step]) : `${model.lanes[span.lane].name}, ${span.row}`;
      return [span.title ?? span.label, place, `${span.isOpen ? "at least " : ""}${formatTime(span.end - span.start)}, from ${model.moment(span.start)}`];
    }
    const one = model.events[event], facts = factsLine(model.fields(one));
    return [one.name, `${model.laneName(one)} at ${model.moment(one.time)}`, facts.length > 200 ? `${facts.slice(0, 200)}…` : facts];
  }

  move(by) { this.show(this.from + by, this.to + by); }

  showAll() { this.show(-this.model.end * 0.01, this.model.end * 1.01); }

  /** Brings a span of time into sight, with some of what is around it; a moment without zooming. */
  reveal(start, end) {
    if (start === end) {
      if (start < this.from || start > this.to) this.move(start - (this.from + this.to) / 2);
      return;
    }
    if (start >= this.from && end <= this.to && (end - start) > (this.to - this.from) / 50) return;
    const margin = Math.max((end - start) * 0.25, this.model.end * 0.002);
    this.show(start - margin, end + margin);
  }

  highlight({ step = null, turn = null, event = null, arrow = null, span = null, found = this.found, cursor = null } = {}) {
    this.span = span;
    this.step = step;
    this.turn = turn;
    this.event = event;
    this.arrow = arrow;
    this.found = found;
    this.cursor = cursor;
    this.requestDraw();
  }

  requestDraw() {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => { this.pending = 0; this.draw(); });
  }

  colours() {
    const style = getComputedStyle(document.documentElement);
    return new Proxy({}, { get: (known, name) => (known[name] ??= style.getPropertyValue(`--${String(name)}`).trim()) });
  }

  isLit(event) {
    if (this.found) return this.found.has(event.index);
    return this.step == null || this.model.isCaused(event, this.model.steps[this.step].path);
  }

  draw() {
    if (!this.width) return;
    const context = this.canvas.getContext("2d");
    const colour = this.colours();
    context.clearRect(0, 0, this.width, this.height);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    this.drawAxis(colour);
    this.drawGround(context, colour);
    for (const row of this.rows) {
      if (row.spans) this.drawSpans(context, colour, row);
      if (row.events) this.drawEvents(context, colour, row);
    }
    this.drawSwitches(context, colour);
    this.arrows.draw(context, colour);
    this.drawMarks(context, colour);
    const { turns, events } = this.model;
    if (this.decisive != null) this.drawMark(context, colour, "accent", turns[this.decisive].start, this.turnRows.get(this.decisive), 1, `turn ${turns[this.decisive].number} decides`);
    if (this.marked != null) this.drawMark(context, colour, "bad", events[this.marked].time, this.rowOf(events[this.marked])?.top, 0, "first difference");
    if (this.cursor != null) this.drawCursor(colour);
    this.map?.draw(colour);
  }

  /** The cursor: a line through all lanes, with a handle on the axis. */
  drawCursor(colour) {
    const x = Math.round(this.xAt(this.cursor));
    if (x < 0 || x > this.width) return;
    for (const [canvas, height] of [[this.canvas, this.height], [this.axis, this.axisHeight]]) {
      const context = canvas.getContext("2d");
      context.fillStyle = colour.accent;
      context.fillRect(x - 1, 0, 2, height);
    }
    const context = this.axis.getContext("2d");
    context.beginPath(); context.moveTo(x - 6, 0); context.lineTo(x + 6, 0); context.lineTo(x, 8); context.fill();
  }

  /** Where the clock was changed there is a second scale: what the lab's clock showed. Two runs have no clock in common. */
  get hasLabClock() { return !this.bound && this.model.clock.wasChanged; }

  get axisHeight() { return this.hasLabClock ? 40 : 22; }

  drawAxis(colour) {
    const context = this.axis.getContext("2d");
    context.clearRect(0, 0, this.width, this.axisHeight);
    context.strokeStyle = colour.line;
    context.font = "11px system-ui, sans-serif";
    const { clock } = this.model;
    const step = roundStep(((this.to - this.from) / this.width) * (this.hasLabClock ? 120 : 90));
    for (let told = Math.ceil((this.from - this.origin) / step) * step; told + this.origin <= this.to; told += step) {
      const time = told + this.origin, x = this.xAt(time);
      context.beginPath(); context.moveTo(x, this.axisHeight - 6); context.lineTo(x, this.axisHeight); context.stroke();
      context.fillStyle = colour.soft;
      context.fillText(formatTime(Math.round(told)), x + 3, 14);
      if (!this.hasLabClock) continue;
      context.fillStyle = colour.fault;
      context.fillText(formatLabTime(Math.round(clock.at(time)), step), x + 3, 31);
    }
  }

  drawGround(context, colour) {
    for (const row of this.rows) {
      for (const band of row.lane == null ? [] : (row.bands ??= this.model.bands.filter(({ lanes }) => lanes.includes(row.lane)))) {
        const start = Math.max(0, this.xAt(band.start)), end = Math.min(this.width, this.xAt(band.end));
        context.fillStyle = colour.tint;
        if (end > start) context.fillRect(start, row.top, end - start, rowHeight);
      }
      if (row.isDevice || row.isFirst) {
        context.fillStyle = colour.line;
        context.fillRect(0, row.top, this.width, row.isDevice ? 1 : 0.5);
      }
      if (row.lane == null) continue;
      for (const life of (row.lives ??= this.model.lifetimes(row.lane))) {
        const start = this.xAt(life.start), end = this.xAt(life.end);
        context.fillStyle = colour.alive;
        context.fillRect(start, row.top, end - start, rowHeight);
        context.fillStyle = colour.asleep;
        for (const [from, to] of life.naps) context.fillRect(this.xAt(from), row.top, Math.max(1, this.xAt(to) - this.xAt(from)), rowHeight);
        if (life.hasEnded) { context.fillStyle = colour.bad; context.fillRect(end, row.top, 1, rowHeight); }
      }
    }
  }

  drawSpans(context, colour, row) {
    // Spans of a row do not overlap, so both their begins and their ends are in order.
    let index = firstAfter(row.spans, this.from, "end");
    let lastX = -1;
    for (; index < row.spans.length && row.spans[index].start <= this.to; index += 1) {
      const span = row.spans[index];
      const x = Math.max(-2, this.xAt(span.start)), end = Math.min(this.width + 2, this.xAt(span.end));
      if (end - x < 1 && Math.floor(x) === lastX) continue;
      lastX = Math.floor(x);
      const isLit = this.isSpanLit(span);
      context.globalAlpha = isLit ? 1 : 0.28;
      context.fillStyle = span.isInconclusive ? colour.open : span.isBad ? colour.bad : colour[span.kind];
      const width = Math.max(1.5, end - x);
      context.beginPath();
      context.roundRect(x, row.top + 2, width, rowHeight - 4, Math.min(3, width / 2));
      if (span.kind === "waiting") { context.globalAlpha *= 0.45; context.fill(); context.globalAlpha /= 0.45; context.setLineDash([3, 2]); context.strokeStyle = colour.waiting; context.stroke(); context.setLineDash([]); } else context.fill();
      if (this.isChosen(span)) { context.strokeStyle = colour.text; context.lineWidth = 2; context.stroke(); context.lineWidth = 1; }
      // A bundle of attempts has a line for each of them.
      context.fillStyle = colour.ground;
      for (const attempt of (span.attempts ?? []).slice(1)) {
        const at = this.xAt(attempt.start);
        if (at > x + 3 && at < end && width / span.attempts.length > 3) context.fillRect(at - 1, row.top + 2, 1, rowHeight - 4);
      }
      if (width > 26) {
        context.save();
        context.beginPath(); context.rect(x, row.top, width - 3, rowHeight); context.clip();
        // On a pale bar the ground's own colour could not be read.
        context.fillStyle = span.kind === "waiting" || !isLit ? colour.text : colour.ground;
        context.globalAlpha = isLit ? 1 : 0.6;
        context.fillText(span.label, Math.max(x, 0) + 4, row.top + rowHeight / 2 + 0.5);
        context.restore();
      }
      context.globalAlpha = 1;
    }
  }

  isSpanLit(span) {
    if (span.turn != null) {
      const { step } = this.model.turns[span.turn];
      return !this.found && (this.step == null || this.isInside(step) || this.isAround(step));
    }
    if (span.kind === "band") return !this.found;
    return span.step != null ? this.step == null || this.isInside(span.step) : this.isLit(this.model.events[span.first]);
  }

  isInside(step) {
    const path = this.model.steps[step].path, chosen = this.model.steps[this.step].path;
    return path === chosen || path.startsWith(`${chosen}.`);
  }

  isAround(step) { return this.model.steps[this.step].path.startsWith(`${this.model.steps[step].path}.`); }

  isChosen(span) {
    if (span.kind === "band") return span === this.span;
    if (span.step != null) return span.step === this.step || span.attempts?.some((one) => one.step === this.step);
    if (span.turn != null) return span.turn === this.turn;
    return this.event != null && (span.first === this.event || span.last === this.event);
  }

  drawEvents(context, colour, row) {
    let lastX = -1;
    for (let index = firstAfter(row.events, this.from, "time"); index < row.events.length && row.events[index].time <= this.to; index += 1) {
      const event = row.events[index];
      const x = this.xAt(event.time);
      const isFault = event.kind === "fault", isChosen = event.index === this.event;
      if (Math.floor(x) === lastX && !isFault && !isChosen) continue;
      lastX = Math.floor(x);
      context.globalAlpha = this.isLit(event) ? 1 : 0.2;
      context.fillStyle = colour[event.kind];
      context.fillRect(x - 0.75, row.top + 4, 1.5, rowHeight - 8);
      if (isFault) { context.beginPath(); context.arc(x, row.top + rowHeight / 2, 4.5, 0, 7); context.fill(); }
      if (isChosen) { context.globalAlpha = 1; context.strokeStyle = colour.text; context.strokeRect(x - 3.5, row.top + 1.5, 7, rowHeight - 3); }
      context.globalAlpha = 1;
    }
  }

  rowOf(event) {
    this.eventRows ??= new Map(this.rows.filter((row) => row.events).map((row) => [row.lane, row]));
    return this.eventRows.get(event.lane);
  }

  rowOfStep(step) {
    this.stepRows ??= new Map(this.rows.filter((row) => row.group === "steps").flatMap((row) => row.spans.flatMap((span) => (span.attempts ?? [span]).map((one) => [one.step, row.top]))));
    return this.stepRows.get(step);
  }

  /** Lines between the lanes where a process has the turn after another one. */
  drawSwitches(context, colour) {
    this.turnRows ??= new Map(this.rows.filter((row) => row.group === "turns").flatMap((row) => row.spans.map((span) => [span.turn, row.top])));
    const { turns } = this.model;
    context.fillStyle = colour.turn;
    for (let index = Math.max(1, firstAfter(turns, this.from, "start")); index < turns.length && turns[index].start <= this.to; index += 1) {
      const [from, to] = [index - 1, index].map((turn) => this.turnRows.get(turn));
      if (turns[index].step !== turns[index - 1].step || from == null || to == null || from === to) continue;
      context.fillRect(Math.round(this.xAt(turns[index].start)), Math.min(from, to) + rowHeight / 2, 1, Math.abs(to - from));
    }
  }

  /** Lines through all lanes where a clock was changed, with the change of the lab's. */
  drawMarks(context, colour) {
    this.clockMoves ??= this.model.events.filter((event) => event.name === "clock.changed" || event.name === "device.clockSet");
    const { clock } = this.model;
    context.strokeStyle = context.fillStyle = colour.fault;
    let free = -Infinity;
    for (const event of this.clockMoves) {
      if (event.time < this.from || event.time > this.to) continue;
      const x = this.xAt(event.time);
      context.setLineDash([4, 4]);
      context.beginPath(); context.moveTo(x, 0); context.lineTo(x, this.height); context.stroke();
      context.setLineDash([]);
      const number = clock.changes.findIndex((change) => change.index === event.index);
      if (number < 0 || x < free) continue;
      const text = clock.textOf(number);
      const width = context.measureText(text).width;
      context.globalAlpha = 0.9;
      context.fillStyle = colour.ground;
      context.fillRect(x + 2, 1, width + 4, 14);
      context.globalAlpha = 1;
      context.fillStyle = colour.fault;
      context.fillText(text, x + 4, 9);
      free = x + width + 8;
    }
  }

  /** A line through all lanes with a text in some row, and a ring where it crosses the row at `top`: where two runs differ. */
  drawMark(context, colour, tone, time, top, row, text) {
    const x = this.xAt(time);
    if (top == null || x < 0 || x > this.width) return;
    context.strokeStyle = colour[tone];
    context.lineWidth = 2;
    context.beginPath(); context.moveTo(x, 0); context.lineTo(x, this.height); context.stroke();
    context.beginPath(); context.arc(x, top + rowHeight / 2, 6, 0, 7); context.stroke();
    context.lineWidth = 1;
    const { width } = context.measureText(text);
    const left = x + width + 8 > this.width ? x - width - 8 : x + 2;
    context.fillStyle = colour.ground;
    context.fillRect(left, row * rowHeight + 1, width + 6, 14);
    context.fillStyle = colour[tone];
    context.fillText(text, left + 3, row * rowHeight + 9);
  }

  /** The choice under the pointer: an arrow, which lies on top, a bar, else the nearest event of the row; null if nothing is there. */
  hit(event) {
    const nearest = this.arrows.at(event.offsetX, event.offsetY);
    const under = nearest && nearest.distance <= onArrow ? null : this.hitInRow(event);
    if (under || !nearest) return under;
    return { arrow: this.model.arrows.indexOf(nearest.arrow) };
  }

  hitInRow(event) {
    const row = this.rows[Math.floor(event.offsetY / rowHeight)];
    if (!row) return null;
    const time = this.timeAt(event.offsetX), near = (4 / this.width) * (this.to - this.from);
    if (row.spans) {
      // Turns follow each other without a gap: the one under the pointer comes before one beside it.
      const span = row.spans.find((span) => span.start <= time && span.end >= time) ?? row.spans.find((span) => span.start - near <= time && span.end + near >= time);
      return span ? choiceOf(span) : null;
    }
    if (!row.events) return null;
    const index = firstAfter(row.events, time, "time");
    const nearest = [row.events[index - 1], row.events[index]].filter(Boolean).sort((a, b) => Math.abs(a.time - time) - Math.abs(b.time - time))[0];
    if (!nearest || Math.abs(nearest.time - time) > near * 2) return null;
    return { event: nearest.index };
  }

  click(event) {
    if (this.wasDragged) { this.wasDragged = false; return; }
    const hit = this.hit(event);
    this.select(hit ?? { at: Math.round(this.timeAt(event.offsetX)) });
    this.tell(hit, event);
  }

  /** The next arrow or bar after a moment, or after the one that is chosen; for those who use no mouse. */
  walk(things, chosen, direction, time) {
    const { model } = this;
    const start = (thing) => thing.start ?? model.startOf(thing);
    const inOrder = things.filter((thing) => thing.lane == null || !this.hidden.has(thing.lane)).sort((a, b) => start(a) - start(b));
    const place = inOrder.indexOf(chosen);
    if (place >= 0) return inOrder[place + direction];
    return direction > 0 ? inOrder.find((thing) => start(thing) >= time) : inOrder.findLast((thing) => start(thing) <= time);
  }
}

/** What a bar chooses: the bar of a step the step, that of a turn the turn. */
function choiceOf(span) {
  if (span.turn != null) return { turn: span.turn };
  if (span.kind === "band") return { at: Math.round(span.start), span };
  return span.step != null ? { step: span.step } : { event: span.first, span };
}
