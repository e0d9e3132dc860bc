// Reading what the page was written with. A scenario's timeline is parsed when it is opened, not before.

const run = JSON.parse(document.getElementById("run").textContent);
const timelines = new Map();

/** Reads the timelines of results by their places in the run, so that they can be shown. */
async function loadTimelines(indices) {
  for (const index of indices.filter((index) => !timelines.has(index))) {
    const block = document.getElementById(`timeline-${index}`);
    timelines.set(index, block ? new TimelineModel(JSON.parse(await documentIn(block))) : null);
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
    this.commands = record.commands;
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
    this.inferCauses();
    this.end = Math.max(1, ...[this.events.at(-1)?.time ?? 0, this.steps.reduce((end, s) => Math.max(end, s.end ?? s.start), 0)]);
    this.spans = [...this.stepSpans(), ...this.eventSpans()];
    this.arrows = this.findArrows();
    this.joinRequests();
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

  laneName(event) { return `${this.lanes[event.lane].name}#${event.incarnation}`; }

  stepSpans() {
    return this.steps.map((step, index) => ({
      row: "steps", lane: 0, kind: "step", start: step.start, end: step.end ?? this.end, isOpen: step.end == null,
      isBad: step.fine === false, label: `${step.path} ${step.sentence ?? step.title}`, step: index,
    }));
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
          if (span && fields().error) { span.isBad = true; span.label += `: ${fields().error}`; }
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
          if (span && (event.name === "http.failed" || fields().status >= 400)) span.isBad = true;
          if (span) span.label += event.name === "http.failed" ? " failed" : ` ${fields().status}`;
          break;
        }
        case "server.request": begin(`${at} serve ${event.step} ${fields().path}`, event, "requests", "http", fields().path); break;
        case "server.response": {
          const span = finish(`${at} serve ${event.step} ${fields().path}`, event);
          if (span) { span.label += ` ${fields().status}`; span.isBad = fields().status >= 400; }
          break;
        }
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
      row, kind, label: label ?? "", lane: event.lane, start: event.time, end: last?.time ?? this.end,
      first: event.index, last: last?.index ?? event.index, step: undefined,
    };
  }

  /** Agents and the runner tell of the end and the sleep of other processes. */
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

  /** The recorded requests, each with the event that began it. */
  joinRequests() {
    const free = new Map();
    for (const request of this.requests) push(free, request.headers?.["X-Lab-Operation"] ?? "", request);
    for (const event of this.events) {
      if (event.name !== "server.request") continue;
      const request = take(free, event.step, (r) => this.fields(event).path.endsWith(r.path));
      if (request) { event.request = request; request.event = event.index; }
    }
    for (const arrow of this.arrows) {
      const from = this.events[arrow.from], to = this.events[arrow.to];
      if (arrow.kind === "http" && to.request) from.request = to.request;
    }
    const answers = this.spans.filter((span) => span.kind === "http");
    for (const span of answers) {
      const request = this.events[span.first].request;
      if (request) this.events[span.last].request ??= request;
    }
  }

  /** Whether a step, or one inside it, caused an event. */
  isCaused(event, path) { return event.cause === path || event.cause.startsWith(`${path}.`); }

  /** The innermost step that failed first. */
  failingStep(result) {
    const path = result.failures.find((failure) => failure.step)?.step;
    if (path == null) return -1;
    const exact = this.steps.findIndex((step) => step.path === path && step.fine === false);
    return exact >= 0 ? exact : this.steps.findIndex((step) => step.path === path);
  }

  /**
   * What was stored on the devices up to a moment, as the trace tells: keychain items by their account, the counter of
   * each session, tokens, locks.
   */
  storage(until) {
    const stored = new Map();
    for (const event of this.events) {
      if (event.time > until) break;
      const fields = this.fields(event);
      const app = this.lanes[event.lane].name;
      switch (event.name) {
        case "keychain.written": stored.set(`keychain ${fields.accessGroup ?? ""} ${fields.account}`, `written by ${app}, event ${event.index}`); break;
        case "keychain.deleted": stored.delete(`keychain ${fields.accessGroup ?? ""} ${fields.account}`); break;
        case "state.saved": case "state.loaded":
          if (fields.counter != null) stored.set(`${app}: counter`, String(fields.counter));
          if (fields.activation != null) stored.set(`${app}: activation`, fields.activation ? "yes" : "none");
          break;
        case "counter.bumped": stored.set(`${app}: counter`, String(fields.counter)); break;
        case "state.removed": stored.set(`${app}: activation`, "none"); break;
        case "token.stored": stored.set(`${app}: token ${fields.name ?? ""}`, "stored"); break;
        case "token.removed": stored.delete(`${app}: token ${fields.name ?? ""}`); break;
        case "lock.taken": stored.set(`lock ${fields.lock}`, `held by ${app}`); break;
        case "lock.released": stored.delete(`lock ${fields.lock}`); break;
        case "operation.started": stored.set("pending operation", `${fields.type} of ${app}`); break;
        case "operation.finished": stored.delete("pending operation"); break;
        case "server.activation": stored.set(`server: activation ${fields.activationId}`, fields.to); break;
      }
    }
    return stored;
  }
}

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

const formatTime = (us) => {
  const size = Math.abs(us);
  if (size < 1e3) return `${us.toFixed(0)} µs`;
  if (size < 1e6) return `${(us / 1e3).toFixed(size < 1e4 ? 2 : 1)} ms`;
  return `${(us / 1e6).toFixed(3)} s`;
};

const formatSeconds = (seconds) => (seconds < 1 ? `${Math.round(seconds * 1e3)} ms` : `${seconds.toFixed(2)} s`);
