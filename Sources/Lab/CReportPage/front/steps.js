// The steps as a tree: verdict, title, duration, branch or round. Set-up and tear-down are folded while nothing in them failed.

/**
 * A node of the tree; a branch of a block has no step of its own.
 * @typedef { { key: string, path: string, title: string, steps: number[], children: StepNode[], notRun?: { sentence?: string } } } StepNode
 * `key` is its path with its source, `steps` are the places of its attempts in the model: a step that is repeated has several.
 * `notRun` is there for a step that did not begin.
 */

/** Trees with more steps than this begin with their blocks folded. */
const unfoldedSteps = 60;

/** Each history of a live page numbers its steps from 1. */
function keyOfStep(source, path) { return `${source ?? ""} ${path}`; }

/** @returns {StepNode[]} the steps of a model, in the order of their begin */
function stepTree(model) {
  const roots = [], nodes = new Map();
  const parts = { s: "set-up", t: "tear-down" };
  const nodeOf = (source, path) => {
    const key = keyOfStep(source, path);
    if (nodes.has(key)) return nodes.get(key);
    const node = { key, path, title: "", steps: [], children: [] };
    nodes.set(key, node);
    const dot = path.lastIndexOf(".");
    const part = dot < 0 && parts[path[0]];
    if (part && path.length > 1) nodeOf(source, path[0]).children.push(node);
    else if (dot < 0) roots.push(node);
    else nodeOf(source, path.slice(0, dot)).children.push(node);
    if (path in parts) node.title = parts[path];
    return node;
  };
  model.steps.forEach((step, index) => {
    const node = nodeOf(step.source, step.path);
    node.title = step.title;
    node.steps.push(index);
  });
  for (const step of model.notRun) Object.assign(nodeOf(step.source, step.path), { title: step.title, notRun: step });
  for (const node of nodes.values()) {
    const places = new Map(node.children.map((child) => [child, Number(child.path.match(/\d+$/))]));
    node.children.sort((one, other) => places.get(one) - places.get(other));
    for (const child of node.children) child.title ||= node.title.startsWith("during: ") ? "faults" : `branch ${places.get(child)}`;
  }
  // What was not run is added last, but stands before the tear-down.
  return roots.sort((one, other) => (one.path === "t") - (other.path === "t"));
}

class StepTree {
  /**
   * @param {TimelineModel} model
   * @param {(choice: object) => void} select
   * @param {string | undefined} row of the table with which the scenario ran
   */
  constructor(model, select, row) {
    this.select = select;
    this.list = make("ul", {});
    this.element = make("nav", { class: "steps", "aria-label": "Steps" }, make("h2", {}, "Steps", row && make("span", { class: "empty" }, ` row ${row}`)), this.list);
    this.chosen = null;
    /** What a person has folded or unfolded, by path. */
    this.folded = new Map();
    this.replace(model);
    // Before it is on the page, nothing can be brought into sight.
    new ResizeObserver(() => this.reveal()).observe(this.element);
  }

  /** Shows a model with more steps. */
  replace(model) {
    // A live page adds to one list of steps; only what has begun or ended makes other rows.
    const shown = `${model.steps.length} ${model.notRun.length} ${model.steps.filter((step) => step.end != null).length}`;
    this.model = model;
    if (shown === this.shown) return;
    this.shown = shown;
    this.buttons = new Map();
    this.groups = new Map();
    this.list.replaceChildren(...stepTree(model).map((node) => this.item(node)));
    this.mark(this.chosen);
  }

  /** The mark of a node and its verdict in words: that of its last attempt, or of a branch what its steps show. */
  verdict(node) {
    const step = this.model.steps[node.steps.at(-1)];
    if (node.notRun) return ["–", "not run"];
    if (!step) {
      const inside = node.children.map((child) => this.verdict(child));
      return inside.find(([mark]) => mark === "✗" || mark === "?") ?? inside.find(([mark]) => mark === "…") ?? inside.find(([mark]) => mark === "✓") ?? inside[0];
    }
    const words = this.model.verdictOf(step);
    if (this.model.isBad(step)) return [this.model.isInconclusive(step) ? "?" : "✗", words];
    return step.skipped != null ? ["–", "skipped"] : [step.fine == null ? "…" : step.fine ? "✓" : "○", words];
  }

  /** When a node began and ended, both infinite if it did not; of a step that is repeated, all attempts together. */
  interval(node) {
    if (node.steps.length) return { start: this.model.steps[node.steps[0]].start, end: this.model.steps[node.steps.at(-1)].end ?? Infinity };
    const parts = node.children.map((child) => this.interval(child));
    return { start: Math.min(...parts.map(({ start }) => start)), end: Math.max(...parts.map(({ end }) => end)) };
  }

  duration(node) {
    const { start, end } = this.interval(node);
    return Number.isFinite(end - start) ? formatTime(end - start) : "";
  }

  item(node) {
    const [mark, verdict] = this.verdict(node);
    const step = this.model.steps[node.steps.at(-1)];
    const times = node.steps.length > 1 ? `×${node.steps.length} ` : "";
    const words = [make("span", { class: `mark ${mark === "✓" ? "fine" : mark === "✗" ? "bad" : mark === "?" ? "open" : "idle"}`, "aria-hidden": "true" }, mark), node.notRun ? null : hidden(`${verdict}: `),
      make("span", { class: "title" }, node.title), make("span", { class: "took" }, node.notRun ? verdict : times + this.duration(node))];
    const { sentence } = step ?? node.notRun ?? {};
    const title = [`${node.path} ${sentence ?? node.title}`, step?.skipped].filter(Boolean).join("\n");
    const fold = node.children.length ? make("button", { type: "button", class: "fold", "aria-label": `Steps inside ${node.path}`, onclick: () => this.fold(node, fold.getAttribute("aria-expanded") === "true") }) : null;
    const button = step ? make("button", { type: "button", class: "step", title, onclick: () => this.select({ step: node.steps.at(-1) }) }, words)
      : make("span", { class: "step", title: node.notRun ? title : null }, words);
    for (const index of node.steps) this.buttons.set(index, button);
    const children = make("ul", {});
    const item = make("li", { class: node.notRun ? "not-run" : step?.skipped != null ? "skipped" : null }, make("div", { class: "line" }, fold, button), node.children.length ? children : null);
    if (fold) {
      this.groups.set(node.key, { node, fold, children });
      const isPart = !step && /^(set-up|tear-down)$/.test(node.title);
      if (isPart) button.querySelector(".title").textContent += ` (${node.children.length})`;
      this.setFolded(node, this.folded.get(node.key) ?? ((isPart || this.model.steps.length > unfoldedSteps) && !/[✗?]/.test(mark)));
    }
    return item;
  }

  /** Folds what is inside a node, or shows it, and keeps that. */
  fold(node, isFolded) {
    this.folded.set(node.key, isFolded);
    this.setFolded(node, isFolded);
    this.mark(this.chosen);
  }

  /** The rows inside a node are made when they are first shown. */
  setFolded(node, isFolded) {
    const { fold, children } = this.groups.get(node.key);
    fold.setAttribute("aria-expanded", String(!isFolded));
    children.hidden = isFolded;
    if (!isFolded && !children.childElementCount) children.append(...node.children.map((child) => this.item(child)));
  }

  /**
   * Marks the step of the cursor: its row, or the nearest one around it that is shown.
   * @param {number | null} index of the step
   * @param {boolean} isChosen whether it is the choice: then the rows around it unfold
   */
  mark(index, isChosen = false) {
    this.chosen = index;
    this.marked?.removeAttribute("aria-current");
    this.marked = null;
    const step = this.model.steps[index];
    if (!step) return;
    const words = step.path.split(".");
    if (isChosen) {
      const around = [step.path[0], ...words.slice(0, -1).map((_, length) => words.slice(0, length + 1).join("."))];
      for (const group of around.map((path) => this.groups.get(keyOfStep(step.source, path)))) if (group?.children.hidden) this.setFolded(group.node, false);
    }
    let shown = this.buttons.get(index);
    for (let length = words.length - 1; length > 0 && !this.isShown(shown); length -= 1) {
      shown = this.groups.get(keyOfStep(step.source, words.slice(0, length).join(".")))?.fold.nextSibling;
    }
    if (!this.isShown(shown)) return;
    this.marked = shown;
    shown.setAttribute("aria-current", "step");
    this.reveal();
  }

  /** Brings the marked row into sight; only the list scrolls, not the page around it. */
  reveal() {
    if (!this.marked) return;
    const { offsetTop, offsetHeight } = this.marked.parentElement, { scrollTop, clientHeight } = this.element;
    if (offsetTop < scrollTop || offsetTop + offsetHeight > scrollTop + clientHeight) this.element.scrollTop = offsetTop - clientHeight / 2;
  }

  isShown(button) { return button != null && !button.closest("ul[hidden]"); }
}
