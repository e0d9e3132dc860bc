// The state at a moment, as far as events show it: storage, what apps share, and the lab's clock.

/**
 * What was stored until a moment, by name: keychain items, the shared pages with their counter and pending operation,
 * the counter of each session, tokens, locks. Values of secrets are in no event.
 */
function storedUntil(model, until) {
  const stored = new Map();
  // Which page a process has open, so that its counts are attributed to the page.
  const pages = new Map();
  const forget = (prefix, holder) => {
    for (const [name, value] of stored) if (name.startsWith(prefix) && value === holder) stored.delete(name);
  };
  for (const event of model.events) {
    if (event.time > until) break;
    const fields = model.fields(event);
    const app = model.lanes[event.lane].name;
    const page = pages.get(event.lane);
    const onPage = (field, value) => {
      if (!page) return;
      if (value == null) stored.delete(`${page}: ${field}`); else stored.set(`${page}: ${field}`, value);
    };
    switch (event.name) {
      case "process.started": pages.delete(event.lane); break;
      // The kernel releases the locks of a dead process; the operation recorded in a page stays.
      case "process.ended": forget("lock ", `held by ${fields.peer ?? app}`); break;
      case "keychain.written": stored.set(`keychain ${fields.accessGroup ?? ""} ${fields.account}`, `written by ${app}, event ${event.index}`); break;
      case "keychain.deleted": stored.delete(`keychain ${fields.accessGroup ?? ""} ${fields.account}`); break;
      case "memory.created": case "memory.opened": case "memory.repaired": {
        const name = `shared page ${fields.name}`;
        pages.set(event.lane, name);
        if (event.name === "memory.created") stored.set(name, `made by ${app}`);
        else if (event.name === "memory.repaired") stored.set(name, `put right by ${app}: ${fields.cause}`);
        if (fields.cause === "deadOwner") for (const field of ["pending operation", "owner of the operation"]) stored.delete(`${name}: ${field}`);
        break;
      }
      case "state.saved": case "state.loaded":
        if (fields.counter != null) stored.set(`${app}: counter`, String(fields.counter));
        if (event.name === "state.saved" || fields.activation != null) stored.set(`${app}: activation`, fields.activation === false ? "none" : "yes");
        break;
      case "counter.bumped":
        stored.set(`${app}: counter`, String(fields.counter));
        onPage("stateModifyCounter", String(fields.counter));
        break;
      case "state.removed": stored.set(`${app}: activation`, "none"); break;
      case "token.stored": stored.set(`${app}: token ${fields.name ?? ""}`, "stored"); break;
      case "token.removed": stored.delete(`${app}: token ${fields.name ?? ""}`); break;
      case "lock.taken": stored.set(`lock ${fields.lock}`, `held by ${app}`); break;
      case "lock.released": stored.delete(`lock ${fields.lock}`); break;
      case "operation.started":
        if (!page) stored.set("pending operation", `${fields.type} of ${app}`);
        onPage("pending operation", fields.type);
        onPage("owner of the operation", `${fields.application} (${app})`);
        break;
      case "operation.finished":
        stored.delete("pending operation");
        onPage("pending operation", null);
        onPage("owner of the operation", null);
        break;
      case "server.activation": stored.set(`server: activation ${fields.activationId}`, fields.to); break;
    }
  }
  return stored;
}

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
  let rest = seconds;
  for (const [unit, size] of units) {
    const count = Math.floor(rest / size);
    if (count) words.push(`${count} ${unit}`);
    rest -= count * size;
  }
  // Beside hours, parts of a second say nothing, nor seconds beside days, unless one looks closely.
  const digits = Math.min(Math.max(-Math.floor(Math.log10(step / 1e6)), 0), 6);
  const last = seconds < 3_600 || step < 1e5 ? `${Number(rest.toFixed(digits))} s` : seconds < 86_400 ? `${Math.floor(rest)} s` : "";
  return `${us < 0 ? "−" : ""}${[...words, last].filter(Boolean).join(" ")}`;
}
