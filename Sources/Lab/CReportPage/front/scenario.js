// One scenario: its failures first, then lanes, list and details, which choose together.

function scenarioView(index, place) {
  const result = run.results[index];
  const view = make("div", {}, make("div", { class: "head" }, make("h1", {}, result.name), verdict(result)),
    make("p", { class: "facts" }, [result.id, `topology ${result.topology}`, `seed ${result.seed}`, formatSeconds(result.seconds), `${result.commands} ${result.commands === 1 ? "command" : "commands"}`, ...result.tags].join(" · ")));
  if (result.quarantine) view.append(make("p", {}, "Quarantined: ", prose(result.quarantine)));
  if (result.remark) view.append(make("p", {}, prose(result.remark)));
  for (const failure of result.failures) view.append(failureCard(failure));
  for (const step of result.skipped ?? []) view.append(make("p", { class: "empty" }, `${capitalised(stepName(step.step))} was skipped: `, prose(step.reason)));
  view.append(otherRounds(index));
  const model = timelineOf(index);
  if (!model) {
    view.append(make("p", { class: "empty" }, "There is no timeline: its record was not beside the report when this page was written, or the scenario did not run."));
    return { view };
  }
  return { view, ...playground(view, index, result, model, place) };
}

function failureCard(failure) {
  return make("section", { class: `failure ${failure.verdict}`, "aria-label": "Failure" },
    make("h2", {}, failure.step ? [`${capitalised(stepName(failure.step))}: `, make("code", {}, failure.title)] : "The scenario as a whole"),
    failure.sentence ? make("p", { class: "empty" }, prose(failure.sentence)) : null,
    failureBody(failure),
    failure.source ? make("details", { open: true }, make("summary", {}, [failure.place || "Source", ...(failure.includedAt ?? []).map((place) => `included at ${place}`)].join(", ")), make("pre", { tabindex: "0" }, failure.source)) : null,
    failure.events?.length ? make("details", {}, make("summary", {}, "What happened in this step"), make("pre", { tabindex: "0" }, failure.events.join("\n"))) : null,
    failure.trace?.length ? make("details", {}, make("summary", {}, "Last events of the process"), make("pre", { tabindex: "0" }, failure.trace.join("\n"))) : null,
    make("p", {}, "Run it again: ", copyable(failure.replay)),
    failure.explain ? make("p", {}, "What the error means: ", copyable(`lab explain ${failure.explain}`)) : null,
    failure.passed ? make("p", {}, `It passed in ${failure.passed.run}: `, copyable(failure.passed.comparison)) : null,
    failure.sharing ? make("p", {}, "What apps shared then: ", copyable(failure.sharing)) : null,
    failure.link ? make("p", {}, "How the link was then: ", copyable(failure.link)) : null);
}

/** Other rounds of a scenario that have a link of their own; more of them are in a list. */
const linkedRounds = 4;

/** Leads to a comparison with another round of the scenario, or with the other run. */
function otherRounds(index) {
  const others = [...siblings(index).filter((other) => other.index !== index), ...otherOrders(index)];
  if (!others.length) return make("span", {});
  const label = ({ result }) => `${roundName(result)} (${verdictWords[result.verdict]})`;
  if (others.length <= linkedRounds) return make("p", {}, "Compare with ", others.flatMap((other, place) => [place ? ", " : "", make("a", { href: `#s=${index}&with=${other.index}` }, label(other))]));
  return make("div", { class: "tools" }, make("label", {}, "Compare with ",
    choice("Compare with", [["", "another round…"], ...others.map((other) => [String(other.index), label(other)])], "", (value) => { if (value) location.hash = `s=${index}&with=${value}`; })));
}

/**
 * Scrubber, steps, file, bench, lanes, list, requests and panel of one scenario. All of them show one state: what is chosen, and the
 * cursor, which is the moment of the choice. `select` is the only function that changes it.
 */
function playground(view, index, result, model, place) {
  const state = {
    /** What is chosen: a step, a turn, an event, an arrow, a bar, or only a moment (`at`). */
    choice: {},
    /** The thing of the bench that the panel shows instead. */
    thing: null,
    /** @type {Cursor} */
    cursor: { time: 0, count: 0 },
    /** The step around the cursor; the bench marks what has changed since it began. */
    step: null, turn: null, event: null, arrow: null, span: null,
  };
  const details = new Details(model, result, (choice) => select(choice));
  const namesIn = (word) => new Set((place.get(word) ?? "").split(","));
  const hidden = namesIn("hide");
  const failing = model.failingStep(result);
  const timeline = new Timeline(model, (choice) => select(choice), { isAlone: true, ...rangeOf(model, failing), hidden: [...model.lanes.keys()].filter((lane) => hidden.has(model.lanes[lane].name)) });
  const list = new EventList(model, (choice) => select(choice));
  const bench = new Bench(model, (choice) => select(choice));
  const tree = new StepTree(model, (choice) => select(choice), result.id == null ? undefined : rowOf(result));
  const scrubber = new Scrubber(model, { seek: (time) => select({ at: time }), event: (by) => list.moveBy(by), step: (by) => moveByStep(by), select: (choice) => select(choice) });
  const file = new ScenarioFile(model, (choice) => select(choice));
  const requests = new RequestTable(model, (choice) => select(choice), details);
  const parts = [details, timeline, list, bench, tree, scrubber, file, requests];
  const count = make("span", { class: "totals", role: "status" });
  const shownKinds = new Set(kinds.map(([kind]) => kind).filter((kind) => namesIn("kinds").has(kind)));
  const search = make("input", { type: "search", placeholder: "Search events", "aria-label": "Search events", oninput: () => { refilter(); remember(); } });
  search.value = place.get("q") ?? "";
  /** What is chosen and filtered stands in the address, which can be kept and sent. */
  const remember = () => {
    if (live) return;
    const { step, turn, event, arrow, at } = state.choice;
    setAddress({ s: index, step, turn, e: event, arrow, at, thing: state.thing, q: search.value, kinds: [...shownKinds].join(","), hide: [...timeline.hidden].map((lane) => model.lanes[lane].name).join(",") });
  };
  let found = null;
  const refilter = () => {
    const words = search.value.toLowerCase();
    const passes = (event) => !timeline.hidden.has(event.lane) && (!shownKinds.size || shownKinds.has(event.kind))
      && (!words || `${model.laneName(event)} ${event.name} ${event.step} ${event.raw}`.toLowerCase().includes(words));
    const isFiltered = words || shownKinds.size || timeline.hidden.size;
    const shown = list.filter(passes);
    count.textContent = isFiltered ? `${shown} of ${model.events.length} events` : `${model.events.length} events`;
    found = isFiltered ? new Set(list.filtered.map((event) => event.index)) : null;
    highlight();
  };
  const highlight = () => timeline.highlight({ step: state.choice.step ?? null, turn: state.turn, event: state.event, arrow: state.arrow, span: state.span, found, cursor: state.cursor.time });
  timeline.changed = () => { refilter(); remember(); };
  const present = () => new Set(model.events.map((event) => event.kind));
  const filterButtons = () => kinds.filter(([kind]) => present().has(kind)).map(([kind, words]) => {
    const button = make("button", { type: "button", "aria-pressed": String(shownKinds.has(kind)), onclick: () => {
      shownKinds[shownKinds.has(kind) ? "delete" : "add"](kind);
      button.setAttribute("aria-pressed", String(shownKinds.has(kind)));
      refilter();
      remember();
    } }, make("i", { style: `background:var(--${kind})` }), words);
    return button;
  });
  const filters = make("div", { class: "kinds" }, filterButtons());
  /** The moment of a choice: a step, a turn or an arrow has ended then, a bar begins. */
  function cursorOf({ step, turn, event, arrow, span, at }) {
    if (arrow != null) return model.cursorAfter(model.arrows[arrow].to);
    if (event != null) return model.cursorAfter(event);
    if (span?.first != null) return model.cursorAfter(span.first);
    if (turn != null) return model.states.cursorAt(model.spans.find((one) => one.turn === turn).end - 0.5);
    if (step != null) return model.states.cursorAt(model.steps[step].end ?? model.end);
    // How processes are ended is not part of the scenario.
    const last = live ? -Infinity : model.steps.reduce((end, one) => Math.max(end, one.end ?? model.end), -Infinity);
    return model.states.cursorAt(at ?? (last > 0 ? last : model.end));
  }
  /** Commands from outside of a live page are no steps: before its first step it compares with what it found. */
  const opened = () => (state.cursor.time >= model.record.opened ? model.record.opened + 1 : null);
  /** Where the step of the cursor began; of a turn, the turn. */
  const beginning = () => model.states.cursorAt(((state.choice.turn != null ? state.span?.start : null) ?? model.steps[state.step]?.start ?? opened() ?? 0) - 0.5);
  function select(choice, { isFromPlace = false, isShown = true } = {}) {
    if (choice.thing !== undefined) state.thing = choice.thing === state.thing ? null : choice.thing;
    else {
      // Moving the scrubber does not close the open thing.
      if (choice.at == null) state.thing = null;
      choose(choice, isShown);
    }
    show();
    if (!isFromPlace) remember();
  }
  /** @param {boolean} isShown whether the lanes move to it */
  function choose(choice, isShown) {
    const arrow = choice.arrow != null ? model.arrows[choice.arrow] : null;
    state.choice = choice;
    state.cursor = cursorOf(choice);
    state.arrow = choice.arrow ?? null;
    state.turn = choice.turn ?? model.turnAt(state.cursor.time);
    state.span = choice.span ?? (choice.step != null || choice.turn != null ? model.spanOf(choice) : null);
    // The list and the arrow keys continue from where an arrow leads.
    state.event = arrow?.to ?? choice.event ?? null;
    state.step = choice.step ?? (choice.turn != null ? model.turns[choice.turn].step : null)
      ?? (state.event != null ? innermostStep(model, model.events[state.event]) : null) ?? model.stepAt(state.cursor.time);
    if (isNothing(choice)) return;
    const own = choice.step != null ? model.steps[choice.step] : null;
    const anchor = state.event ?? model.events.find((event) => choice.step != null && model.isCaused(event, model.steps[choice.step].path))?.index;
    list.reveal(anchor ?? (choice.turn != null ? firstAfter(model.events, model.turns[choice.turn].start, "time") : Math.max(0, state.cursor.count - 1)));
    if (!isShown) return;
    const span = (own ? { start: own.start, end: own.end ?? model.end } : state.span) ?? (arrow ? { start: model.startOf(arrow), end: model.events[arrow.to].time } : { start: state.cursor.time, end: state.cursor.time });
    timeline.reveal(span.start, span.end);
  }
  /** Shows the state in all parts. */
  function show() {
    const step = model.steps[state.step];
    // A picture has no list of steps beside the bench.
    const sentence = document.documentElement.dataset.picture === "bench" ? `: ${step?.sentence ?? step?.title}` : "";
    const words = [step && `${stepName(step.path)}${sentence}`, `real time ${formatTime(Math.round(state.cursor.time))}`,
      model.clock.wasChanged && `lab's clock ${formatLabTime(Math.round(model.clock.at(state.cursor.time)), 1e3)}`].filter(Boolean).join(" · ");
    highlight();
    list.mark({ event: state.event, step: state.choice.step ?? null, count: state.cursor.count });
    tree.mark(state.step, state.choice.step != null);
    file.mark(state.step);
    requests.mark(state.cursor.time);
    scrubber.show(state.cursor.time, words);
    bench.show(state.cursor, beginning(), state.thing, state.choice.turn != null ? `turn ${model.turns[state.choice.turn].number} began` : step ? `${stepName(step.path)} began` : opened() != null ? "this page was opened" : "the start");
    details.show({ ...state.choice, thing: state.thing }, state.cursor, beginning());
  }
  /** Chooses the next arrow or bar from where the choice is. */
  function walk(word, direction) {
    const isArrow = word === "arrow";
    const time = state.event != null ? model.events[state.event].time : state.span?.start ?? timeline.from;
    const next = timeline.walk(isArrow ? model.arrows.filter((one) => !one.isEarlierAttempt) : model.spans, isArrow ? model.arrows[state.arrow] : state.span, direction, time);
    if (next) select(isArrow ? { arrow: model.arrows.indexOf(next) } : choiceOf(next));
  }
  /** Chooses the step that ends next after the cursor, or that ended last before it; blocks are passed with their last step. */
  function moveByStep(by) {
    const isBlock = new Set(model.steps.map((step) => `${step.source ?? ""} ${step.path.slice(0, Math.max(0, step.path.lastIndexOf(".")))}`));
    const end = (step) => model.steps[step].end ?? model.end;
    const chosen = state.choice.step;
    const steps = [...model.steps.keys()].filter((step) => step === chosen || !isBlock.has(`${model.steps[step].source ?? ""} ${model.steps[step].path}`)).sort((a, b) => end(a) - end(b) || a - b);
    const next = chosen != null ? steps[steps.indexOf(chosen) + by] : by > 0 ? steps.find((step) => end(step) > state.cursor.time) : steps.findLast((step) => end(step) < state.cursor.time);
    if (next != null) select({ step: next });
  }
  view.append(
    scrubber.element,
    make("div", { class: "play" }, make("div", { class: "left" }, tree.element, file.element), bench.element,
      make("div", { class: "moments" },
        make("div", { class: "tools" }, search,
          make("button", { type: "button", onclick: () => timeline.zoom(0.6) }, "Zoom in"), make("button", { type: "button", onclick: () => timeline.zoom(1.6) }, "Zoom out"),
          make("button", { type: "button", onclick: () => timeline.showAll() }, "Show all"), count),
        filters, timeline.element, list.element, requests.element),
      details.element));
  refilter();
  const number = (word, things) => (place.has(word) && (things ? things[Number(place.get(word))] : Number.isFinite(Number(place.get(word)))) ? Number(place.get(word)) : null);
  const [arrow, event, turn, at] = [number("arrow", model.arrows), number("e", model.events), number("turn", model.turns), number("at")];
  // A step is meant by its place in the run, or, as people name it, by its number; of one that was repeated, the last time.
  const after = model.steps.findLastIndex((step) => step.path === place.get("after") && step.end != null);
  const step = number("step", model.steps) ?? (after >= 0 ? after : null);
  select(arrow != null ? { arrow } : event != null ? { event } : turn != null ? { turn } : step != null ? { step } : at != null ? { at } : failing >= 0 ? { step: failing } : {}, { isFromPlace: true, isShown: [arrow, event, turn, step, at].some((one) => one != null) });
  if (place.has("thing")) select({ thing: place.get("thing") }, { isFromPlace: true });
  if (model.sharing) view.append(make("details", {}, make("summary", {}, "What apps shared at the failure"), json(model.sharing)));
  if (model.link) view.append(make("details", {}, make("summary", {}, "How the links were at the failure"), json(model.link)));
  /** What a key has chosen gets its tooltip. */
  const telling = (move) => () => { move(); timeline.tellAt(state.choice); };
  return {
    search,
    keys: {
      "+": () => timeline.zoom(0.6), "=": () => timeline.zoom(0.6), "-": () => timeline.zoom(1.6), "0": () => timeline.showAll(),
      ArrowRight: telling(() => list.moveBy(1)), ArrowLeft: telling(() => list.moveBy(-1)), ArrowDown: telling(() => list.moveBy(1)), ArrowUp: telling(() => list.moveBy(-1)),
      "Shift+ArrowRight": telling(() => moveByStep(1)), "Shift+ArrowLeft": telling(() => moveByStep(-1)), "Shift+ArrowDown": telling(() => moveByStep(1)), "Shift+ArrowUp": telling(() => moveByStep(-1)),
      a: telling(() => walk("arrow", 1)), A: telling(() => walk("arrow", -1)), b: telling(() => walk("bar", 1)), B: telling(() => walk("bar", -1)),
      f: () => { if (failing >= 0) select({ step: failing }); },
    },
    redraw: () => timeline.resize(),
    print: (isOnPaper) => { list.print(isOnPaper); timeline.draw(); },
    /** Goes to the present; the thing that is open stays open. */
    follow: () => { choose({}, false); show(); timeline.showEnd(); list.showEnd(); },
    isAtEnd: () => isNothing(state.choice),
    /** Adds events; selection and filters stay. The cursor stays too, or is at the end when that is followed and nothing is chosen. */
    update: (next, isFollowed) => {
      const kindsBefore = present().size;
      const arrow = model.arrows[state.arrow];
      model = next;
      // Arrows and bars are computed anew; the selected one is found again by its ends.
      if (arrow) state.arrow = next.arrows.findIndex((other) => other.from === arrow.from && other.step === arrow.step && other.to === arrow.to);
      if (state.span) state.span = next.spans.find((span) => ["row", "lane", "first", "step", "turn"].every((name) => span[name] === state.span[name]) && (span.kind !== "band" || span.start === state.span.start));
      for (const part of parts) part.replace(next);
      if (present().size !== kindsBefore) filters.replaceChildren(...filterButtons());
      refilter();
      if (isFollowed && isNothing(state.choice)) { state.cursor = cursorOf({}); state.step = next.stepAt(state.cursor.time); show(); }
      if (isFollowed) { timeline.showEnd(); list.showEnd(); }
    },
  };
}

/** What the lanes show first: from the first step to the one that failed, else to the end of the last before the tear-down. */
function rangeOf(model, failing) {
  if (live) return {};
  const { start, end } = model.body, step = model.steps[failing];
  if (step?.fine !== false) return { begin: start, end };
  return { begin: Math.min(start, step.start), end: step.end ?? model.end };
}

/** Whether a choice chooses nothing: the cursor is at the end then. */
function isNothing(choice) { return Object.values(choice).every((value) => value == null); }

/** The smallest step that an event belongs to. */
function innermostStep(model, event) {
  let best = null;
  model.steps.forEach((step, index) => { if (step.path === event.cause && step.start <= event.time) best = index; });
  return best;
}
