// One scenario: its failures first, then lanes, list and details, which choose together.

function scenarioView(index, place) {
  const result = run.results[index];
  const view = make("div", {}, make("div", { class: "head" }, make("h1", {}, result.name), verdict(result)),
    make("p", { class: "facts" }, [result.id, `topology ${result.topology}`, `seed ${result.seed}`, formatSeconds(result.seconds), `${result.commands} commands`, ...result.tags].join(" · ")));
  if (result.quarantine) view.append(make("p", {}, `Quarantined: ${result.quarantine}`));
  if (result.remark) view.append(make("p", {}, result.remark));
  for (const failure of result.failures) view.append(failureCard(failure));
  for (const step of result.skipped ?? []) view.append(make("p", { class: "empty" }, `Step ${step.step} was skipped: ${step.reason}`));
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
    make("h2", {}, failure.step ? `Step ${failure.step}: ${failure.sentence ?? failure.title}` : "The scenario as a whole"),
    failureBody(failure),
    failure.source ? make("details", { open: true }, make("summary", {}, failure.place || "Source"), make("pre", { tabindex: "0" }, failure.source)) : null,
    failure.events?.length ? make("details", {}, make("summary", {}, "What happened in this step"), make("pre", { tabindex: "0" }, failure.events.join("\n"))) : null,
    make("p", {}, "Run it again: ", copyable(failure.replay)),
    failure.sharing ? make("p", {}, "What apps shared then: ", copyable(failure.sharing)) : null,
    failure.link ? make("p", {}, "How the link was then: ", copyable(failure.link)) : null);
}

/** Leads to other rounds of the scenario, and to a comparison with one of them. */
function otherRounds(index) {
  const others = siblings(index).filter((other) => other.index !== index);
  if (!others.length) return make("span", {});
  const label = ({ result }) => `${run.runs.length > 1 ? `${run.runs[result.run].label}, ` : ""}round ${result.round}: ${verdictWords[result.verdict]}`;
  return make("div", { class: "tools" }, make("label", {}, "Compare with ",
    choice("Compare with", [["", "another round…"], ...others.map((other) => [String(other.index), label(other)])], "", (value) => { if (value) location.hash = `s=${index}&with=${value}`; })));
}

function playground(view, index, result, model, place) {
  const state = { step: null, turn: null, event: null, arrow: null };
  const details = new Details(model, result, (choice) => select(choice));
  const namesIn = (word) => new Set((place.get(word) ?? "").split(","));
  const hidden = namesIn("hide");
  const timeline = new Timeline(model, (choice) => select(choice), { hidden: [...model.lanes.keys()].filter((lane) => hidden.has(model.lanes[lane].name)) });
  const list = new EventList(model, (choice) => select(choice));
  const count = make("span", { class: "totals", role: "status" });
  const shownKinds = new Set(kinds.map(([kind]) => kind).filter((kind) => namesIn("kinds").has(kind)));
  const search = make("input", { type: "search", placeholder: "Search events", "aria-label": "Search events", oninput: () => { refilter(); remember(); } });
  search.value = place.get("q") ?? "";
  /** What is chosen and filtered stands in the address, which can be kept and sent. */
  const remember = () => {
    if (live) return;
    const { step, turn, event, arrow } = state.choice ?? {};
    setAddress({ s: index, step, turn, e: event, arrow, q: search.value, kinds: [...shownKinds].join(","), hide: [...timeline.hidden].map((lane) => model.lanes[lane].name).join(",") });
  };
  const refilter = () => {
    const words = search.value.toLowerCase();
    const passes = (event) => !timeline.hidden.has(event.lane) && (!shownKinds.size || shownKinds.has(event.kind))
      && (!words || `${model.laneName(event)} ${event.name} ${event.step} ${event.raw}`.toLowerCase().includes(words));
    const isFiltered = words || shownKinds.size || timeline.hidden.size;
    const shown = list.filter(passes);
    count.textContent = isFiltered ? `${shown} of ${model.events.length} events` : `${model.events.length} events`;
    timeline.highlight({ ...state, found: isFiltered ? new Set(list.filtered.map((event) => event.index)) : null });
  };
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
  function select(choice, isFromPlace = false) {
    const arrow = choice.arrow != null ? model.arrows[choice.arrow] : null;
    state.choice = choice;
    state.arrow = choice.arrow ?? null;
    state.turn = choice.turn ?? null;
    state.span = choice.span ?? (choice.step != null || choice.turn != null ? model.spans.find((span) => span.step === choice.step && span.turn === choice.turn) : null);
    // The list and the arrow keys continue from where an arrow leads.
    state.event = arrow?.to ?? choice.event ?? null;
    if (choice.step != null) state.step = choice.step;
    else if (choice.turn != null) state.step = model.turns[choice.turn].step;
    else if (state.event != null) state.step = innermostStep(model, model.events[state.event]);
    timeline.highlight({ step: choice.step ?? null, turn: state.turn, event: state.event, arrow: state.arrow });
    list.mark({ event: state.event, step: choice.step ?? null });
    const anchor = state.event ?? model.events.find((event) => choice.step != null && model.isCaused(event, model.steps[choice.step].path))?.index;
    if (anchor != null) list.reveal(anchor);
    else if (choice.turn != null) list.reveal(firstAfter(model.events, model.turns[choice.turn].start, "time"));
    const span = state.span ?? (arrow ? { start: model.startOf(arrow), end: model.events[arrow.to].time } : null);
    if (span) timeline.reveal(span.start, span.end);
    else if (state.event != null) timeline.reveal(model.events[state.event].time, model.events[state.event].time);
    details.show(choice);
    if (!isFromPlace) remember();
  }
  /** Chooses the next arrow or bar from where the choice is. */
  function walk(word, direction) {
    const isArrow = word === "arrow";
    const time = state.event != null ? model.events[state.event].time : state.span?.start ?? timeline.from;
    const next = timeline.walk(isArrow ? model.arrows : model.spans, isArrow ? model.arrows[state.arrow] : state.span, direction, time);
    if (next) select(isArrow ? { arrow: model.arrows.indexOf(next) } : choiceOf(next));
  }
  view.append(
    make("div", { class: "tools" }, search,
      make("button", { type: "button", onclick: () => timeline.zoom(0.6) }, "Zoom in"), make("button", { type: "button", onclick: () => timeline.zoom(1.6) }, "Zoom out"),
      make("button", { type: "button", onclick: () => timeline.showAll() }, "Show all"), count),
    filters,
    make("div", { class: "play" }, make("div", {}, timeline.element, list.element), details.element));
  refilter();
  const failing = model.failingStep(result);
  if (place.has("arrow") && model.arrows[Number(place.get("arrow"))]) select({ arrow: Number(place.get("arrow")) }, true);
  else if (place.has("e") && model.events[Number(place.get("e"))]) select({ event: Number(place.get("e")) }, true);
  else if (place.has("turn") && model.turns[Number(place.get("turn"))]) select({ turn: Number(place.get("turn")) }, true);
  else if (place.has("step") && model.steps[Number(place.get("step"))]) select({ step: Number(place.get("step")) }, true);
  else if (failing >= 0) select({ step: failing }, true);
  else details.show({});
  if (model.sharing) view.append(make("details", {}, make("summary", {}, "What apps shared at the failure"), json(model.sharing)));
  if (model.link) view.append(make("details", {}, make("summary", {}, "How the links were at the failure"), json(model.link)));
  return {
    search,
    keys: {
      "+": () => timeline.zoom(0.6), "=": () => timeline.zoom(0.6), "-": () => timeline.zoom(1.6), "0": () => timeline.showAll(),
      ArrowRight: () => list.moveBy(1), ArrowLeft: () => list.moveBy(-1), ArrowDown: () => list.moveBy(1), ArrowUp: () => list.moveBy(-1),
      a: () => walk("arrow", 1), A: () => walk("arrow", -1), b: () => walk("bar", 1), B: () => walk("bar", -1),
      f: () => { if (failing >= 0) select({ step: failing }); },
    },
    redraw: () => timeline.draw(),
    print: (isOnPaper) => { list.print(isOnPaper); timeline.draw(); },
    follow: () => { timeline.showEnd(); list.showEnd(); },
    /** Adds events; selection and filters stay. */
    update: (next, isFollowed) => {
      const kindsBefore = present().size;
      const arrow = model.arrows[state.arrow];
      model = next;
      // Arrows and bars are computed anew; the selected one is found again by its ends.
      if (arrow) state.arrow = next.arrows.findIndex((other) => other.from === arrow.from && other.step === arrow.step && other.to === arrow.to);
      if (state.span) state.span = next.spans.find((span) => span.row === state.span.row && span.first === state.span.first && span.step === state.span.step && span.turn === state.span.turn);
      for (const part of [details, timeline, list]) part.replace(next);
      if (present().size !== kindsBefore) filters.replaceChildren(...filterButtons());
      refilter();
      if (isFollowed) { timeline.showEnd(); list.showEnd(); }
    },
  };
}

/** The smallest step that an event belongs to. */
function innermostStep(model, event) {
  let best = null;
  model.steps.forEach((step, index) => { if (step.path === event.cause && step.start <= event.time) best = index; });
  return best;
}
