// The scrubber: one cursor over real time and the lab's time, with a mark for each step.

class Scrubber {
  /**
   * @param {TimelineModel} model
   * @param { { seek: (time: number) => void, event: (by: number) => void, step: (by: number) => void, select: (choice: object) => void } } moves what moves the cursor
   */
  constructor(model, moves) {
    this.moves = moves;
    this.range = make("input", { type: "range", step: "1", "aria-label": "Cursor", title: "Arrows move by event, with Shift by step",
      oninput: () => this.wait(), onkeydown: (event) => this.key(event) });
    this.ticks = make("div", { class: "ticks", "aria-hidden": "true", onpointermove: (event) => this.tell(event), onpointerleave: () => tip.hide(),
      onclick: (event) => { const step = this.stepAt(event.clientX); if (step != null) { moves.select({ step }); this.tell(event); } } });
    this.scales = make("div", { class: "scales", "aria-hidden": "true" });
    this.words = make("output", { class: "moment" });
    const button = (sign, name, title, move) => make("button", { type: "button", "aria-label": name, title, onclick: move }, sign);
    this.element = make("div", { class: "scrub", role: "group", "aria-label": "Moment" },
      button("|◀", "Previous step", "Previous step (Shift ←)", () => moves.step(-1)), button("◀", "Previous event", "Previous event (←)", () => moves.event(-1)),
      make("div", { class: "track" }, this.range, this.ticks, this.scales),
      button("▶", "Next event", "Next event (→)", () => moves.event(1)), button("▶|", "Next step", "Next step (Shift →)", () => moves.step(1)), this.words);
    this.replace(model);
  }

  /** Takes more events, and begins where the steps do: what comes before is the same in every scenario. */
  replace(model) {
    this.model = model;
    this.first = model.steps[0]?.start ?? 0;
    const length = Math.max(model.end - this.first, 1);
    [this.range.min, this.range.max] = [String(Math.floor(this.first)), String(Math.ceil(model.end))];
    const place = (time) => `left:${((time - this.first) / length) * 100}%`;
    this.marked = model.steps.filter((step) => !step.path.includes(".")).slice(-200);
    this.ticks.replaceChildren(...this.marked.map((step) => make("i", { class: model.tone(step), style: place(step.start) })));
    const size = roundStep(length / 8);
    // The last moment is the end itself, so that the scales name the lab's time after its last jump.
    const from = Math.ceil(this.first / size), round = Math.max(Math.floor(model.end / size - 0.75) - from + 1, 0);
    const moments = [...Array.from({ length: round }, (_, number) => (from + number) * size), model.end];
    this.scales.replaceChildren(...moments.map((time) => make("span", { style: place(time) }, formatTime(time),
      model.clock.wasChanged && make("span", { class: "clock" }, formatLabTime(Math.round(model.clock.at(time)), size)))));
    this.element.classList.toggle("two-clocks", model.clock.wasChanged);
  }

  /** @param {number} time of the cursor, @param {string} words the moment in words */
  show(time, words) {
    this.range.value = String(Math.round(time));
    this.range.setAttribute("aria-valuetext", words);
    this.words.textContent = words;
  }

  /** The step whose mark is nearest to a place in the window; null if none is near. */
  stepAt(x) {
    const distances = [...this.ticks.children].map((mark) => Math.abs(mark.getBoundingClientRect().left - x));
    const nearest = distances.reduce((best, distance, index) => (distance < distances[best] ? index : best), 0);
    return distances[nearest] <= 6 ? this.model.steps.indexOf(this.marked[nearest]) : null;
  }

  /** The tooltip of a mark. */
  tell({ clientX, clientY }) {
    const index = this.stepAt(clientX), step = this.model.steps[index];
    if (!step) { tip.hide(); return; }
    tip.show(this.element, [`${step.path} ${step.sentence ?? step.title}`, this.model.verdictOf(step), `began at ${this.model.moment(step.start)}`], clientX, clientY);
  }

  /** The page follows once for each picture, however often the hand moves. */
  wait() {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => { this.pending = 0; this.moves.seek(Number(this.range.value)); });
  }

  key(event) {
    const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (by == null || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.moves[event.shiftKey ? "step" : "event"](by);
  }
}
