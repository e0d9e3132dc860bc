// Two runs of a scenario side by side, process by process, with the first difference marked.

/** A text without identifiers, keys and numbers, which may stand within it; the same as `lab diff` compares. */
function plainText(text) {
  const isKey = (word) => /[A-Z]/.test(word) && /[a-z]/.test(word) && /[0-9+=]/.test(word);
  // A path may end with a UUID, and a key may have hexadecimal digits in a row: hence this order.
  return text.replace(/[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/g, "…")
    .replace(/[A-Za-z0-9+/=_-]{16,}/g, (word) => (isKey(word) ? "…" : word))
    .replace(/[0-9A-Fa-f]{8}[0-9A-Fa-f-]*/g, (word) => (/\d/.test(word) ? "…" : word))
    .replace(/[A-Z2-7]{5}(?:-[A-Z2-7]{5}){3}/g, "…")
    .replace(/\d+(?:\.\d+)?/g, "0");
}

/** What an event says without what is different every time, as `ComparableRun` has it: identifiers, times, keys. */
function essence(model, event) {
  const plain = (value) => {
    if (typeof value === "string") return plainText(value);
    if (typeof value === "number") return Number.isInteger(value) && value < 1000 ? value : 0;
    if (Array.isArray(value)) return value.map(plain);
    return value && typeof value === "object" ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)])) : value;
  };
  // A private key is saved without leading zero bytes, so that states differ in length.
  const { pid, port, milliseconds, bytes, ...rest } = model.fields(event);
  return `${event.cause} ${event.name} ${JSON.stringify(plain(rest))}`;
}

/** The first place where the events of a process differ; -1 when they do not. */
function firstDifference(left, right) {
  const length = Math.max(left.length, right.length);
  for (let index = 0; index < length; index += 1) if (left[index]?.essence !== right[index]?.essence) return index;
  return -1;
}

/** How processes start, and who waits for a lock, is different every time and means nothing. */
const unsteadyEvents = new Set(["process.started", "process.ready", "lock.requested"]);

/** The events of the steps, process by process, in the order in which `lab diff` compares them. */
function eventsByProcess(model) {
  const processes = new Map();
  const begin = model.steps[0]?.start ?? 0;
  // How processes are ended is not part of the scenario. A killed run has no end.
  const end = model.steps.reduce((last, step) => Math.max(last, step.end ?? -Infinity), -Infinity);
  // The processes of the topology come up on their own; on a busy machine some still do in the first step.
  const ready = new Map(model.events.filter(({ name }) => name === "process.ready").map((event) => [model.laneName(event), event.index]).reverse());
  const isComingUp = (event) => event.cause === "" && event.incarnation === 1 && event.index < (ready.get(model.laneName(event)) ?? 0);
  const isTold = (event) => event.time >= begin && (event.time <= end || end === -Infinity) && !unsteadyEvents.has(event.name) && !isComingUp(event);
  for (const event of model.events.filter(isTold)) push(processes, model.laneName(event), { event, essence: essence(model, event) });
  for (const [name, moments] of processes) processes.set(name, inSteadyOrder(model, moments));
  return processes;
}

/** Threads mix in another order each time: within a step only the events of one kind are ordered; retries count once. */
function inSteadyOrder(model, moments) {
  const times = new Map();
  for (const { path } of model.commands) times.set(path, (times.get(path) ?? 0) + 1);
  const seen = new Set();
  const isFirst = ({ event, essence }) => !(times.get(event.cause) > 1) || (!seen.has(essence) && seen.add(essence));
  const numbers = (path) => (path === "" ? [] : path.split(".").map(Number));
  const track = (event) => `${event.name.split(".", 1)[0]} ${model.fields(event).lock ?? ""}`;
  return moments.filter(isFirst).map((moment) => ({ ...moment, path: numbers(moment.event.cause), track: track(moment.event) }))
    .sort((one, other) => byPath(one.path, other.path) || compareTexts(one.track, other.track));
}

function byPath(one, other) {
  for (let place = 0; place < Math.min(one.length, other.length); place += 1) if (one[place] !== other[place]) return one[place] - other[place];
  return one.length - other.length;
}

function compareTexts(one, other) { return one < other ? -1 : Number(one > other); }

function sinceBegin(model, moment) { return moment ? moment.event.time - (model.steps[0]?.start ?? 0) : Infinity; }

function compareView(index, other) {
  const sides = [index, other].map((number) => ({ result: run.results[number], model: timelineOf(number) }));
  const view = make("div", {}, make("div", { class: "head" }, make("h1", {}, sides[0].result.name)),
    make("p", { class: "facts" }, `${sides.map(({ result }) => roundName(result)).join(" and ")}, compared by process, step and kind of event, without times, identifiers and keys.`));
  if (sides.some((side) => !side.model)) {
    view.append(make("p", { class: "empty" }, "One of them has no timeline."));
    return { view };
  }
  const [left, right] = sides.map((side) => eventsByProcess(side.model));
  const names = [...new Set([...left.keys(), ...right.keys()])];
  const differences = names.map((name) => {
    const place = firstDifference(left.get(name) ?? [], right.get(name) ?? []);
    const time = Math.min(...[left, right].map((side, number) => sinceBegin(sides[number].model, side.get(name)?.[place])));
    return { name, place, time };
  }).filter((difference) => difference.place >= 0).sort((a, b) => a.time - b.time || compareTexts(a.name, b.name));
  const decisive = decisiveTurn(...sides.map(({ model }) => model.turns));
  if (decisive != null) view.append(make("p", { class: "decisive" }, ...decisionParts(sides.map(({ model }) => model.turns[decisive]), decisive)));
  // Orders may differ while each process does the same: then the one with the turn is shown.
  if (!differences.length && decisive != null) {
    const { process } = sides.map(({ model }) => model.turns[decisive]).find(Boolean);
    differences.push({ name: names.find((name) => name.startsWith(`${process}#`)) ?? names[0], place: null });
  }
  if (!differences.length) {
    view.append(make("p", {}, "Both did the same, event by event."));
    return { view };
  }
  const body = make("div", {});
  let shown = null;
  const show = (name) => {
    shown?.forget();
    shown = new Comparison(sides, [left, right].map((side) => side.get(name) ?? []), name, differences.find((one) => one.name === name).place, decisive);
    body.replaceChildren(shown.element);
  };
  view.append(make("div", { class: "tools" }, differences[0].place == null ? "Each process did the same, event by event."
    : [make("span", {}, `The first difference is in ${differences[0].name}.`), choice("Process", differences.map((one) => [one.name, `${one.name}, from event ${one.place + 1}`]), differences[0].name, show)]), body);
  show(differences[0].name);
  return {
    view, redraw: () => shown.timelines.forEach((timeline) => timeline.draw()),
    keys: {
      "+": () => shown.timelines[0].zoom(0.6), "=": () => shown.timelines[0].zoom(0.6), "-": () => shown.timelines[0].zoom(1.6), "0": () => shown.showAll(),
      ArrowLeft: () => shown.turn(-1), ArrowRight: () => shown.turn(1), f: () => shown.turnTo(shown.place),
    },
  };
}

/** The place of the first turn that two orders do not have in common; null if neither has such a turn. */
function decisiveTurn(left, right) {
  const words = (turn) => turn && `${turn.process} ${turn.place} ${turn.dies}`;
  for (let place = 0; place < Math.max(left.length, right.length); place += 1) if (words(left[place]) !== words(right[place])) return place;
  return null;
}

/** What the turn that decides is in each order. */
function decisionParts(turns, place) {
  const number = turns.find(Boolean).number;
  return [make("strong", {}, `Turn ${number} decides.`), place ? " The turns before it are the same." : "", ...turns.flatMap((turn, side) => [side ? "; in the second " : " In the first ",
    ...(turn ? [make("code", {}, turn.process), turn.dies ? " is killed at " : " continues from ", make("code", {}, turn.place)] : ["there is no such turn"])]), "."];
}

/** Turns before and after the one that decides that are shown with it at first. */
const turnsAround = 6;

/** Events of a process that are shown at once. */
const eventsOfPage = 30;

/**
 * A process in two runs: its lanes one above the other on one axis, and its events side by side, page by page. Of two orders the
 * lanes have all processes with turns, and the turn that decides is marked.
 */
class Comparison {
  /**
   * @param {Array<{ result: object, model: TimelineModel }>} sides
   * @param {object[][]} events of the process in each
   * @param {string} name of the process
   * @param {number | null} place of the first event that differs; null if none does
   * @param {number | null} decisive place of the turn that decides
   */
  constructor(sides, events, name, place, decisive) {
    Object.assign(this, { sides, events, name, place, decisive });
    this.first = Math.max(0, place - 5);
    this.length = Math.max(...events.map((list) => list.length));
    this.says = make("span", { class: "totals", role: "status" });
    this.lists = make("div", { class: "sides" });
    this.earlier = make("button", { type: "button", onclick: () => this.turn(-1) }, "Earlier events");
    this.later = make("button", { type: "button", onclick: () => this.turn(1) }, "Later events");
    this.isWhole = false;
    const whole = make("button", { type: "button", "aria-pressed": "false", onclick: () => {
      this.isWhole = !this.isWhole;
      whole.setAttribute("aria-pressed", String(this.isWhole));
      this.drawLanes();
    } }, "All processes");
    this.lanes = make("div", { class: "both" });
    this.element = make("div", {},
      make("div", { class: "tools" }, whole, make("button", { type: "button", onclick: () => this.timelines[0].zoom(0.6) }, "Zoom in"),
        make("button", { type: "button", onclick: () => this.timelines[0].zoom(1.6) }, "Zoom out"), make("button", { type: "button", onclick: () => this.showAll() }, "Show all"),
        decisive == null ? null : make("button", { type: "button", onclick: () => this.showDecision() }, "Turn that decides")),
      this.lanes,
      make("div", { class: "tools" }, this.earlier, this.later, place == null ? null : make("button", { type: "button", onclick: () => this.turnTo(place) }, "First difference"), this.says),
      this.lists);
    this.drawLanes();
    this.drawLists();
  }

  /** The begin of the steps is the same moment in both. */
  drawLanes() {
    this.forget();
    const from = this.timelines?.[0].from, to = this.timelines?.[0].to;
    const shown = new Set(["steps", this.name.slice(0, this.name.lastIndexOf("#"))]);
    if (this.decisive != null) for (const { model } of this.sides) for (const { process } of model.turns) shown.add(process);
    this.timelines = this.sides.map(({ model }, number) => new Timeline(model, (choice) => this.choose(number, choice), {
      origin: model.steps[0]?.start ?? 0, hasAxis: number === 0, shows: this.isWhole ? null : (other) => shown.has(other.name),
      marked: this.events[number][this.place]?.event.index ?? null, decisive: model.turns[this.decisive] ? this.decisive : null,
    }));
    const [one, two] = this.timelines;
    one.bind(two);
    if (from != null) one.show(from, to); else if (this.decisive != null) this.showDecision(); else this.showAll();
    this.lanes.replaceChildren(...this.sides.map((side, number) => make("section", { "aria-label": `Lanes of the ${["first", "second"][number]} run` },
      make("p", {}, verdict(side.result), ` ${roundName(side.result)}, seed ${side.result.seed}`), this.timelines[number].element)));
  }

  showAll() {
    const [one] = this.timelines;
    const margin = one.furthest * 0.02;
    one.show(one.origin - margin, one.origin + one.furthest + margin);
  }

  /** Brings the turn that decides into sight in both orders, with some turns around it. */
  showDecision() {
    const times = this.timelines.flatMap(({ model, origin }) => model.turns.slice(Math.max(0, this.decisive - turnsAround), this.decisive + turnsAround + 1).map(({ start }) => start - origin));
    const [first, last] = [Math.min(...times), Math.max(...times)], [one] = this.timelines, margin = (last - first) * 0.1 + 1;
    one.show(one.origin + first - margin, one.origin + last + margin);
  }

  /** Leads from the lanes to the list: to the event that was chosen or, when another process has it, to the nearest one after it. */
  choose(number, choice) {
    const own = this.events[number].map((one) => one.event.index);
    const event = this.eventOf(number, choice, own);
    if (event == null || !own.length) return;
    const after = own.filter((index) => index >= event);
    const nearest = after.length ? after.reduce((one, other) => Math.min(one, other)) : own.reduce((one, other) => Math.max(one, other));
    this.timelines.forEach((timeline, other) => timeline.highlight({ event: other === number ? nearest : null }));
    this.turnTo(own.indexOf(nearest), [number, nearest]);
  }

  /** What an event, a moment, a turn, an arrow or a step of the lanes means in this process; of an arrow the end that it has. */
  eventOf(number, choice, own) {
    const { model } = this.sides[number];
    if (choice.event != null) return choice.event;
    if (choice.at != null) return firstAfter(model.events, choice.at, "time");
    if (choice.turn != null) return firstAfter(model.events, model.turns[choice.turn].start, "time");
    if (choice.arrow == null) return model.events.find((one) => model.isCaused(one, model.steps[choice.step].path) && model.laneName(one) === this.name)?.index;
    const { from, to } = model.arrows[choice.arrow];
    return own.includes(to) || !own.includes(from) ? to : from;
  }

  turn(by) {
    this.first = Math.min(Math.max(this.first + by * eventsOfPage, 0), Math.max(0, this.length - 1));
    this.drawLists();
  }

  turnTo(place, chosen = null) {
    this.first = Math.max(0, place - 5);
    this.drawLists(chosen);
  }

  drawLists(chosen = null) {
    const last = Math.min(this.first + eventsOfPage, this.length);
    this.earlier.disabled = this.first === 0;
    this.later.disabled = last >= this.length;
    this.says.textContent = `${this.place == null ? "" : this.place === 0 ? "They differ from the begin. " : `The same up to event ${this.place}. `}Events ${this.first + 1} to ${last} of ${this.length}.`;
    this.lists.replaceChildren(...this.sides.map((side, number) => this.list(side, this.events[number], ["First", "Second"][number], last, chosen?.[0] === number ? chosen[1] : null)));
  }

  list(side, events, label, last, chosen) {
    const rank = (place) => (this.place == null || place < this.place ? "same" : place === this.place ? "differs" : "");
    const rows = events.slice(this.first, last).map(({ event }, offset) => make("li", { class: rank(this.first + offset), "aria-current": event.index === chosen ? "true" : null },
      make("a", { href: `#s=${run.results.indexOf(side.result)}&e=${event.index}` }, formatTime(sinceBegin(side.model, { event }))), ` ${event.name}  ${factsLine(side.model.fields(event))}`));
    if (this.place != null && events.length <= this.place && this.first <= this.place && last >= this.place) rows.push(make("li", { class: "differs" }, "nothing more"));
    return make("section", { "aria-label": label }, make("p", {}, verdict(side.result), ` ${roundName(side.result)}, seed ${side.result.seed}`),
      rows.length ? make("ol", { start: String(this.first + 1) }, rows) : make("p", { class: "empty" }, "It has no events here."));
  }

  /** Releases what is no longer on the page. */
  forget() { this.timelines?.forEach((timeline) => timeline.observer.disconnect()); }
}
