// The bench: a drawing of devices, apps, links and server at the cursor. Each thing shows its state and what the step has changed.

/**
 * One thing on the bench: a device, an app, a link, the server, shared memory, a lock, the clock, or the armed faults.
 * @typedef { { id: string, kind: string, name: string, word: string, tone: string, rows: Row[], subjects: string[], lanes: string[] } } Thing
 * `subjects` are the prefixes of the facts that it is made from, `lanes` the processes of which it shows requests and logs.
 */

/** @typedef { { label: string, text: string, tone?: string } } Row */

const lockNames = ["operation", "queue", "status"];

/** Who takes part in a scenario, as its lanes and all its events show it. */
class Cast {
  constructor(model) {
    this.model = model;
    const devices = new Map(model.lanes.filter((lane) => !["scenario", "server", "other"].includes(lane.device))
      .map((lane) => [lane.device, { name: lane.device, kind: "phone", pages: new Set(), hasLocks: false }]));
    this.kinds = new Map();
    const links = new Map();
    const linkOf = (name) => {
      if (!links.has(name)) links.set(name, new Set());
      return links.get(name);
    };
    for (const event of model.events) {
      const lane = model.lanes[event.lane];
      const device = devices.get(lane.device);
      if (!device) continue;
      if (event.name === "process.started") {
        const { executable } = model.fields(event);
        this.kinds.set(lane.name, { "app-extension": "extension", "watch-companion": "watch app" }[executable] ?? "app");
        if (executable === "watch-companion") device.kind = "watch";
      } else if (event.name === "memory.created" || event.name === "memory.opened") device.pages.add(model.fields(event).name);
      else if (event.name === "lock.taken" || event.name === "lock.requested") device.hasLocks = true;
      else if (event.name.startsWith("link.") && lane.name === lane.device) {
        const { link } = model.fields(event);
        if (link != null) linkOf(link).add(lane.device);
      }
    }
    const isElse = new Set([...model.lanes.map((lane) => lane.name), "faults", "trace", "clock"]);
    for (const { actor } of model.commands) if (!isElse.has(actor) && !links.has(actor)) linkOf(actor);
    this.devices = [...devices.values()];
    const first = (kind) => this.devices.find((device) => device.kind === kind)?.name ?? kind;
    this.links = [...links].map(([name, ends]) => {
      const end = (kind) => this.devices.find((device) => device.kind === kind && ends.has(device.name))?.name ?? first(kind);
      return { name, ends: [end("phone"), end("watch")] };
    });
  }

  appsOf(device) { return this.model.lanes.filter((lane) => lane.device === device && lane.name !== device).map((lane) => lane.name); }

  /** What kind of actor takes a command. */
  kindOf(actor) {
    if (actor === "server" || actor === "faults" || actor === "clock") return actor;
    if (this.devices.some((device) => device.name === actor)) return "device";
    return this.links.some((link) => link.name === actor) ? "link" : "app";
  }
}

/** What the bench shows of a state: all its things by their identifiers. */
class BenchThings {
  /**
   * @param {TimelineModel} model
   * @param {State} state
   * @param {number} time of the state
   */
  constructor(model, state, time) {
    Object.assign(this, { model, state, time });
    /** @type {Map<string, Thing>} */
    this.byId = new Map();
    for (const device of model.cast.devices) {
      this.device(device);
      for (const app of model.cast.appsOf(device.name)) this.app(app, device);
      for (const page of device.pages) this.page(page);
      if (device.hasLocks) for (const lock of lockNames) this.lock(lock, device);
    }
    for (const link of model.cast.links) this.link(link);
    if (model.lanes.some((lane) => lane.device === "server")) this.server();
    if (live || model.clock.wasChanged) this.add("clock", "clock", "lab's clock", state.get("clock", "lab's clock") ?? "runs", "", [], ["clock: "]);
    const faults = this.faults("faults");
    if (live || faults.length) this.add("faults", "faults", "armed faults", faults.length ? "" : "none", "", faults, ["faults: "]);
    if (live) this.add("trace", "trace", "trace", "", "", [], ["trace: "]);
  }

  add(id, kind, name, word, tone, rows, subjects, lanes = []) {
    const thing = { id, kind, name, word, tone, rows: rows.filter((row) => row.text != null && row.text !== ""), subjects, lanes };
    this.byId.set(id, thing);
    return thing;
  }

  /** The state of a process in a word and its tone. */
  process(name) {
    const fact = this.state.facts.get(`${name}: process`);
    if (!fact) return ["not running", "idle"];
    const tone = fact.value === "running" ? "fine" : fact.value.startsWith("ended: ") ? "bad" : "idle";
    return [fact.value.startsWith("ended") ? `${fact.value}, ${formatTime(this.time - fact.time)} ago` : fact.value, tone];
  }

  /** The armed faults of an actor; one that has fired as often as it should is armed no longer. */
  faults(actor) {
    return this.state.list(actor, "fault ").map(({ name, value }) => ({ name, value, fired: Number(this.state.get(actor, `fired ${name}`) ?? 0) }))
      .filter(({ value, fired }) => fired < Number(value.match(/\btimes=(\d+)/)?.[1] ?? Infinity))
      .map(({ name, value, fired }) => ({ label: `fault ${name.replace("fault-", "")}`, text: `${value}${fired ? `; fired ${fired === 1 ? "once" : `${fired} times`}` : ""}`, tone: "open" }));
  }

  device({ name, kind }) {
    const { state } = this;
    const agent = state.get(name, "process");
    const [word, tone] = agent === "running" ? ["on", "fine"] : agent == null ? ["not started", "idle"] : ["off", "bad"];
    const get = (fact, usual) => state.get(name, fact) ?? usual;
    const screen = get("screen", "unlocked"), network = get("network", "online"), disk = get("disk", "ok"), skew = get("clock skew", "0");
    const waiting = state.list(name, "push that waits ").length;
    this.add(`device ${name}`, kind, name, word, tone, [
      { label: "screen", text: screen, tone: screen === "unlocked" ? "" : "open" }, { label: "network", text: network, tone: network === "online" ? "" : "bad" },
      { label: "clock skew", text: skew, tone: skew === "0" ? "" : "open" }, { label: "disk", text: disk, tone: disk === "ok" ? "" : "bad" },
      { label: "biometry", text: state.get(name, "biometry") }, { label: "notifications", text: state.list(name, "notification ").map(({ value }) => value).join(", ") },
      { label: "pushes that wait", text: waiting ? String(waiting) : "" },
    ], [`${name}: `], [name]);
  }

  app(name, device) {
    const { state } = this;
    const [word, tone] = this.process(name);
    const values = (prefix) => state.list(name, prefix).map(({ value }) => value).join(", ");
    const requests = state.list(name, "request ").map(({ value }) => shortPath(value)).join(", ");
    const locks = (how) => state.list(name, "lock ").filter(({ value }) => value === how).map((fact) => fact.name).join(", ");
    const turn = this.model.turnAt(this.time);
    const hasTurn = turn != null && this.model.turns[turn].process === name;
    this.add(`app ${name}`, this.model.cast.kinds.get(name) ?? (device.kind === "watch" ? "watch app" : "app"), name, word, tone, [
      { label: "dialog", text: state.get(name, "dialog"), tone: "open" },
      { label: "turn", text: hasTurn ? `${this.model.turns[turn].number}, from ${this.model.turns[turn].place}` : "" },
      { label: "command", text: values("command ") }, { label: "request", text: requests, tone: "http" },
      { label: "waits for", text: locks("waits"), tone: "open" }, { label: "holds", text: locks("holds") },
      { label: "activation", text: this.activation(name) }, { label: "factors", text: this.factors(name, device) },
      { label: "tokens", text: state.list(name, "token ").map((fact) => fact.name).join(", ") },
      { label: "pending", text: state.get(name, "pending operation") },
      { label: device.kind === "watch" ? "phone" : "watch", text: state.get(name, "watch session"), tone: state.get(name, "watch session") === "reachable" ? "" : "open" },
      { label: "complication", text: state.get(name, "complication") }, { label: "background", text: values("task ") },
      { label: "operations", text: state.get(name, "operations") }, { label: "fault point", text: state.get(name, "last fault point"), tone: "bad" },
    ], [`${name}: `], [name]);
  }

  /** The activation of an app, in the server's words where the server knows it. */
  activation(app) {
    const id = this.state.get(app, "activation");
    if (id == null || id === "none") return id;
    return this.state.get("server", `activation ${id}`) ?? "stored";
  }

  /** The factors of an activation, as the items in the keychain show them. */
  factors(app, device) {
    const activation = this.state.get(app, "activation");
    if (device.kind === "watch" || activation == null || activation === "none") return null;
    // An app that shares its keychain has the items of the others too.
    const hasBiometry = this.state.list(device.name, "keychain ").some(({ name, value }) => name.includes(" BiometryKeychain ")
      && (this.state.get(app, "shared page") != null || value.startsWith(`written by ${app},`)));
    return `possession, knowledge${hasBiometry ? ", biometry" : ""}`;
  }

  page(page) {
    const subject = `shared page ${page}`;
    const get = (name) => this.state.get(subject, name);
    const users = this.model.lanes.filter((lane) => this.state.get(lane.name, "shared page") === subject).map((lane) => lane.name);
    this.add(subject, "shared memory", "shared memory", "", "", [
      { label: "name", text: page },
      { label: "open in", text: users.join(", ") || "no app" }, { label: "counter", text: get("stateModifyCounter") },
      { label: "pending", text: get("pending operation"), tone: "open" }, { label: "owner", text: get("owner of the operation") }, { label: "repaired", text: get("repaired"), tone: "open" },
    ], [`${subject}: `]);
  }

  /** A lock of a device, with its holder and who waits. */
  lock(lock, { name }) {
    const having = (how) => this.model.cast.appsOf(name).filter((app) => this.state.get(app, `lock ${lock}`) === how);
    const holders = having("holds"), waiting = having("waits");
    const asleep = holders.filter((app) => this.state.get(app, "process") !== "running").map((app) => `${app} is ${this.state.get(app, "process") ?? "not running"}`);
    const word = [holders.length ? `held by ${holders.join(", ")}` : "free", ...asleep, waiting.length ? `${waiting.join(", ")} waiting` : ""].filter(Boolean).join(" · ");
    this.add(`lock ${name} ${lock}`, "lock", lock, word, holders.length ? "open" : "", [], this.model.cast.appsOf(name).map((app) => `${app}: lock ${lock}`), this.model.cast.appsOf(name));
  }

  link({ name, ends }) {
    const { state } = this;
    const up = ends.map((end) => state.get(name, `end ${end}`) === "up");
    const since = Math.max(...ends.map((end) => state.facts.get(`${name}: end ${end}`)?.time ?? 0));
    const pairing = state.get(name, "pairing");
    const faults = this.faults(name);
    const word = pairing ?? (up[0] && up[1] ? "in range" : up[0] !== up[1] ? `only ${ends[up[0] ? 0 : 1]} sees the other` : "out of range");
    const count = (how) => state.list(name, "message ").filter(({ value }) => value.startsWith(how)).length;
    const places = [[`waits on ${ends[0]}`, `wait on ${ends[0]}`], [`waits on ${ends[1]}`, `wait on ${ends[1]}`], ["on its way", "on their way"],
      [`in the inbox of ${ends[0]}`, `in the inbox of ${ends[0]}`], [`in the inbox of ${ends[1]}`, `in the inbox of ${ends[1]}`]];
    const thing = this.add(`link ${name}`, "link", name, word, up[0] && up[1] && !pairing ? "fine" : "bad", [
      { label: "since", text: since && this.model.stepAt(since) != null ? stepName(this.model.steps[this.model.stepAt(since)].path) : "" },
      ...places.map(([how, label]) => ({ label, text: String(count(how) || "") })),
      { label: "being handled", text: String(state.list(name, "message ").filter(({ value }) => value.endsWith("handles it")).length || "") },
      ...faults, { label: "last fault", text: state.get(name, "last fault") },
    ], [`${name}: `], ends);
    // Each direction as the drawing needs it: whether it carries messages, and what faults do to it.
    thing.directions = ["toWatch", "toPhone"].map((direction, index) => {
      const armed = faults.map(({ text }) => text.split(":")[0].split(" ")).filter(([, where]) => where == null || where === direction).map(([what]) => what);
      const isUp = up[0] && up[1] && !pairing && !armed.includes("cut");
      return { direction, state: !isUp ? "cut" : armed.length ? "faulty" : "up", moving: state.list(name, "message ").filter(({ value }) => value === `on its way to ${ends[1 - index]}`).length };
    });
  }

  server() {
    const { state } = this;
    const [word, tone] = this.process("server");
    const faults = this.faults("server");
    const activations = state.list("server", "activation ");
    const requests = state.list("server", "request ").map(({ value }) => shortPath(value));
    const isSlow = tone === "fine" && faults.some(({ text }) => text.startsWith("slow"));
    this.add("server", "server", "server", isSlow ? "running, slow" : word, isSlow ? "open" : tone, [
      ...activations.flatMap(({ name, value }, index) => {
        const number = activations.length > 1 ? ` ${index + 1}` : "", failed = state.get("server", `failed attempts ${name}`);
        return [{ label: `activation${number}`, text: value + (failed == null ? "" : ` · ${failed} failed attempts`), tone: value.startsWith("BLOCKED") ? "bad" : "" },
          { label: `counter${number}`, text: state.get("server", `counter ${name}`) }];
      }),
      { label: requests.length === 1 ? "1 open request" : `${requests.length} open requests`, text: requests.join(", "), tone: "http" },
      { label: "last answer", text: shortPath(state.get("server", "last answer")) },
      { label: "refused", text: shortPath(state.get("server", "last refusal")), tone: "bad" }, { label: "last fault", text: shortPath(state.get("server", "last fault")), tone: "bad" },
      { label: "push", text: state.get("server", "last push") },
      ...faults,
    ], ["server: "], ["server"]);
  }
}

/** The drawing. */
class Bench {
  /**
   * @param {TimelineModel} model
   * @param {(choice: object) => void} select
   */
  constructor(model, select) {
    Object.assign(this, { model, select });
    this.body = make("div", { class: "stage" });
    this.legend = make("span", { class: "empty" });
    this.element = make("section", { class: "bench", "aria-label": "Bench" }, make("h2", {}, "Bench ", this.legend), this.body);
  }

  replace(model) { this.model = model; }

  /**
   * Draws a moment.
   * @param {Cursor} cursor
   * @param {Cursor} before the moment to which it is compared: where the step began
   * @param {string | null} chosen identifier of the thing in the panel
   * @param {string} since the moment of `before` in words
   */
  show(cursor, before, chosen, since) {
    const [then, now] = [before, cursor].map((at) => new BenchThings(this.model, this.model.states.at(at), at.time).byId);
    this.legend.textContent = `changed since ${since}`;
    // What is the same need not be drawn again, and keeps the focus.
    const drawn = JSON.stringify([[...then], [...now]]);
    if (drawn !== this.drawn) {
      this.drawn = drawn;
      const { thing, act } = this.body.contains(document.activeElement) ? document.activeElement.dataset : {};
      this.body.replaceChildren(...this.draw(now, then));
      if (thing != null || act != null) [...this.body.querySelectorAll("button")].find(({ dataset }) => dataset.thing === thing && dataset.act === act)?.focus({ preventScroll: true });
    }
    for (const button of this.body.querySelectorAll("button[data-thing]")) button.setAttribute("aria-pressed", String(button.dataset.thing === chosen));
  }

  draw(now, then) {
    const { devices, links } = this.model.cast;
    const part = (id, ...more) => now.has(id) && this.thing(now.get(id), then.get(id), ...more);
    const device = ({ name, kind, pages, hasLocks }) => {
      const apps = this.model.cast.appsOf(name).map((app) => part(`app ${app}`));
      const shared = [...[...pages].map((page) => part(`shared page ${page}`)), ...(hasLocks ? lockNames.map((lock) => part(`lock ${name} ${lock}`)) : [])];
      return make("section", { class: `device ${kind}`, "aria-label": `${kind === "watch" ? "Watch" : "Phone"} ${name}` },
        part(`device ${name}`), make("div", { class: "apps" }, apps), shared.length ? make("div", { class: "shared" }, shared) : null);
    };
    const linked = (name) => links.filter((link) => link.ends[1] === name);
    return [
      ...devices.filter(({ kind }) => kind === "phone").map(device),
      ...devices.filter(({ kind }) => kind === "watch").map((watch) => make("div", { class: "pair" },
        make("div", { class: "links" }, linked(watch.name).map((link) => part(`link ${link.name}`, this.wires(now.get(`link ${link.name}`), link)))), device(watch))),
      make("div", { class: "rest" }, ["server", "clock", "faults", "trace"].map((id) => part(id))),
    ];
  }

  /** A thing: its name, which opens it, its state, and what is known of it. */
  thing(thing, before, ...more) {
    const rows = thing.rows.map((row) => {
      const old = before?.rows.find((other) => other.label === row.label)?.text;
      const isChanged = old !== row.text;
      // Numbers and words are short enough to show what they were.
      const words = isChanged && old && old.length + row.text.length < 24 ? `${old} → ${row.text}` : row.text;
      return make("div", { class: [isChanged ? "changed" : "", row.label === "dialog" ? "dialog" : ""].join(" ").trim() || null }, make("dt", {}, row.label), make("dd", { class: row.tone || null }, breakable(words), isChanged && hidden(" changed")));
    });
    const isChanged = before?.word.replace(/, [^,]* ago$/, "") !== thing.word.replace(/, [^,]* ago$/, "");
    const button = make("button", { type: "button", title: `Show what is known of ${thing.name}`, onclick: () => this.select({ thing: thing.id }) },
      thing.name, thing.word && " ", thing.word && make("span", { class: `word ${thing.tone}${isChanged ? " changed" : ""}` }, thing.word), isChanged && hidden(" changed"));
    button.dataset.thing = thing.id;
    return make("div", { class: `thing ${thing.kind.replace(" ", "-")}${thing.word.startsWith("ended: ") || thing.word === "off" ? " dead" : ""}` }, hidden(`${thing.kind} `), button, commandMenu?.button(thing, this.model), more, rows.length ? make("dl", {}, rows) : null);
  }

  /** The two directions of a link. */
  wires(link, { ends }) {
    return make("div", { class: "wires", role: "img", "aria-label": link.directions.map(({ direction, state, moving }) =>
      `to ${direction === "toWatch" ? ends[1] : ends[0]}: ${({ up: "open", cut: "cut", faulty: "with faults" })[state]}${moving ? `, ${moving} under way` : ""}`).join("; ") },
      link.directions.map(({ direction, state, moving }) => make("div", { class: `wire ${direction} ${state}` }, Array.from({ length: Math.min(moving, 5) }, () => make("i", {})))));
  }
}

/** A text without what the paths of all requests begin with. */
function shortPath(text) { return text?.replace(/^(\/enrollment-server)?(\/pa\/v\d+|\/api)?\//, ""); }

/** Text for those who hear the page. */
function hidden(text) { return make("span", { class: "hidden" }, text); }
