// Reading what the page was written with. A scenario's timeline is parsed when it is opened, not before.

/** The results, and what they need; empty until it is read. */
let run = { results: [], runs: [], meanings: {}, kept: {} };
const timelines = new Map();

/** Reads the overview, which is compressed if it is long. */
async function loadRun() { run = JSON.parse(await documentIn(document.getElementById("run"))); }

/** Reads the timelines of results by their places in the run, so that they can be shown. */
async function loadTimelines(indices) {
  for (const index of indices.filter((index) => !timelines.has(index))) {
    const block = document.getElementById(`timeline-${index}`);
    const record = block ? recordOf(JSON.parse(await documentIn(block))) : null;
    if (record) markLateFailures(record, run.results[index]);
    timelines.set(index, record && new TimelineModel(record));
  }
}

/** A step that passed may fail at the end of the scenario, such as one whose fault never fired. */
function markLateFailures(record, result) {
  for (const { step: path } of result.failures) {
    const steps = record.steps.filter((step) => step.path === path);
    if (steps.length && steps.every((step) => step.fine !== false)) steps.at(-1).failedLater = true;
  }
}

/** The text of a block; long ones are compressed. */
async function documentIn(block) {
  if (block.type === "application/json") return block.textContent;
  const bytes = Uint8Array.from(atob(block.textContent), (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
}

/** A timeline that was loaded; null when its record was not there when the page was written. */
function timelineOf(index) {
  return timelines.get(index) ?? null;
}

/** Where an event belongs: decides its colour and the filter that shows it. */
const kinds = [
  ["step", "steps"], ["command", "commands"], ["http", "HTTP"], ["lock", "locks"], ["operation", "operations"],
  ["link", "watch link"], ["state", "state and tokens"], ["fault", "faults"], ["process", "processes and clock"],
  ["other", "everything else"],
];

const kindOfFamily = {
  command: "command", http: "http", server: "http", lock: "lock", operation: "operation", link: "link", session: "link",
  state: "state", counter: "state", memory: "state", keychain: "state", token: "state", fault: "fault", disk: "fault",
  process: "process", device: "process", clock: "process",
};

function kindOfEvent(name) {
  if (name.endsWith(".faulted")) return "fault";
  return kindOfFamily[name.slice(0, name.indexOf("."))] ?? "other";
}

/** One scenario: its lanes, what happened in them, and what belongs together. Times are microseconds from its begin. */
class TimelineModel {
  constructor(record) {
    this.record = record;
    this.lanes = record.lanes;
    this.steps = record.steps;
    this.notRun = record.notRun;
    this.commands = record.commands;
    this.turns = record.turns;
    this.requests = record.requests;
    this.logs = record.logs;
    this.sharing = record.sharing;
    this.link = record.link;
    const { t, lane, inc, name, op, fields } = record.events;
    const texts = record.texts;
    this.events = t.map((time, index) => ({
      index, time, lane: lane[index], incarnation: inc[index], name: texts[name[index]],
      kind: kindOfEvent(texts[name[index]]), step: op[index] < 0 ? "" : texts[op[index]], raw: texts[fields[index]],
    }));
    /** Whether the steps around failed ones allow that, computed on demand. */
    this.allowed = new Map();
    this.inferCauses();
    this.end = Math.max(1, ...[this.events.at(-1)?.time ?? 0, this.steps.reduce((end, s) => Math.max(end, s.end ?? s.start), 0), this.turns.at(-1)?.start ?? 0]);
    const spans = [...this.stepSpans(), ...this.eventSpans()];
    this.arrows = this.findArrows();
    this.exchanges = this.joinRequests(spans.filter((span) => span.kind === "http"));
    this.clock = new ShownClock(this);
    this.cast = new Cast(this);
    this.states = new States(this);
    this.bands = this.states.bands();
    this.spans = [...this.bundled(spans), ...this.turnSpans(), ...this.bands];
  }

  /** Work on other threads names no step; what happens in a process while it carries a command out is put down to that. */
  inferCauses() {
    const open = new Map();
    for (const event of this.events) {
      const at = `${event.lane}#${event.incarnation}`;
      if (event.name === "command.started") push(open, at, event.step);
      if (event.name === "command.finished") take(open, at, (step) => step === event.step);
      event.cause = event.step || open.get(at)?.at(-1) || "";
    }
  }

  fields(event) {
    event.fields ??= event.raw === "" ? {} : JSON.parse(event.raw);
    return event.fields;
  }

  /** @returns {Cursor} the moment after an event */
  cursorAfter(index) { return { time: this.events[index].time, count: index + 1 }; }

  /** The step that a command belongs to; a step that is repeated has a time for each round. */
  stepOf(command) {
    return this.steps.find((step) => step.path === command.path && step.source === command.source && step.start <= command.t && command.t <= (step.end ?? Infinity));
  }

  /** What a command was given, in the words of its step, or else as it is written. */
  argumentsOf(command) {
    const sentence = this.stepOf(command)?.sentence ?? "";
    const told = sentence.match(/\(([^()]*=[^()]*)\)$/)?.[1];
    // A note of the step stands in place of its sentence.
    const written = told == null && this.writtenFor(command).match(/\bwith: *\{([^{}]*)\}/)?.[1];
    if (!written) return told ?? sentence;
    const quoted = (value) => (/^(".*"|\[.*|[\d.]+|true|false)$/.test(value) ? value : `"${value}"`);
    return [...written.matchAll(/(\w+): *("[^"]*"|\[[^\]]*\]|[^,]+)/g)].map(([, name, value]) => `${name}=${quoted(value.trim())}`).join(", ");
  }

  /** A command with its arguments, as far as the record has them: in the words of its step, or in the lines of its source. */
  writtenFor(command) {
    const step = this.stepOf(command);
    return `${step?.sentence ?? ""}\n${step?.text?.split("\n").slice(step.line - 1, step.lastLine).join("\n") ?? ""}`;
  }

  /** The innermost step of a moment: of those that run then, else of those before it, the one that began last. */
  stepAt(time) {
    let best = null;
    this.steps.forEach((step, index) => {
      if (step.start > time) return;
      const [isOver, wasOver] = [step, this.steps[best]].map((one) => (one?.end ?? Infinity) < time);
      if (best == null || wasOver || !isOver) best = index;
    });
    return best;
  }

  /** The turn of a moment, in the block that runs then. */
  turnAt(time) {
    const index = firstAfter(this.turns, time + 1e-6, "start") - 1;
    return index >= 0 && time <= (this.steps[this.turns[index].step].end ?? this.end) ? index : null;
  }

  /** A moment in words; also by the lab's clock where that was changed. */
  moment(time) { return this.clock.wasChanged ? `${formatTime(time)}; lab's clock ${formatLabTime(this.clock.at(time))}` : formatTime(time); }

  laneName(event) { return `${this.lanes[event.lane].name}#${event.incarnation}`; }

  stepSpans() {
    return this.steps.map((step, index) => ({
      row: "steps", lane: 0, kind: "step", start: step.start, end: step.end ?? this.end, isOpen: step.end == null,
      isBad: this.isBad(step), isInconclusive: this.isInconclusive(step), label: `${step.path} ${step.sentence ?? step.title}`, step: index,
    }));
  }

  /** The bar of a step or a turn; an attempt has that of all attempts. */
  spanOf({ step, turn }) {
    return this.spans.find((span) => (turn != null ? span.turn === turn : span.step != null && (span.step === step || span.attempts?.some((one) => one.step === step))));
  }

  /**
   * Bars with the attempts of a step as one bar with their count: those of a step that repeats its command until the answer fits, and of the
   * steps of an `eventually`. The last attempt decides. Arrows of the others are marked, too.
   */
  bundled(spans) {
    const scopes = new Map();
    const calls = new Map();
    for (const command of this.commands) push(calls, keyOfStep(command.source, command.path), command.t);
    for (const step of this.steps) {
      const times = calls.get(keyOfStep(step.source, step.path)) ?? [];
      if (step.title === "eventually" || times.filter((time) => step.start <= time && time <= (step.end ?? Infinity)).length > 1) push(scopes, step.path, step);
    }
    if (!scopes.size) return spans;
    /** The outermost step that repeats what is at a path, at a time. */
    const scopeOf = (path, time) => {
      const words = path.split(".");
      for (let length = 1; length <= words.length; length += 1) {
        const scope = scopes.get(words.slice(0, length).join("."))?.find((step) => step.start <= time && time <= (step.end ?? Infinity));
        if (scope) return scope;
      }
      return null;
    };
    const groups = new Map();
    for (const span of spans) {
      const path = span.step != null ? this.steps[span.step].path : this.events[span.first].cause;
      const scope = path === "" ? null : scopeOf(path, span.start);
      // The step that repeats its command has one bar already.
      const isAttempt = scope && !(span.step != null && scope === this.steps[span.step]);
      push(groups, isAttempt ? `${scope.start} ${path} ${span.lane} ${span.row} ${span.kind} ${span.step != null ? "" : span.name ?? ""}` : span, span);
    }
    const lastOf = new Map();
    const bundles = [...groups.values()].map((attempts) => {
      const last = attempts.at(-1);
      if (attempts.length === 1) return last;
      if (last.kind === "command") lastOf.set(this.events[last.first].cause, last.start);
      return { ...last, start: attempts[0].start, first: attempts[0].first, attempts, label: `${attempts.length} × ${last.label}` };
    });
    for (const arrow of this.arrows) {
      const { cause, time } = this.events[arrow.to];
      arrow.isEarlierAttempt = time < (lastOf.get(cause) ?? 0) && scopeOf(cause, time) === scopeOf(cause, lastOf.get(cause));
    }
    return bundles;
  }

  /** From the first step to the end of the last, without set-up and tear-down, which are the same for many scenarios. */
  get body() {
    const own = this.steps.filter((step) => !/^[st](\d|$)/.test(step.path));
    const steps = own.length ? own : this.steps;
    return { start: steps[0]?.start ?? 0, end: steps.length ? steps.reduce((end, step) => Math.max(end, step.end ?? this.end), 0) : this.end };
  }

  /** The lanes in which nothing happens between the first step and the tear-down. */
  idleLanes() {
    const { start, end } = this.body;
    const busy = new Set(this.events.filter((event) => event.time >= start && event.time <= end).map((event) => event.lane));
    for (const span of this.spans) if (span.start <= end && span.end >= start) busy.add(span.lane);
    return new Set([...this.lanes.keys()].filter((lane) => !busy.has(lane)));
  }

  /** A process has its turn until the next one is given, the last one until the block ends. */
  turnSpans() {
    return this.turns.map((turn, index) => {
      const next = this.turns[index + 1], { end } = this.steps[turn.step];
      const isLast = next?.step !== turn.step;
      return {
        row: "turns", lane: this.lanes.findIndex((lane) => lane.name === turn.process), kind: "turn", start: turn.start,
        end: isLast ? end ?? this.end : next.start, isOpen: isLast && end == null, turn: index,
        label: `${turn.number} ${turn.place}${turn.dies ? " †" : ""}`, title: `turn ${turn.number}: ${turn.process} ${turn.dies ? "is killed at" : "continues from"} ${turn.place}`,
      };
    });
  }

  /** Bars between an event that begins something and the one that ends it, lane by lane. */
  eventSpans() {
    const spans = [];
    const open = new Map();
    const begin = (key, event, row, kind, label) => open.set(key, { event, row, kind, label });
    const finish = (key, event) => {
      const begun = open.get(key);
      if (!begun) return null;
      open.delete(key);
      const span = this.span(begun, event);
      spans.push(span);
      return span;
    };
    for (const event of this.events) {
      const at = `${event.lane}#${event.incarnation}`;
      const fields = () => this.fields(event);
      switch (event.name) {
        case "command.started": begin(`${at} command ${event.step}`, event, "commands", "command", fields().command); break;
        case "command.finished": {
          const span = finish(`${at} command ${event.step}`, event);
          if (span && fields().error) { span.isBad = !this.isExpected(event); span.label += `: ${fields().error}`; }
          break;
        }
        case "lock.requested":
          begin(`${at} waits ${fields().lock}`, event, `${fields().lock} lock`, "waiting", `waits for ${fields().lock}`); break;
        case "lock.taken":
          finish(`${at} waits ${fields().lock}`, event);
          begin(`${at} lock ${fields().lock}`, event, `${fields().lock} lock`, "lock", `holds ${fields().lock}`); break;
        case "lock.released": finish(`${at} lock ${fields().lock}`, event); break;
        case "operation.started": begin(`${at} operation`, event, "operation", "operation", fields().type); break;
        case "operation.finished": finish(`${at} operation`, event); break;
        case "http.request":
          begin(`${at} http ${event.step} ${fields().path}`, event, "requests", "http", fields().path); break;
        case "http.response": case "http.failed": {
          const span = finish(`${at} http ${event.step} ${fields().path}`, event);
          if (span && (event.name === "http.failed" || fields().status >= 400)) span.isBad = !this.isExpected(event);
          if (span) span.label += event.name === "http.failed" ? " failed" : ` ${fields().status}`;
          break;
        }
        case "server.request": begin(`${at} serve ${event.step} ${fields().path}`, event, "requests", "http", fields().path); break;
        case "server.response": {
          const span = finish(`${at} serve ${event.step} ${fields().path}`, event);
          if (span) { span.label += ` ${fields().status}`; span.isBad = fields().status >= 400 && !this.isExpected(event); }
          break;
        }
        case "fault.fired": if (fields().action === "kill") this.lifeChange({ ...event, name: "process.ended" }); break;
        case "process.ended": case "process.suspended": case "process.resumed": this.lifeChange(event); break;
      }
    }
    for (const [key, begun] of open) {
      const [at] = key.split(" ");
      const last = this.endOfLife(at);
      spans.push({ ...this.span(begun, null), end: last, isOpen: true });
    }
    return spans;
  }

  span(begun, last) {
    const { event, row, kind, label } = begun;
    return {
      row, kind, name: label, label: label ?? "", lane: event.lane, start: event.time, end: last?.time ?? this.end,
      first: event.index, last: last?.index ?? event.index, step: undefined,
    };
  }

  /** Agents and the runner report the end and the suspension of other processes. */
  lifeChange(event) {
    const { peer, incarnation } = this.fields(event);
    const name = peer ?? this.lanes[event.lane].name;
    const lane = this.lanes.findIndex((lane) => lane.name === name);
    this.lives ??= [];
    this.lives.push({ lane, incarnation: incarnation ?? event.incarnation, time: event.time, name: event.name });
  }

  endOfLife(at) {
    const [lane, incarnation] = at.split("#").map(Number);
    const end = (this.lives ?? []).find((l) => l.lane === lane && l.incarnation === incarnation && l.name === "process.ended");
    return end?.time ?? this.end;
  }

  /** When the processes of a lane were there, and when they slept. */
  lifetimes(lane) {
    const starts = this.events.filter((e) => e.lane === lane && e.name === "process.started");
    return starts.map((start) => {
      const at = `${lane}#${start.incarnation}`;
      const end = this.endOfLife(at);
      const naps = [];
      let since = null;
      for (const change of this.lives ?? []) {
        if (change.lane !== lane || change.incarnation !== start.incarnation) continue;
        if (change.name === "process.suspended") since = change.time;
        else if (since != null) { naps.push([since, change.time]); since = null; }
      }
      if (since != null) naps.push([since, end]);
      return { start: start.time, end, naps, hasEnded: end < this.end };
    });
  }

  /** What one process sends and another receives: requests and answers, watch messages, commands. */
  findArrows() {
    const arrows = [];
    const waiting = new Map();
    const messages = new Map();
    const commands = new Map(this.steps.map((step, index) => [step.path, index]));
    const add = (kind, from, to) => arrows.push({ kind, from: from.index, to: to.index });
    for (const event of this.events) {
      const fields = this.fields(event);
      if (event.name === "http.request") push(waiting, `ask ${event.step}`, event);
      else if (event.name === "server.request") {
        const asked = take(waiting, `ask ${event.step}`, (e) => fields.path.endsWith(this.fields(e).path));
        if (asked) add("http", asked, event);
      } else if (event.name === "server.response") push(waiting, `answer ${event.step}`, event);
      else if (event.name === "http.response") {
        const answered = take(waiting, `answer ${event.step}`, (e) => this.fields(e).path.endsWith(fields.path));
        if (answered) add("http", answered, event);
      } else if (event.name.startsWith("link.") && fields.id) {
        const before = messages.get(fields.id);
        if (before && before.lane !== event.lane) add("link", before, event);
        messages.set(fields.id, event);
      } else if (event.name === "command.started" && commands.has(event.step)) {
        const step = this.steps[commands.get(event.step)];
        if (step.start <= event.time) arrows.push({ kind: "command", step: commands.get(event.step), to: event.index });
      }
    }
    return arrows;
  }

  /** Where and when an arrow begins: a step, or an event. */
  startOf(arrow) { return arrow.step != null ? this.steps[arrow.step].start : this.events[arrow.from].time; }

  /** What an arrow is, in a line. */
  describeArrow(arrow) {
    const to = this.events[arrow.to], fields = this.fields(to);
    const ends = `${arrow.step != null ? stepName(this.steps[arrow.step].path) : this.laneName(this.events[arrow.from])} → ${this.laneName(to)}`;
    if (arrow.kind === "command") return `command ${fields.command ?? ""}: ${ends}`;
    if (arrow.kind === "link") return `watch message ${to.name.slice("link.".length)}: ${ends}`;
    return to.name === "server.request" ? `${fields.method} ${fields.path}: ${ends}` : `answer ${fields.status ?? ""} ${fields.path}: ${ends}`;
  }

  /**
   * Joins the recorded requests with the events that began them.
   * @returns the bars of all exchanges: those of the apps, and those of the server for which no app has one
   */
  joinRequests(spans) {
    const free = new Map();
    // A server that was started again says which one it was; a running one is asked for its own only.
    const keyOf = (incarnation, step) => `${incarnation ?? ""} ${step}`;
    for (const request of this.requests) push(free, keyOf(request.incarnation, request.headers?.["X-Lab-Operation"] ?? ""), request);
    for (const event of this.events) {
      if (event.name !== "server.request") continue;
      const fits = (request) => this.fields(event).path.endsWith(request.path);
      const request = take(free, keyOf(event.incarnation, event.step), fits) ?? take(free, keyOf(null, event.step), fits);
      if (request) { event.request = request; request.event = event.index; }
    }
    for (const arrow of this.arrows) {
      const from = this.events[arrow.from], to = this.events[arrow.to];
      if (arrow.kind === "http" && to.request) from.request = to.request;
    }
    for (const span of spans) {
      const request = this.events[span.first].request;
      if (request) this.events[span.last].request ??= request;
    }
    const asked = new Set(this.arrows.filter((arrow) => arrow.kind === "http").map((arrow) => arrow.to));
    return spans.filter((span) => !asked.has(span.first)).sort((one, other) => one.start - other.start);
  }

  /** Whether a step around one that did not hold has held nevertheless: the loser of a race, an attempt that was repeated. */
  isAllowed(step) {
    if (!this.allowed.has(step)) {
      this.allowed.set(step, this.steps.some((other) => other.fine === true && step.path.startsWith(`${other.path}.`) && other.start <= step.start && other.end >= step.end));
    }
    return this.allowed.get(step);
  }

  /** The verdict of a step in words. */
  verdictOf(step) {
    if (step.failedLater) return "failed at the end of the scenario";
    if (step.skipped != null) return `skipped: ${step.skipped}`;
    if (step.fine == null) return "did not end";
    if (this.isInconclusive(step)) return "inconclusive";
    return step.fine ? "passed" : this.isAllowed(step) ? "failed, as the step around it allows" : "failed";
  }

  /** Whether a step counts against the scenario. */
  isBad(step) { return step.failedLater || (step.fine === false && !this.isAllowed(step)); }

  /** Whether a step leaves the verdict open. */
  isInconclusive(step) { return step.failure?.verdict === "inconclusive" && this.isBad(step); }

  /** The colour of a step that counts against the scenario. */
  tone(step) { return this.isInconclusive(step) ? "open" : this.isBad(step) ? "bad" : null; }

  /** Whether an error is no failure: its step, or the one around that, has held nevertheless. */
  isExpected(event) {
    const step = this.steps.find((one) => one.path === event.cause && one.start <= event.time && event.time <= (one.end ?? Infinity));
    return step != null && (step.fine === true || (step.fine === false && this.isAllowed(step)));
  }

  /** Whether a step, or one inside it, caused an event. */
  isCaused(event, path) { return event.cause === path || event.cause.startsWith(`${path}.`); }

  /** The innermost step that failed first; of its attempts the last one, which decided. */
  failingStep(result) {
    const path = result.failures.find((failure) => failure.step)?.step;
    if (path == null) return -1;
    const exact = this.steps.findLastIndex((step) => step.path === path && step.fine === false);
    return exact >= 0 ? exact : this.steps.findIndex((step) => step.path === path);
  }
}

/** A step's number in a sentence, as `Phase.title` has it. */
function stepName(path) {
  if (path === "s") return "the shared set-up";
  const phase = { s: "set-up step", t: "tear-down step" }[path[0]];
  return phase ? `${phase} ${path.slice(1)}` : `step ${path}`;
}

/** A text at the beginning of a sentence. */
function capitalised(text) { return text[0].toUpperCase() + text.slice(1); }

function push(map, key, value) {
  if (!map.has(key)) map.set(key, []);
  map.get(key).push(value);
}

function take(map, key, fits) {
  const list = map.get(key) ?? [];
  const index = list.findIndex(fits);
  return index < 0 ? null : list.splice(index, 1)[0];
}

/** The first event at or after a time in a list that is sorted by it. */
function firstAfter(list, time, key) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle][key] < time) low = middle + 1; else high = middle;
  }
  return low;
}

/** The smallest round number, 1, 2 or 5 with zeros, that is not less than another one. */
function roundStep(wanted) {
  const power = 10 ** Math.floor(Math.log10(wanted));
  return [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= wanted);
}

const formatTime = (us) => {
  const size = Math.abs(us);
  if (size < 1e3) return `${us.toFixed(0)} µs`;
  if (size < 1e6) return `${(us / 1e3).toFixed(size < 1e4 ? 2 : 1)} ms`;
  return `${(us / 1e6).toFixed(3)} s`;
};

const formatSeconds = (seconds) => (seconds < 1 ? `${Math.round(seconds * 1e3)} ms` : `${seconds.toFixed(2)} s`);
