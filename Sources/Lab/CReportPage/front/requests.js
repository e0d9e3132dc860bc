// The requests of a scenario as a table: endpoint, status, duration and bodies.

/** Requests that are shown at first, and that a press of the button adds. */
const requestsOfPage = 100;

class RequestTable {
  /**
   * @param {TimelineModel} model
   * @param {(choice: object) => void} select
   * @param {Details} details which shows the bodies
   */
  constructor(model, select, details) {
    Object.assign(this, { select, details, most: requestsOfPage });
    const columns = ["Time", "Process", "Endpoint", "Status", "Duration", "Bodies"];
    this.title = make("summary", {});
    this.body = make("tbody", {});
    this.more = make("button", { type: "button", onclick: () => { this.most += requestsOfPage; this.draw(); } }, "More requests");
    this.element = make("details", { class: "requests", open: true }, this.title,
      make("div", { class: "table", tabindex: "0", role: "region", "aria-label": "Requests" },
        make("table", {}, make("thead", {}, make("tr", {}, columns.map((word) => make("th", { scope: "col" }, word)))), this.body), this.more));
    this.replace(model);
  }

  /** Shows a model with more requests. */
  replace(model) {
    this.model = model;
    this.draw();
  }

  draw() {
    const { exchanges } = this.model;
    this.title.textContent = `Requests (${exchanges.length})`;
    this.element.hidden = !exchanges.length;
    this.more.hidden = exchanges.length <= this.most;
    // A live page adds requests while a reader has some open.
    const shown = exchanges.slice(0, this.most).map((span) => `${span.first} ${span.label} ${span.isOpen} ${this.model.events[span.first].request?.status}`);
    if (shown.join() === this.shown) return;
    this.shown = shown.join();
    this.rows = exchanges.slice(0, this.most).map((span) => this.row(span));
    this.body.replaceChildren(...this.rows.map(({ line }) => line));
  }

  row(span) {
    const first = this.model.events[span.first], last = this.model.events[span.last], { request } = first;
    const { method } = this.model.fields(first), { status } = this.model.fields(last);
    const words = span.isOpen ? "no answer" : status ?? "failed";
    const bodies = make("button", { type: "button", "aria-expanded": "false", "aria-label": `Bodies of ${span.name}`, onclick: () => this.unfold(bodies, line, request) }, "Show");
    const line = make("tr", {},
      make("td", {}, formatTime(span.start)), make("td", {}, this.model.lanes[span.lane].name),
      make("td", {}, make("button", { type: "button", onclick: () => this.select({ event: span.first }) }, `${method ?? request?.method ?? ""} ${span.name}`)),
      make("td", { class: span.isBad ? "bad" : null }, String(words), request?.fault ? ` (${request.fault})` : ""),
      make("td", {}, span.isOpen ? "" : formatTime(span.end - span.start)), make("td", {}, request ? bodies : last.name === "http.failed" ? "none" : "not kept"));
    return { span, line };
  }

  /** Shows the bodies of a request in a row below its own, or takes that away. */
  unfold(button, line, request) {
    const isOpen = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!isOpen));
    button.textContent = isOpen ? "Show" : "Hide";
    if (isOpen) line.nextSibling.remove(); else line.after(make("tr", {}, make("td", { colspan: "6" }, this.details.exchanges([request]))));
  }

  /** Marks the requests under way at a time. */
  mark(time) {
    for (const { span, line } of this.rows) line.classList.toggle("current", span.start <= time && time <= span.end);
  }
}
