// The panel beside the lanes: a step, a bar or an event with everything that is known of it.

class Details {
  constructor(model, result, select) {
    this.model = model;
    this.result = result;
    this.select = select;
    this.element = make("section", { class: "panel", "aria-label": "Details", tabindex: "0" });
  }

  /**
   * Shows what is chosen, or a thing of the bench.
   * @param {object} choice
   * @param {Cursor} cursor
   * @param {Cursor} before where the step of the cursor began
   */
  show(choice, cursor, before) {
    const shown = JSON.stringify([choice, choice.thing != null || choice.at != null ? cursor : null]);
    // What is the same keeps the focus, and what a reader has unfolded.
    if (shown === this.shown) return;
    this.shown = shown;
    // A thing that changes while it is read stays where it is.
    const place = choice.thing != null && choice.thing === this.open ? this.element.scrollTop : 0;
    this.open = choice.thing;
    this.element.replaceChildren(...(choice.thing != null ? this.thing(choice.thing, cursor, before) : choice.arrow != null ? this.arrow(choice.arrow)
      : choice.turn != null ? this.turn(choice.turn) : choice.span ? this.span(choice.span) : choice.event != null ? this.event(choice.event)
        : choice.step != null ? this.step(choice.step) : choice.at != null ? this.moment(cursor, before) : this.nothing()));
    this.element.scrollTop = place;
  }

  /** Takes more events; the selection stays. */
  replace(model) {
    this.model = model;
    this.shown = null;
  }

  nothing() {
    return [make("h2", {}, "Nothing selected"), make("p", { class: "empty" }, "Select a thing on the bench, a step, a bar, an arrow or an event in the lanes, or an event in the list.")];
  }

  /** A moment that the scrubber has reached. */
  moment(cursor, before) {
    const last = this.model.events[cursor.count - 1], step = this.model.stepAt(cursor.time);
    return [
      make("h2", {}, "A moment"),
      pairs([["time", this.model.moment(cursor.time)], ["step", step == null ? null : this.stepLink(this.model.steps[step].path, step)], ["last event", last ? this.link(last) : null]]),
      ...this.changes(before, cursor),
    ];
  }

  /** A thing of the bench: its values, what changed them last, its requests and its logs until the cursor. */
  thing(id, cursor, before) {
    const state = this.model.states.at(cursor);
    const thing = new BenchThings(this.model, state, cursor.time).byId.get(id);
    if (!thing) return [make("h2", {}, "Not on the bench"), make("p", { class: "empty" }, "Nothing is known of it at this moment.")];
    const isOfThing = (name) => thing.subjects.some((prefix) => name.startsWith(prefix));
    const facts = [...state.facts].filter(([name]) => isOfThing(name));
    const latest = thing.subjects.map((prefix) => state.latest.get(prefix.slice(0, prefix.indexOf(": ")))).filter(Boolean).sort((a, b) => b.time - a.time)[0];
    const arrows = this.model.arrows.filter((arrow) => arrow.kind !== "command" && arrow.to < cursor.count
      && [arrow.from, arrow.to].some((event) => thing.lanes.includes(this.model.lanes[this.model.events[event].lane].name))).slice(-20).reverse();
    const processes = new Set(this.model.events.slice(0, cursor.count).filter((event) => thing.lanes.includes(this.model.lanes[event.lane].name)).map((event) => this.model.laneName(event)));
    return [
      make("h2", {}, thing.name), make("p", { class: "empty" }, thing.kind),
      pairs([["state", thing.word], ...thing.rows.map((row) => [row.label, row.text]), ["last change", latest ? this.sourceLink(latest) : null], ["at", this.model.moment(cursor.time)]]),
      make("button", { type: "button", onclick: () => this.select({ thing: null }) }, "Close"),
      ...this.changes(before, cursor, isOfThing),
      ...(facts.length ? [make("h3", {}, "Values, and what set them"), make("table", { class: "changes values" }, make("thead", {}, make("tr", {}, ["what", "value, set by"].map((word) => make("th", { scope: "col" }, word)))),
        make("tbody", {}, facts.map(([name, fact]) => make("tr", {}, make("th", { scope: "row" }, breakable(name.slice(name.indexOf(": ") + 2))), make("td", {}, breakable(fact.value), make("small", {}, this.sourceLink(fact)))))))] : []),
      ...(arrows.length ? [make("h3", {}, "Requests and messages, newest first"), make("ol", {}, arrows.map((arrow) => make("li", {}, this.arrowLink(arrow))))] : []),
      ...this.log(processes, 0, cursor.time),
    ];
  }

  /** Leads to the event that changed a fact, or to the step whose command did. @param {Fact} fact */
  sourceLink(fact) {
    if (fact.event != null) return this.link(this.model.events[fact.event]);
    const command = this.model.states.commands[fact.command];
    return this.stepLink(command.path, this.model.steps.indexOf(this.model.stepOf(command)));
  }

  /** A button that leads to an event. */
  link(event, text = event.name) {
    return make("button", { type: "button", onclick: () => this.select({ event: event.index }) },
      `${formatTime(event.time)} ${this.model.laneName(event)} ${text}`);
  }

  arrowLink(arrow) {
    return make("button", { type: "button", onclick: () => this.select({ arrow: this.model.arrows.indexOf(arrow) }) },
      `${formatTime(this.model.startOf(arrow))} ${this.model.describeArrow(arrow)}`);
  }

  step(index) {
    const step = this.model.steps[index];
    const attempts = this.model.spanOf({ step: index })?.attempts?.length ?? 0;
    const calls = this.callsOf(step);
    const caused = this.causedWithin(step.path, step.start, step.end ?? this.model.end);
    const failure = step.fine === false || step.failedLater ? this.result.failures.find((one) => one.step === step.path) ?? step.failure : null;
    return [
      make("h2", {}, capitalised(stepName(step.path))), make("p", {}, prose(step.sentence ?? step.title)),
      pairs([["verdict", make("span", {}, prose(this.model.verdictOf(step)))], ["attempts", attempts > 1 ? String(attempts) : null], ["began", this.model.moment(step.start)],
        ["took", step.end == null ? null : formatTime(step.end - step.start)], ["written at", step.line == null || live ? failure?.place : `${step.file}:${step.line}:${step.column}`],
        ["included at", step.includedAt?.join(", ")]]),
      ...this.source(step),
      ...(failure ? [make("h3", {}, "Why"), ...failureBody(failure)] : []),
      ...this.turns(index),
      ...this.answers(calls),
      ...this.exchanges(caused.filter((event) => event.name === "server.request" && event.request).map((event) => event.request)),
      ...this.changesWithin(step.start, step.end ?? this.model.end),
      ...this.messages(caused),
      ...this.log(this.processes(caused), step.start, step.end ?? this.model.end),
      make("h3", {}, `${caused.length} events because of it`),
      make("ol", {}, caused.slice(0, 200).map((event) => make("li", {}, this.link(event)))),
      ...(caused.length > 200 ? [make("p", { class: "empty" }, "The list below has all of them.")] : []),
    ];
  }

  /** The turns of a block in their order. */
  turns(step) {
    const spans = this.model.spans.filter((span) => span.turn != null && this.model.turns[span.turn].step === step);
    return spans.length ? [make("h3", {}, "Turns"), make("ol", {}, spans.map((span) => make("li", {}, make("button", { type: "button", onclick: () => this.select({ turn: span.turn }) },
      `${formatTime(span.start)} ${span.title}`))))] : [];
  }

  /** A turn with what its process did in it. */
  turn(index) {
    const turn = this.model.turns[index], span = this.model.spans.find((one) => one.turn === index);
    const events = this.model.events.filter((event) => event.lane === span.lane && event.time >= span.start && event.time < span.end);
    return [
      make("h2", {}, span.title),
      pairs([["from", this.model.moment(span.start)], ["to", span.isOpen ? "the end of what is recorded" : this.model.moment(span.end)],
        ["took", formatTime(span.end - span.start)], ["step", this.stepLink(this.model.steps[turn.step].path, turn.step)]]),
      ...(events.length ? [make("h3", {}, `Events of ${turn.process} in it`), make("ol", {}, events.slice(0, 200).map((event) => make("li", {}, this.link(event))))] : []),
      ...this.changesWithin(span.start, span.end),
      ...this.log(this.processes(events), span.start, span.end),
    ];
  }

  /** The lines in which a step is written; those of a long block are folded. */
  source(step) {
    if (step.text == null) return [];
    const lines = step.text.split("\n").slice(step.line - 1, step.lastLine);
    const width = String(step.lastLine).length;
    // The panel is narrow: what all lines are indented by says nothing.
    const margin = Math.min(...lines.filter((line) => line.trim()).map((line) => line.search(/\S/)));
    return [make("details", { open: lines.length <= 12 }, make("summary", {}, "As it is written"), make("pre", { class: "wrapped source", tabindex: "0" },
      lines.map((line, index) => `${String(step.line + index).padStart(width)} | ${line.slice(margin)}`).join("\n")))];
  }

  /** The commands of a step, in its time: a step that is repeated has a time for each round. */
  callsOf(step) {
    return this.model.commands.filter((command) => command.path === step.path && command.source === step.source && command.t >= step.start && command.t <= (step.end ?? Infinity));
  }

  answers(calls) {
    return calls.flatMap((call) => [make("h3", {}, `${call.actor}: ${call.command}`),
      pairs([["answered after", call.elapsed == null ? null : formatTime(call.elapsed / 1e3)], ["its own work", call.handling == null ? null : formatTime(call.handling / 1e3)]]),
      call.error ? json(call.error) : call.result == null ? make("p", { class: "empty" }, "It answered nothing.") : json(call.result)]);
  }

  /** The arrows that lead to some events. */
  messages(events) {
    const targets = new Set(events.map((event) => event.index));
    const arrows = this.model.arrows.filter((arrow) => arrow.kind !== "command" && targets.has(arrow.to));
    return arrows.length ? [make("h3", {}, "Requests and messages"), make("ol", {}, arrows.slice(0, 200).map((arrow) => make("li", {}, this.arrowLink(arrow))))] : [];
  }

  /** A request, an answer, a watch message or a command, with both of its ends. */
  arrow(index) {
    const arrow = this.model.arrows[index];
    const to = this.model.events[arrow.to], from = arrow.from == null ? null : this.model.events[arrow.from];
    const step = arrow.step == null ? null : this.model.steps[arrow.step];
    const start = this.model.startOf(arrow);
    const id = arrow.kind === "link" ? this.model.fields(to).id : null;
    const way = id == null ? [] : this.model.events.filter((event) => event.name.startsWith("link.") && this.model.fields(event).id === id);
    return [
      make("h2", {}, this.model.describeArrow(arrow)),
      pairs([["from", from ? this.link(from) : this.stepLink(step.path, arrow.step)], ["to", this.link(to)], ["sent", this.model.moment(start)],
        ["under way for", formatTime(to.time - start)], ["step", from ? this.stepLink(to.cause) : null]]),
      ...(step ? this.answers(this.callsOf(step)) : []),
      ...(arrow.kind === "http" ? this.exchanges([to.request ?? from.request].filter(Boolean)) : []),
      ...(way.length ? [make("h3", {}, "The message's way"), make("ol", {}, way.map((event) => make("li", {}, this.link(event))))] : []),
      ...(from ? [make("h3", {}, "Where it was sent"), this.facts(from)] : []),
      make("h3", {}, "Where it arrived"), this.facts(to),
      ...this.changesWithin(start, to.time),
      ...this.log(this.processes([from, to].filter(Boolean)), start, to.time),
    ];
  }

  span(span) {
    if (span.kind === "band") return this.band(span);
    const first = this.model.events[span.first], last = this.model.events[span.last];
    const others = this.model.spans.filter((other) => other !== span && other.row === span.row && other.lane !== span.lane && span.row.endsWith("lock")
      && other.start < span.end && other.end > span.start);
    return [
      make("h2", {}, span.label),
      pairs([["process", this.model.laneName(first)], ["from", this.model.moment(span.start)], ["to", span.isOpen ? "the end of what is recorded" : this.model.moment(span.end)],
        ["took", formatTime(span.end - span.start)], ["step", this.stepLink(first.cause)]]),
      ...(others.length ? [make("h3", {}, "At the same time"), make("ol", {}, others.map((other) => make("li", {},
        this.link(this.model.events[other.first], `${other.label}, ${formatTime(other.end - other.start)}`))))] : []),
      ...this.exchanges([first.request].filter(Boolean)),
      make("h3", {}, "Begin"), this.facts(first), ...(last !== first ? [make("h3", {}, "End"), this.facts(last)] : []),
      ...this.changesWithin(span.start, span.end),
      ...this.log(this.processes([first, ...this.causedWithin(first.cause, span.start, span.end)]), span.start, span.end),
    ];
  }

  /** A condition that lasted for a while. */
  band(band) {
    return [
      make("h2", {}, band.label),
      pairs([["device or process", this.model.lanes[band.lane].name], ["from", this.model.moment(band.start)], ["to", band.isOpen ? "the end of what is recorded" : this.model.moment(band.end)],
        ["took", formatTime(band.end - band.start)], ["begun by", this.sourceLink(band.source)]]),
      ...this.changes(this.model.states.cursorAt(band.start - 0.5), this.model.states.cursorAt(band.start)),
    ];
  }

  event(index) {
    const event = this.model.events[index];
    const meaning = run.meanings[event.name];
    const related = this.model.arrows.filter((arrow) => arrow.to === index || arrow.from === index);
    return [
      make("h2", {}, event.name), meaning && make("p", { class: "empty" }, meaning),
      pairs([["process", this.model.laneName(event)], ["time", this.model.moment(event.time)], ["step", this.stepLink(event.cause)]]),
      this.facts(event),
      ...(related.length ? [make("h3", {}, "Belongs to"), make("ol", {}, related.map((arrow) => make("li", {}, this.arrowLink(arrow))))] : []),
      ...this.exchanges([event.request].filter(Boolean)),
      event.name === "server.request" && !event.request && make("p", { class: "empty" }, "What it carried is not here: the newest requests of a run are kept."),
      ...this.changes({ time: event.time, count: index }, this.model.cursorAfter(index)),
      ...this.log(this.processes([event]), event.time, event.time),
    ].filter(Boolean);
  }

  facts(event) { return pairs(Object.entries(this.model.fields(event)).map(([name, value]) => [name, value === null ? "nothing" : value])); }

  stepLink(path, index = this.model.steps.findIndex((step) => step.path === path)) {
    return index < 0 ? path : make("button", { type: "button", onclick: () => this.select({ step: index }) }, `${path} ${this.model.steps[index].sentence ?? this.model.steps[index].title}`);
  }

  /** Requests with what was encrypted in them, and how their keys come about. */
  exchanges(requests) {
    return requests.flatMap((request) => [
      make("h3", {}, `${request.method} ${request.path} → ${request.status ?? "no answer"}`),
      request.fault && make("p", {}, `The fault ${request.fault} hit it.`),
      make("p", {}, "As curl: ", copyable(curl(request), `curl … ${request.path}`)),
      isCut(request) && make("p", { class: "empty" }, "Long texts are cut, here and in the command: a page of this scenario alone has more of them."),
      ...titled("Request, decrypted", request.decrypted), ...titled("Answer, decrypted", request.decryptedAnswer),
      ...folded("Answer as sent", request.answer), ...folded("Request as sent", request.body), ...folded("Header", request.headers),
      ...derivation(request),
    ].filter(Boolean));
  }

  /** What is different at two moments, without what only says what was going on. */
  changes(before, after, isShown = () => true) {
    const isKept = (name) => isShown(name) && !/: (command |request |last command|last answer|start$)/.test(name);
    const changes = States.changes(this.model.states.at(before), this.model.states.at(after), isKept);
    if (!changes.length) return [];
    return [make("h3", {}, "Before and after"), make("table", { class: "changes" }, make("thead", {}, make("tr", {}, ["what", "before", "after"].map((word) => make("th", { scope: "col" }, word)))),
      make("tbody", {}, changes.map((change) => make("tr", {}, make("th", { scope: "row" }, breakable(change.name)), make("td", {}, breakable(change.before?.value ?? "–")), make("td", { class: "change" }, breakable(change.after?.value ?? "–"))))))];
  }

  changesWithin(start, end) { return this.changes(this.model.states.cursorAt(start - 0.5), this.model.states.cursorAt(end)); }

  /** What a step, or one inside it, caused in some time. */
  causedWithin(path, start, end) {
    return path === "" ? [] : this.model.events.filter((event) => event.time >= start && event.time <= end && this.model.isCaused(event, path));
  }

  /** The processes that some events are of. */
  processes(events) { return new Set(events.map((event) => this.model.laneName(event))); }

  /** What processes wrote into their logs in some time, and the files of those whose lines have no time. */
  log(processes, start, end) {
    const names = new Set([...processes].map((process) => process.slice(0, process.lastIndexOf("#"))));
    const lines = start === end ? [] : this.model.events.filter((event) => event.name === "log" && event.time >= start && event.time <= end && processes.has(this.model.laneName(event)));
    // `main#2.stderr` of an app, `a.phone.log` of a device's agent, `server.log`.
    const files = this.model.logs.filter(({ name, text }) => text && (processes.has(name.replace(/\.stderr$/, "")) || names.has(name.replace(/^a\./, "").replace(/\.log$/, ""))));
    return [
      ...(lines.length ? [make("h3", {}, "Logged meanwhile"), make("ol", {}, lines.slice(0, 200).map((event) => make("li", {},
        this.link(event, `${this.model.fields(event).level}: ${this.model.fields(event).message}`))))] : []),
      ...(files.length ? [make("h3", {}, "Logs of the whole scenario")] : []),
      ...files.map((log) => make("details", {}, make("summary", {}, log.name), make("pre", { class: "wrapped", tabindex: "0" }, log.text))),
    ];
  }
}

/** Headers that curl sets itself, and those that the lab adds for its record. */
const headersOfCurl = /^(content-length|host|connection|accept-encoding|x-lab-.*)$/i;

/** A request as a command of curl; `$SERVER` stands for the base URL, as the server of the run has gone. */
function curl(request) {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const headers = Object.entries(request.headers ?? {}).filter(([name]) => !headersOfCurl.test(name)).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  return [`curl -X ${request.method} "$SERVER"${quoted(request.path)}`, ...headers, request.body == null ? null : `-d ${quoted(JSON.stringify(request.body))}`].filter(Boolean).join(" \\\n  ");
}

/** Whether a text of the request as it was sent is cut. */
function isCut(request) { return /… \(\d+ bytes\)"/.test(JSON.stringify([request.headers, request.body])); }

function titled(title, value) { return value == null ? [] : [make("p", { class: "empty" }, title), json(value)]; }

function folded(title, value) { return value == null ? [] : [make("details", {}, make("summary", {}, title), json(value))]; }

/** How the keys of a request come about: what both sides derive, in the words of the protocol. Values of keys are in no record. */
function derivation(request) {
  const header = (name) => Object.entries(request.headers ?? {}).find(([key]) => key.toLowerCase() === name)?.[1];
  const parameters = (text) => Object.fromEntries([...text.matchAll(/(\w+)="([^"]*)"/g)].map((match) => [match[1], match[2]]));
  const lines = [];
  const signature = header("x-powerauth-authorization");
  if (signature) {
    const { pa_signature_type: type = "", pa_version: version, pa_nonce: nonce } = parameters(signature);
    lines.push(`Signature, protocol ${version}, factors ${type}.`, "KEY_MASTER_SECRET = ECDH of the device's and the server's keys, agreed at activation.");
    const indexes = { possession: ["KEY_SIGNATURE_POSSESSION", 1], knowledge: ["KEY_SIGNATURE_KNOWLEDGE", 2], biometry: ["KEY_SIGNATURE_BIOMETRY", 3] };
    for (const factor of type.toLowerCase().split("_")) if (indexes[factor]) lines.push(`${indexes[factor][0]} = KDF(KEY_MASTER_SECRET, ${indexes[factor][1]})`);
    lines.push("Each factor: HMAC-SHA256 of the counter with its key, then of the normalised data (method, resource, nonce, body, application secret).", `nonce ${nonce}; the counter moves on with every signature.`);
  }
  const token = header("x-powerauth-token");
  if (token) {
    const { token_id: id, timestamp, nonce } = parameters(token);
    lines.push(`Token ${id}: digest = HMAC-SHA256 with the token's secret over nonce ${nonce} and timestamp ${timestamp}.`);
  }
  const body = request.body ?? {};
  if (body.ephemeralPublicKey) {
    lines.push(`ECIES, ephemeral key ${body.ephemeralPublicKey}${body.temporaryKeyId ? `, temporary key ${body.temporaryKeyId}` : ", master key"}.`,
      "Shared secret = ECDH of the ephemeral key with the server's; KDF X9.63 with SHA-256 over it and SharedInfo1 gives KEY_ENC, KEY_MAC and KEY_IV.",
      `IV from KEY_IV and nonce ${body.nonce ?? "(none)"}; AES-CBC with KEY_ENC; MAC = HMAC-SHA256 with KEY_MAC over the ciphertext and SharedInfo2.`);
  }
  return lines.length ? [make("details", {}, make("summary", {}, "How its keys are derived"), make("ol", {}, lines.map((line) => make("li", {}, line))))] : [];
}

/** Expected and actual, causes, and what explains a failure. */
function failureBody(failure) {
  return [
    make("p", { class: "reason" }, prose(failure.reason)),
    ...failure.causes.map((cause) => make("p", { class: "cause" }, "Because ", prose(cause))),
    failure.row && make("p", {}, "With the row at ", prose(failure.row)),
    ...failure.differences.map((difference) => make("pre", { class: "diff", tabindex: "0" },
      make("span", { class: "minus" }, `- ${difference.path ? `${difference.path}: ` : ""}${difference.expected}`), `   expected${difference.place ? ` at ${difference.place}` : ""}\n`,
      make("span", { class: "plus" }, `+ ${difference.path ? `${difference.path}: ` : ""}${difference.actual}`), `   actual${difference.hint ? `: ${difference.hint}` : ""}`,
      difference.excerpt ? `\n${difference.excerpt}` : "")),
    failure.details?.length ? make("pre", { tabindex: "0" }, failure.details.join("\n")) : null,
  ].filter(Boolean);
}
