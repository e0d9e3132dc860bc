// The state at a moment, as far as events and answers of commands show it, and the lab's clock.

/**
 * A moment of a scenario: a time, and how many events have happened until then. Several events may have one time.
 * @typedef { { time: number, count: number } } Cursor
 */

/**
 * Something that is known, when it changed last, and the event or the command that changed it.
 * @typedef { { value: string, time: number, event?: number, command?: number } } Fact
 */

/** Between two moments of which the state is kept, in events. */
const eventsOfCheckpoint = 512;

/** What is known at a moment: facts by `subject: name`. Values of secrets are in no event. */
class State {
  /** @type {Map<string, Fact>} */
  facts = new Map();
  /** @type {Map<string, Fact>} what happened last to each subject, even if it removed a fact */
  latest = new Map();
  /** Number of events and of commands that have been applied. */
  events = 0;
  commands = 0;

  copy() {
    const { facts, latest, events, commands } = this;
    return Object.assign(new State(), { facts: new Map(facts), latest: new Map(latest), events, commands });
  }

  /** The value of a fact; undefined if it is not known. */
  get(subject, name) { return this.facts.get(`${subject}: ${name}`)?.value; }

  /** The facts of a subject whose names begin with a text, by the rest of their names. */
  list(subject, prefix = "") {
    const start = `${subject}: ${prefix}`;
    return [...this.facts].filter(([key]) => key.startsWith(start)).map(([key, fact]) => ({ name: key.slice(start.length), ...fact }));
  }

  set(subject, name, value, source) {
    const key = `${subject}: ${name}`;
    if (value == null ? !this.facts.has(key) : this.facts.get(key)?.value === value) return;
    this.latest.set(subject, source);
    this.changed?.(subject, name, value, source);
    if (value == null) this.facts.delete(key); else this.facts.set(key, { ...source, value });
  }

  /** Removes the facts of a subject whose names begin with one of some texts. */
  forget(subject, prefixes, source) {
    for (const prefix of prefixes) for (const { name } of this.list(subject, prefix)) this.set(subject, prefix + name, null, source);
  }
}

/** What ends with a process. The kernel releases the locks of a dead process; an operation recorded in shared memory stays. */
const endsWithProcess = ["lock ", "request ", "command ", "dialog", "watch session", "task ", "shared page"];

/** The states of a scenario. Each is computed from the nearest checkpoint before it. */
class States {
  constructor(model) {
    this.model = model;
    this.commands = [...model.commands].sort((a, b) => a.t - b.t);
    /** The link of each message: an app that is handed one does not know it. */
    this.linkOf = new Map();
    this.notUnderWay = this.sendingsInVain();
    this.checkpoints = [new State()];
  }

  /**
   * The events `link.sent` after which a message is not under way: a fault took it before it left the phone, or it has arrived. Each
   * agent records its own part, so that a message may be received before it is sent, and a guaranteed one is repeated until it is confirmed.
   * @returns {Set<number>}
   */
  sendingsInVain() {
    const found = new Set(), gone = new Map();
    for (const event of this.model.events) {
      if (!event.name.startsWith("link.")) continue;
      const fields = this.model.fields(event), { id } = fields;
      if (event.name === "link.faulted" && isLost(fields) && fields.direction === "toWatch") gone.set(id, "lost");
      else if (event.name === "link.received" || (event.name === "link.delivered" && fields.kind === "live")) gone.set(id, "arrived");
      else if (event.name === "link.sent" && gone.has(id)) {
        found.add(event.index);
        // What was lost is sent again.
        if (gone.get(id) === "lost") gone.delete(id);
      }
    }
    return found;
  }

  /** @returns {Cursor} the moment after everything that has happened until a time */
  cursorAt(time) { return { time, count: firstAfter(this.model.events, time + 1e-6, "time") }; }

  /** @param {Cursor} cursor @returns {State} not to be changed */
  at({ time, count }) {
    if (this.last?.time === time && this.last.count === count) return this.last.state;
    const place = Math.min(Math.floor(count / eventsOfCheckpoint), this.checkpoints.length - 1);
    const state = this.checkpoints[place].copy();
    while (state.events < count) {
      const event = this.model.events[state.events];
      this.applyCommands(state, event.time);
      this.applyEvent(state, event);
      state.events += 1;
      if (state.events === this.checkpoints.length * eventsOfCheckpoint) this.checkpoints.push(state.copy());
    }
    this.applyCommands(state, time + 1e-6);
    this.last = { time, count, state };
    return state;
  }

  /**
   * The conditions that last for a while, as bars with the lanes that they concern: a device that is locked or offline, a link that carries
   * nothing, a clock that stands still, a process that is suspended, a server that is down.
   */
  bands() {
    const { model } = this, { lanes, cast } = model;
    const laneOf = (name) => lanes.findIndex((lane) => lane.name === name);
    const all = [...lanes.keys()], of = (device) => all.filter((lane) => lanes[lane].device === device);
    const state = new State(), open = new Map(), bands = [];
    const note = (key, label, lane, concerned, source) => {
      const band = open.get(key);
      if (band?.label === label) return;
      if (band) band.end = source.time;
      open.delete(key);
      if (label == null || lane < 0) return;
      open.set(key, { row: "state", kind: "band", label, lane, lanes: concerned, start: source.time, end: model.end, source });
      bands.push(open.get(key));
    };
    state.changed = (subject, name, value, source) => {
      const key = `${subject}: ${name}`, lane = laneOf(subject);
      switch (`${cast.kindOf(subject)} ${name}`) {
        case "device screen": note(key, value?.startsWith("locked") ? "locked" : null, lane, of(subject), source); break;
        case "device network": note(key, value, lane, of(subject), source); break;
        case "server process": note(key, value?.startsWith("ended") ? "server down" : null, lane, [lane], source); break;
        case "app process": note(key, value === "suspended" ? "suspended" : null, lane, [lane], source); break;
        case "clock lab's clock": note(key, value?.startsWith("stands still") ? "clock stopped" : null, 0, all, source); break;
        case "link pairing": note(key, value, laneOf(this.endsOf(subject)[1]), of(this.endsOf(subject)[1]), source); break;
        default: {
          if (!name.startsWith("end ") || cast.kindOf(subject) !== "link") break;
          const watch = this.endsOf(subject)[1];
          const isDown = this.endsOf(subject).some((end) => (name === `end ${end}` ? value : state.get(subject, `end ${end}`)) === "down");
          note(subject, isDown ? "out of range" : null, laneOf(watch), of(watch), source);
        }
      }
    };
    for (const event of model.events) {
      this.applyCommands(state, event.time);
      this.applyEvent(state, event);
    }
    this.applyCommands(state, Infinity);
    // How processes are ended is not part of the scenario.
    const last = live ? -Infinity : model.steps.reduce((end, step) => Math.max(end, step.end ?? model.end), -Infinity);
    for (const band of open.values()) band.isOpen = band.end === model.end;
    return bands.filter((band) => last < 0 || band.start <= last);
  }

  /** The devices at the ends of a link: the phone, then the watch. */
  endsOf(link) { return this.model.cast.links.find((one) => one.name === link)?.ends ?? []; }

  /** What is different in two states: name, value before, value after. */
  static changes(before, after, isShown = () => true) {
    const names = new Set([...before.facts.keys(), ...after.facts.keys()]);
    return [...names].filter(isShown).map((name) => ({ name, before: before.facts.get(name), after: after.facts.get(name) }))
      .filter((change) => change.before?.value !== change.after?.value);
  }

  /** Applies the commands that were answered before a time. */
  applyCommands(state, until) {
    for (; state.commands < this.commands.length && this.commands[state.commands].t < until; state.commands += 1) {
      const command = this.commands[state.commands];
      if (!command.error) this.applyCommand(state, command, { time: command.t, command: state.commands });
    }
  }

  applyEvent(state, event) {
    const family = event.name.slice(0, event.name.indexOf("."));
    const source = { time: event.time, event: event.index };
    const lane = this.model.lanes[event.lane];
    const fields = this.model.fields(event);
    switch (family) {
      case "process": case "device": case "command": case "fault": case "disk": case "clock": this.applyToProcess(state, event, lane, fields, source); break;
      case "link": case "session": case "watch": this.applyToLink(state, event, lane, fields, source); break;
      case "http": case "server": this.applyToRequests(state, event, lane, fields, source); break;
      default: this.applyToStorage(state, event, lane, fields, source);
    }
  }

  /** Processes, devices and the clock. */
  applyToProcess(state, event, lane, fields, source) {
    const app = fields.peer ?? lane.name;
    const set = (name, value, subject = app) => state.set(subject, name, value, source);
    switch (event.name) {
      case "process.started":
        state.forget(app, endsWithProcess, source);
        set("process", "running");
        set("start", `number ${event.incarnation}${fields.pid == null ? "" : `, pid ${fields.pid}`}`);
        break;
      case "process.ended":
        // A later process of the same app is still running.
        if (fields.incarnation != null && !new RegExp(`^number ${fields.incarnation}\\b`).test(state.get(app, "start") ?? "")) break;
        this.end(state, app, ["ended", fields.reason === "ended" ? "" : fields.signal && !fields.cause ? fields.signal : fields.reason].filter(Boolean).join(": "), source);
        break;
      case "process.suspended": set("process", "suspended"); break;
      case "process.resumed": set("process", "running"); break;
      case "device.locked": set("screen", "locked"); break;
      case "device.unlocked": set("screen", null); break;
      case "device.clockSet": set("clock skew", fields.skew === 0 ? null : formatLabTime(fields.skew * 1e3)); break;
      case "disk.refused": set("disk", fields.error === "EROFS" ? "read-only" : "full", lane.device); break;
      case "command.started": set(`command ${event.step}`, fields.command); break;
      case "command.finished":
        set(`command ${event.step}`, null);
        set("last command", [fields.command, fields.error].filter(Boolean).join(": "));
        break;
      case "fault.fired":
        set("last fault point", `${fields.point}, pass ${fields.pass}: ${fields.action}`);
        set(`fired ${fields.id}`, String(fields.fired), "faults");
        // Only of an app its device records the end, too.
        if (fields.action === "kill") this.end(state, app, "ended: SIGKILL", source);
        break;
      case "clock.changed": set("lab's clock", [fields.frozen ? "stands still" : fields.rate === 1 ? "runs" : `runs ${fields.rate} times as fast`, fields.offset === 0 ? "" : `${formatLabTime(Math.abs(fields.offset) * 1e3)} ${fields.offset < 0 ? "behind" : "ahead"}`].filter(Boolean).join(", "), "clock"); break;
    }
  }

  end(state, process, word, source) {
    state.set(process, "process", word, source);
    state.forget(process, endsWithProcess, source);
    for (const link of this.model.cast.links) if (link.ends.includes(process)) state.set(link.name, `end ${process}`, "down", source);
    // With the system of a device all its apps end.
    for (const app of this.model.cast.appsOf(process)) if (/^(running|suspended)$/.test(state.get(app, "process"))) this.end(state, app, "ended: with the device", source);
  }

  /** What the SDK of an app and the system of a device have stored, and what apps share. */
  applyToStorage(state, event, lane, fields, source) {
    const app = lane.name;
    const set = (name, value, subject = app) => state.set(subject, name, value, source);
    // Which page of shared memory a process has open, so that its counts are attributed to the page.
    const page = state.get(app, "shared page");
    const item = () => `keychain ${fields.accessGroup ?? ""} ${(fields.service ?? "").split(".").at(-1)} ${fields.account}`;
    switch (event.name) {
      case "keychain.written": set(item(), `written by ${app}, event ${event.index}`, lane.device); break;
      case "keychain.deleted": set(item(), null, lane.device); break;
      case "memory.created": case "memory.opened": case "memory.repaired": {
        const name = `shared page ${fields.name}`;
        set("shared page", name);
        if (event.name === "memory.created") set("made by", app, name);
        if (event.name === "memory.repaired") set("repaired", `by ${app}: ${fields.cause}`, name);
        if (fields.cause === "deadOwner") for (const field of ["pending operation", "owner of the operation"]) set(field, null, name);
        break;
      }
      case "state.saved": case "state.loaded":
        if (fields.counter != null) set("counter", String(fields.counter));
        if (event.name === "state.saved" || fields.activation != null) set("activation", fields.activation === false ? "none" : fields.activationId ?? "present");
        break;
      case "state.removed": set("activation", "none"); break;
      case "counter.bumped":
        set("counter", String(fields.counter));
        if (page) set("stateModifyCounter", String(fields.counter), page);
        break;
      case "lock.requested": set(`lock ${fields.lock}`, "waits"); break;
      case "lock.taken": set(`lock ${fields.lock}`, "holds"); break;
      case "lock.released": set(`lock ${fields.lock}`, null); break;
      case "operation.started":
        set("pending operation", fields.type, page ?? app);
        set("owner of the operation", `${fields.application} (${app})`, page ?? app);
        break;
      case "operation.finished":
        set("pending operation", null, page ?? app);
        set("owner of the operation", null, page ?? app);
        break;
      case "token.stored": set(`token ${fields.name ?? ""}`, "stored"); break;
      case "token.removed": set(`token ${fields.name ?? ""}`, null); break;
      case "biometry.prompted": set("dialog", `biometry${fields.reason ? `: ${fields.reason}` : ""}`); break;
      case "biometry.answered": set("dialog", null); break;
      case "operations.changed": set("operations", String(fields.operations.length)); break;
      case "push.asked": set("dialog", "may it show notifications?", fields.app); break;
      case "push.kept": set(`push that waits ${fields.id}`, `for ${fields.app}`); break;
      case "push.shown":
        set(`push that waits ${fields.id}`, null);
        set(`notification ${fields.id}`, `of ${fields.app}`);
        break;
      case "push.received":
        if (fields.occasion === "opened") set(`notification ${fields.id}`, null, lane.device);
        break;
    }
  }

  /** Requests, at both ends, and what the server has stored. */
  applyToRequests(state, event, lane, fields, source) {
    const set = (name, value, subject = lane.name) => state.set(subject, name, value, source);
    const request = `request ${event.step} ${fields.path}`;
    switch (event.name) {
      case "http.request": case "server.request": set(request, fields.path); break;
      case "http.response": case "server.response":
        set(request, null);
        set("last answer", `${fields.path}: ${fields.status}`);
        break;
      case "http.failed":
        set(request, null);
        set("last answer", `${fields.path}: failed`);
        break;
      case "server.refused": set("last refusal", `${fields.path}: ${fields.code}, ${fields.cause}`); break;
      case "server.faulted":
        set("last fault", `${fields.path}: ${fields.fault}`);
        this.countFired(state, "server", fields.id, source);
        break;
      case "server.activation": set(`activation ${fields.activationId}`, [fields.to, fields.reason].filter(Boolean).join(", ")); break;
      case "server.signature":
        set(`counter ${fields.activationId}`, String(fields.counter));
        set(`failed attempts ${fields.activationId}`, String(fields.failedAttempts));
        break;
      case "server.push": set("last push", fields.outcome ?? "sent"); break;
    }
  }

  /** What the link carries, and what the apps at its ends know of it. */
  applyToLink(state, event, lane, fields, source) {
    const set = (name, value, subject = fields.link) => state.set(subject, name, value, source);
    const { id } = fields;
    if (fields.link != null && id != null) this.linkOf.set(id, fields.link);
    const message = (value) => {
      const link = this.linkOf.get(id);
      if (link != null) set(`message ${id}`, value, link);
    };
    const peer = () => this.endsOf(fields.link).find((end) => end !== lane.device) ?? "the other device";
    switch (event.name) {
      case "link.up": set(`end ${lane.name}`, "up"); break;
      case "link.down": set(`end ${lane.name}`, "down"); break;
      case "link.accepted": message(`waits on ${lane.device}`); break;
      case "link.sent": if (!this.notUnderWay.has(event.index)) message(`on its way to ${peer()}`); break;
      case "link.received": message(`in the inbox of ${lane.device}`); break;
      case "link.delivered": case "link.redelivered": message(fields.kind === "live" ? null : `${lane.name} handles it`); break;
      case "link.handled": case "link.failed": message(null); break;
      case "link.told":
        // It has arrived, and waits for its app or is being handled, unless it ended with an error.
        if (fields.code != null) message(null);
        break;
      case "link.faulted":
        set("last fault", `${fields.kind} ${fields.direction}: ${fields.effect}`);
        if (isLost(fields)) message(fields.kind === "live" ? null : `waits on ${fields.direction === "toWatch" ? lane.device : peer()}`);
        this.countFired(state, fields.link, fields.armed, source);
        break;
      case "link.refused": set("last refusal", fields.cause); break;
      case "session.state": set("watch session", !fields.paired ? "not paired" : !fields.installed ? "counterpart not installed" : fields.reachable ? "reachable" : "not reachable", lane.name); break;
      case "watch.taskStarted": set(`task ${id}`, fields.kind, fields.app); break;
      case "watch.taskCompleted": case "watch.taskExpired": case "watch.taskLost": set(`task ${id}`, null, fields.app); break;
    }
  }

  countFired(state, actor, id, source) { state.set(actor, `fired ${id}`, String(Number(state.get(actor, `fired ${id}`) ?? 0) + 1), source); }

  /** What only the answer to a command shows: no process emits an event for it. */
  applyCommand(state, command, source) {
    const { actor } = command;
    const set = (name, value, subject = actor) => state.set(subject, name, value, source);
    const kind = this.model.cast.kindOf(actor);
    switch (`${kind} ${command.command}`) {
      case "device goOffline": set("network", "offline"); break;
      case "device goOnline": set("network", null); break;
      case "device fillDisk": set("disk", "full"); break;
      case "device readOnlyDisk": set("disk", "read-only"); break;
      case "device freeDisk": set("disk", null); break;
      case "device reboot": case "device switchOn": set("screen", "locked since it started"); break;
      case "device unlock": set("screen", null); break;
      case "device enrolBiometry": set("biometry", "enrolled"); break;
      case "device alterBiometry": set("biometry", "changed"); break;
      case "device removeBiometry": set("biometry", null); break;
      case "device erase": case "device restoreBackup":
        state.forget(actor, ["keychain ", "notification "], source);
        for (const app of this.model.cast.appsOf(actor)) state.forget(app, ["activation", "counter", "token "], source);
        break;
      case "app uninstall": case "app reinstall": {
        set("process", command.command === "uninstall" ? "not installed" : null);
        // Its items in the keychain stay.
        state.forget(actor, ["activation", "counter"], source);
        const device = this.model.lanes.find((lane) => lane.name === actor)?.device;
        for (const { name, value } of state.list(device, "notification ")) if (value === `of ${actor}`) set(`notification ${name}`, null, device);
        break;
      }
      case "app install": set("process", null); break;
      case "app allowNotifications": set("dialog", null); break;
      case "app addComplication": set("complication", "on the watch face"); break;
      case "app removeComplication": set("complication", null); break;
      case "app fetchActivationStatus":
        set("fetched status", `${command.result?.state}, ${command.result?.failCount} of ${command.result?.maxFailCount} failed attempts`);
        break;
      case "link pair": set("pairing", null); break;
      case "link unpair": set("pairing", "not paired"); break;
      case "faults arm": set(`fault ${command.result?.id}`, this.model.argumentsOf(command)); break;
      case "server heal": case "link heal": case "faults disarm": {
        const ids = this.model.writtenFor(command).match(/fault-\d+|(?<=\bid\W+)\d+/g);
        if (ids) for (const id of ids) set(`fault ${id}`, null); else state.forget(actor, ["fault "], source);
        break;
      }
      default:
        // Every other command of the server or a link that answers such an identifier has armed a fault.
        if (/^fault-\d+$/.test(command.result?.id ?? "")) {
          const direction = this.model.writtenFor(command).match(/toWatch|toPhone/)?.[0];
          set(`fault ${command.result.id}`, `${[command.command, direction].filter(Boolean).join(" ")}: ${this.model.argumentsOf(command)}`);
        }
    }
  }
}

/** Whether a fault has taken a message of an app; what is lost of an answer or a confirmation is not the message. */
function isLost({ id, kind, effect }) { return id != null && effect === "it was lost" && kind !== "reply" && kind !== "acknowledgement"; }

/** The lab's clock beside real time: each change sets how it runs from there on. */
class ShownClock {
  constructor(model) {
    this.changes = model.events.filter((event) => event.name === "clock.changed").map((event) => {
      const { offset, frozen, rate } = model.fields(event);
      return { index: event.index, time: event.time, ahead: offset * 1e3, isFrozen: frozen, rate: rate ?? 1 };
    });
  }

  /** Whether it ever was anything but real time. */
  get wasChanged() { return this.changes.length > 0; }

  /** The lab's time at a moment, on the scale of the moments, in microseconds. */
  at(time) { return this.afterChange(firstAfter(this.changes, time + 1e-6, "time") - 1, time); }

  afterChange(number, time) {
    if (number < 0) return time;
    const { time: since, ahead, isFrozen, rate } = this.changes[number];
    return since + ahead + (isFrozen ? 0 : (time - since) * rate);
  }

  /** What a change did, in a few words. */
  textOf(number) {
    const { time, ahead, isFrozen, rate } = this.changes[number];
    const jump = time + ahead - this.afterChange(number - 1, time);
    // Changes are recorded in whole milliseconds, so less than two is not a jump.
    return [jump > 2e3 ? `+${formatLabTime(jump)}` : "", isFrozen ? "stands still" : rate === 1 ? "" : `${rate} times as fast`]
      .filter(Boolean).join(", ") || "resumed";
  }
}

/** A time of the lab, which is often hours or days ahead; as exact as steps of some length need it. */
function formatLabTime(us, step = 1e5) {
  const seconds = Math.abs(us) / 1e6;
  if (seconds < 60) return formatTime(us);
  const units = [["d", 86_400], ["h", 3_600], ["min", 60]];
  const words = [];
  const digits = Math.min(Math.max(-Math.floor(Math.log10(step / 1e6)), 0), 6);
  // Rounded before it is divided: 59.96 s after some minutes are a minute more.
  let rest = Number(seconds.toFixed(digits));
  for (const [unit, size] of units) {
    const count = Math.floor(rest / size);
    if (count) words.push(`${count} ${unit}`);
    rest -= count * size;
  }
  // Beside hours, parts of a second say nothing, nor seconds beside days, unless one looks closely.
  const last = seconds < 3_600 || step < 1e5 ? `${Number(rest.toFixed(digits))} s` : seconds < 86_400 ? `${Math.floor(rest)} s` : "";
  return `${us < 0 ? "−" : ""}${[...words, last].filter(Boolean).join(" ")}`;
}
