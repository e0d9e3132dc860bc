// The file of the scenario, or the included one in which the step of the cursor is written, with the lines of that step.

class ScenarioFile {
  /**
   * @param {TimelineModel} model
   * @param {(choice: object) => void} select
   */
  constructor(model, select) {
    Object.assign(this, { model, select });
    this.title = make("small", { class: "mono" });
    this.lines = make("ol", { class: "source mono" });
    this.element = make("section", { class: "file", "aria-label": "Scenario file", hidden: true }, make("h2", {}, "File ", this.title),
      make("div", { class: "lines", tabindex: "0", role: "region", "aria-label": "Lines of the file" }, this.lines));
    // Before it is on the page, nothing can be brought into sight.
    new ResizeObserver(() => this.reveal()).observe(this.element);
  }

  replace(model) { this.model = model; }

  /** Shows the file of a step, with its lines marked. @param {number | null} index of the step */
  mark(index) {
    const step = this.model.steps[index] ?? this.model.steps.find((one) => one.text != null);
    this.element.hidden = step?.text == null;
    if (step?.text == null) return;
    if (step.text !== this.text) this.show(step);
    const isOf = (number) => index != null && number >= step.line && number <= step.lastLine;
    [...this.lines.children].forEach((line, place) => {
      line.classList.toggle("current", isOf(place + 1));
      if (isOf(place + 1)) line.setAttribute("aria-current", "step"); else line.removeAttribute("aria-current");
    });
    this.reveal();
  }

  /** A line on which a step begins leads to it: to the last one that was written there, as rounds have the same line. */
  show({ text, file }) {
    this.text = text;
    this.title.textContent = file;
    const begins = new Map();
    this.model.steps.forEach((step, index) => { if (step.text === text) begins.set(step.line, index); });
    this.lines.replaceChildren(...text.replace(/\n$/, "").split("\n").map((line, place) => {
      const step = begins.get(place + 1);
      if (step == null) return make("li", {}, line);
      const { path } = this.model.steps[step];
      return make("li", {}, make("button", { type: "button", title: capitalised(stepName(path)), class: this.model.tone(this.model.steps[step]), onclick: () => this.select({ step }) }, line));
    }));
  }

  /** Brings the marked lines into sight; only the list scrolls, not the page around it. */
  reveal() {
    const line = this.lines.querySelector(".current"), box = this.lines.parentElement;
    if (line && (line.offsetTop < box.scrollTop || line.offsetTop + line.offsetHeight > box.scrollTop + box.clientHeight)) box.scrollTop = line.offsetTop - box.clientHeight / 3;
  }
}
