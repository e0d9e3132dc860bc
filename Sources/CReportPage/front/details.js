// The panel beside the lanes: a step, a bar or an event with everything that is known of it.

class Details {
  constructor(model, result, select) {
    this.model = model;
    this.result = result;
    this.select = select;
    this.element = make("section", { class: "panel", "aria-label": "Details", tabindex: "0" });
  }

  show(choice) {
    this.element.replaceChildren(...(choice.span ? this.span(choice.span) : choice.event != null ? this.event(choice.event) : choice.step != null ? this.step(choice.step) : this.nothing()));
    this.element.scrollTop = 0;
  }

  /** Knows more events; what is shown stays. */
  replace(model) { this.model = model; }

  nothing() {
    return [make("h2", {}, "Nothing is chosen"), make("p", { class: "empty" }, "Choose a step, a bar, or an event in the lanes or in the list.")];
  }

  /** A button that leads to an event. */
  link(event, text = event.name) {
    return make("button", { type: "button", onclick: () => this.select({ event: event.index }) },
      `${formatTime(event.time)} ${this.model.laneName(event)} ${text}`);
  }

  step(index) {
    const step = this.model.steps[index];
    const calls = this.model.commands.filter((command) => command.path === step.path && command.t >= step.start && command.t <= (step.end ?? Infinity));
    const caused = this.model.events.filter((event) => this.model.isCaused(event, step.path) && event.time >= step.start && event.time <= (step.end ?? this.model.end));
    const failure = this.result.failures.find((one) => one.step === step.path && step.fine === false);
    return [
      make("h2", {}, `Step ${step.path}`), make("p", {}, step.sentence ?? step.title),
      pairs([["verdict", step.fine == null ? "did not end" : step.fine ? "fine" : "not fine"], ["began", formatTime(step.start)],
        ["took", step.end == null ? null : formatTime(step.end - step.start)], ["written at", failure?.place]]),
      ...(failure ? [make("h3", {}, "Why"), ...failureBody(failure)] : []),
      ...calls.flatMap((call) => [make("h3", {}, `${call.actor}: ${call.command}`),
        pairs([["answered after", call.elapsed == null ? null : formatTime(call.elapsed / 1e3)], ["its own work", call.handling == null ? null : formatTime(call.handling / 1e3)]]),
        call.error ? json(call.error) : call.result == null ? make("p", { class: "empty" }, "It answered nothing.") : json(call.result)]),
      ...this.exchanges(caused.filter((event) => event.name === "server.request" && event.request).map((event) => event.request)),
      ...this.changes(step.start, step.end ?? this.model.end),
      make("h3", {}, `${caused.length} events because of it`),
      make("ol", {}, caused.slice(0, 200).map((event) => make("li", {}, this.link(event)))),
      ...(caused.length > 200 ? [make("p", { class: "empty" }, "The list below has all of them.")] : []),
    ];
  }

  span(span) {
    const first = this.model.events[span.first], last = this.model.events[span.last];
    const others = this.model.spans.filter((other) => other !== span && other.row === span.row && other.lane !== span.lane && span.row.endsWith("lock")
      && other.start < span.end && other.end > span.start);
    return [
      make("h2", {}, span.label),
      pairs([["process", this.model.laneName(first)], ["from", formatTime(span.start)], ["to", span.isOpen ? "the end of what is recorded" : formatTime(span.end)],
        ["took", formatTime(span.end - span.start)], ["step", this.stepLink(first.cause)]]),
      ...(others.length ? [make("h3", {}, "At the same time"), make("ol", {}, others.map((other) => make("li", {},
        this.link(this.model.events[other.first], `${other.label}, ${formatTime(other.end - other.start)}`))))] : []),
      ...this.exchanges([first.request].filter(Boolean)),
      make("h3", {}, "Begin"), this.facts(first), ...(last !== first ? [make("h3", {}, "End"), this.facts(last)] : []),
      ...this.changes(span.start, span.end),
    ];
  }

  event(index) {
    const event = this.model.events[index];
    const meaning = run.meanings[event.name];
    const related = this.model.arrows.filter((arrow) => arrow.to === index || arrow.from === index);
    return [
      make("h2", {}, event.name), meaning && make("p", { class: "empty" }, meaning),
      pairs([["process", this.model.laneName(event)], ["time", formatTime(event.time)], ["step", this.stepLink(event.cause)]]),
      this.facts(event),
      ...(related.length ? [make("h3", {}, "Belongs to"), make("ol", {}, related.map((arrow) => {
        const other = arrow.to === index ? arrow.from : arrow.to;
        return make("li", {}, other != null && other !== index ? this.link(this.model.events[other]) : this.stepLink(this.model.steps[arrow.step]?.path));
      }))] : []),
      ...this.exchanges([event.request].filter(Boolean)),
      ...this.changes(index > 0 ? this.model.events[index].time - 0.5 : 0, event.time),
      ...this.log(event),
    ].filter(Boolean);
  }

  facts(event) { return pairs(Object.entries(this.model.fields(event)).map(([name, value]) => [name, value === null ? "nothing" : value])); }

  stepLink(path) {
    const index = this.model.steps.findIndex((step) => step.path === path);
    return index < 0 ? path : make("button", { type: "button", onclick: () => this.select({ step: index }) }, `${path} ${this.model.steps[index].sentence ?? this.model.steps[index].title}`);
  }

  /** Requests with what was encrypted in them, and how their keys come about. */
  exchanges(requests) {
    return requests.flatMap((request) => [
      make("h3", {}, `${request.method} ${request.path} → ${request.status ?? "no answer"}`),
      request.fault && make("p", {}, `The fault ${request.fault} hit it.`),
      ...titled("Request, decrypted", request.decrypted), ...titled("Answer, decrypted", request.decryptedAnswer),
      ...folded("Request as sent", request.body), ...folded("Header", request.headers),
      ...derivation(request),
    ].filter(Boolean));
  }

  /** What was stored before and after; only what is different. */
  changes(start, end) {
    const before = this.model.storage(start - 0.1), after = this.model.storage(end);
    const names = [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name));
    if (!names.length) return [];
    return [make("h3", {}, "Stored before and after"), make("table", {}, make("thead", {}, make("tr", {}, ["what", "before", "after"].map((word) => make("th", { scope: "col" }, word)))),
      make("tbody", {}, names.map((name) => make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, before.get(name) ?? "–"), make("td", { class: "change" }, after.get(name) ?? "–")))))];
  }

  /** What the process wrote into its log. */
  log(event) {
    const name = `${this.model.lanes[event.lane].name}#${event.incarnation}`;
    const logs = this.model.logs.filter((log) => log.name.startsWith(name) || log.name.startsWith(`${this.model.lanes[event.lane].name}.`) || log.name.endsWith(`.${this.model.lanes[event.lane].name}.log`));
    return logs.filter((log) => log.text).map((log) => make("details", {}, make("summary", {}, `Log ${log.name}`), make("pre", { class: "wrapped", tabindex: "0" }, log.text)));
  }
}

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
    ...failure.causes.map((cause) => make("p", { class: "cause" }, `Because ${cause}`)),
    make("p", {}, failure.reason),
    ...failure.differences.map((difference) => make("pre", { class: "diff", tabindex: "0" },
      make("span", { class: "minus" }, `- ${difference.path ? `${difference.path}: ` : ""}${difference.expected}   expected\n`),
      make("span", { class: "plus" }, `+ ${difference.path ? `${difference.path}: ` : ""}${difference.actual}   actual`),
      difference.hint ? `\n  ${difference.hint}` : "", difference.excerpt ? `\n${difference.excerpt}` : "")),
    failure.details?.length ? make("pre", { tabindex: "0" }, failure.details.join("\n")) : null,
  ].filter(Boolean);
}
