// The list of events: all of them as text, of which only the rows in sight are elements.

/** Rows that are printed at most: some twenty pages. */
const mostOnPaper = 1_000;

class EventList {
  constructor(model, select) {
    this.model = model;
    this.select = select;
    this.row = 22;
    this.count = 0;
    this.filtered = model.events;
    this.inner = make("div", {});
    this.rest = make("p", { class: "rest" });
    this.element = make("div", { class: "events", tabindex: "0", role: "listbox", "aria-label": "Events of all processes in the order of time" }, this.inner, this.rest);
    this.element.addEventListener("scroll", () => this.draw());
    this.element.addEventListener("keydown", (event) => this.key(event));
    // Before it is on the page, nothing can be brought into sight.
    new ResizeObserver(() => (this.wanted == null ? this.draw() : this.reveal(this.wanted))).observe(this.element);
  }

  /** Shows only events that pass, and says how many. */
  filter(passes) {
    this.filtered = this.model.events.filter(passes);
    this.draw();
    return this.filtered.length;
  }

  /** Shows a model with more events. */
  replace(model) { this.model = model; }

  /** Brings the last events into sight. */
  showEnd() {
    this.element.scrollTop = this.filtered.length * this.row;
    this.draw();
  }

  /** Marks an event, those of a step, and where the cursor is: after `count` events. */
  mark({ event = null, step = null, count = 0 }) {
    this.chosen = event;
    this.step = step;
    this.count = count;
    this.draw();
  }

  reveal(index) {
    this.wanted = this.element.clientHeight ? null : index;
    const place = firstAfter(this.filtered, index, "index");
    if (place === this.filtered.length) return;
    const top = place * this.row;
    const { scrollTop, clientHeight } = this.element;
    if (top < scrollTop || top > scrollTop + clientHeight - this.row) this.element.scrollTop = top - clientHeight / 2;
    this.draw();
  }

  draw() {
    const path = this.step == null ? null : this.model.steps[this.step].path;
    const first = this.isOnPaper ? 0 : Math.max(0, Math.floor(this.element.scrollTop / this.row) - 10);
    const last = Math.min(this.filtered.length, this.isOnPaper ? mostOnPaper : first + Math.ceil(this.element.clientHeight / this.row) + 20);
    this.inner.style.cssText = `height:${this.filtered.length * this.row}px`;
    const rows = [];
    for (let place = first; place < last; place += 1) {
      const event = this.filtered[place];
      const isLit = path != null && this.model.isCaused(event, path);
      rows.push(make("div", {
        class: `row${isLit ? " lit" : ""}`, role: "option", id: `event-${event.index}`, "aria-selected": String(event.index === this.chosen),
        "aria-setsize": String(this.filtered.length), "aria-posinset": String(place + 1),
        style: `top:${place * this.row}px`, onclick: () => this.select({ event: event.index }),
      },
        make("span", { class: "time" }, formatTime(event.time)), make("span", {}, this.model.laneName(event)),
        make("span", {}, event.name), make("span", { class: "facts" }, factsLine(this.model.fields(event)))));
    }
    this.inner.replaceChildren(...rows);
    if (this.chosen != null && this.inner.querySelector(`#event-${this.chosen}`)) this.element.setAttribute("aria-activedescendant", `event-${this.chosen}`);
    else this.element.removeAttribute("aria-activedescendant");
  }

  /** Makes elements of all rows, or only of those in sight. */
  print(isOnPaper) {
    this.isOnPaper = isOnPaper;
    const left = this.filtered.length - mostOnPaper;
    this.rest.textContent = left > 0 ? `${left} more events are not printed; search and filters choose what is.` : "";
    this.draw();
  }

  /** Moves the choice by some rows, from the chosen event or from the cursor. */
  moveBy(by) {
    const place = firstAfter(this.filtered, this.chosen ?? this.count, "index") - (this.chosen == null && by > 0 ? 1 : 0);
    const next = Math.min(Math.max(place + by, 0), this.filtered.length - 1);
    if (this.filtered[next]) this.select({ event: this.filtered[next].index });
  }

  key(event) {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity }[event.key];
    // With Shift the arrows move by step, everywhere on the page.
    if (by == null || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.moveBy(Math.min(Math.max(by, -this.filtered.length), this.filtered.length));
  }
}

/** Facts of an event in a line. */
function factsLine(fields) {
  return Object.entries(fields).map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`).join("  ");
}
