// Two runs of a scenario side by side, process by process, with the first difference marked.

/** What an event says without what is different every time: identifiers, times, keys. */
function essence(model, event) {
  const plain = (value) => {
    if (typeof value === "string") return /^[0-9a-f-]{8,}$|^[A-Za-z0-9+/=_-]{16,}$/.test(value) ? "…" : value.replace(/\d+(\.\d+)?/g, "0");
    if (typeof value === "number") return Number.isInteger(value) && value < 1000 ? value : 0;
    if (Array.isArray(value)) return value.map(plain);
    return value && typeof value === "object" ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)])) : value;
  };
  const { pid, port, milliseconds, ...rest } = model.fields(event);
  return `${event.name} ${event.step} ${JSON.stringify(plain(rest))}`;
}

/** The first place where the events of a process differ; -1 when they do not. */
function firstDifference(left, right) {
  const length = Math.max(left.length, right.length);
  for (let index = 0; index < length; index += 1) if (left[index]?.essence !== right[index]?.essence) return index;
  return -1;
}

/** The events of the steps. How processes start, and who waits for a lock, is different every time and means nothing. */
function eventsByProcess(model) {
  const processes = new Map();
  const begin = model.steps[0]?.start ?? 0;
  const told = model.events.filter((event) => event.time >= begin && event.name !== "lock.requested");
  for (const event of told) push(processes, model.laneName(event), { event, essence: essence(model, event) });
  return processes;
}

function compareView(index, other) {
  const sides = [index, other].map((number) => ({ result: run.results[number], model: timelineOf(number) }));
  const view = make("div", {}, make("div", { class: "head" }, make("h1", {}, sides[0].result.name)),
    make("p", { class: "facts" }, "Process by process; times, identifiers and keys are left out of the comparison."));
  if (sides.some((side) => !side.model)) {
    view.append(make("p", { class: "empty" }, "One of them has no timeline."));
    return { view };
  }
  const [left, right] = sides.map((side) => eventsByProcess(side.model));
  const names = [...new Set([...left.keys(), ...right.keys()])];
  const differences = names.map((name) => {
    const place = firstDifference(left.get(name) ?? [], right.get(name) ?? []);
    const time = Math.min(...[left, right].map((side) => side.get(name)?.[place]?.event.time ?? Infinity));
    return { name, place, time };
  }).filter((difference) => difference.place >= 0).sort((a, b) => a.time - b.time);
  if (!differences.length) {
    view.append(make("p", {}, "Both did the same, event by event."));
    return { view };
  }
  const body = make("div", {});
  const show = (name) => body.replaceChildren(sideBySide(sides, left.get(name) ?? [], right.get(name) ?? [], differences.find((one) => one.name === name).place));
  view.append(make("div", { class: "tools" }, make("span", {}, `The first difference is in ${differences[0].name}.`),
    choice("Process", differences.map((one) => [one.name, `${one.name}, from event ${one.place + 1}`]), differences[0].name, show)), body);
  show(differences[0].name);
  return { view };
}

function sideBySide(sides, left, right, place) {
  const first = Math.max(0, place - 5), last = place + 25;
  const column = (side, events, label) => make("section", { "aria-label": label },
    make("p", {}, verdict(side.result), ` round ${side.result.round}, seed ${side.result.seed}`),
    make("ol", {}, events.slice(first, last).map(({ event }, offset) => make("li", { class: first + offset < place ? "same" : first + offset === place ? "differs" : "" },
      make("a", { href: `#s=${run.results.indexOf(side.result)}&e=${event.index}` }, formatTime(event.time)), ` ${event.name}  ${factsLine(side.model.fields(event))}`)),
      events.length <= place ? make("li", { class: "differs" }, "nothing more") : null));
  return make("div", {}, make("p", { class: "totals" }, place === 0 ? "They differ from the begin." : `The same up to event ${place}.`),
    make("div", { class: "sides" }, column(sides[0], left, "First"), column(sides[1], right, "Second")));
}
