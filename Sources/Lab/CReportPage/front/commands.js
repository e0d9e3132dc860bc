// The commands of a running instance: a menu at each thing of the bench, a search over all, and a form for each command.

/** A command answers something and changes nothing if its summary begins like this, also one of a user's own app. */
const readingSummary = /^(Asks the server|Checks|Counts|Fetches|Holds|Lists|Reads|Reports|Returns|Shows)\b/;
/** Commands with such a summary that do change something. */
const changingAnyway = new Set(["fetchEncryptionKey", "requestAccessToken", "startPollingOperations", "verifyOfflineCode", "verifySignature"]);
/** Commands that take something away from the apps: a process, a network, storage, an activation. In the order of menus. */
const breakingCommands = ["suspend", "kill", "lock", "reboot", "goOffline", "down", "slow", "fail", "drop", "cut", "duplicate", "reorder", "corrupt", "edit", "wrongCertificate",
  "unpair", "outOfMemory", "terminate", "forceQuit", "uninstall", "fillDisk", "readOnlyDisk", "switchOff", "erase", "arm", "blockActivation",
  "overwriteSharedMemory", "truncateSharedMemory", "unlinkSharedMemory", "removeGroupContainer"];
/** What the menu of an actor with many commands begins with, in its order. */
const usualCommands = ["hasValidActivation", "fetchActivationStatus", "activationStatus", "requests", "trafficFaults", "hasLocalToken", "watchSession", "receivedUserInfo", "sharedMemory",
  "security", "processes", "notifications", "keychainItems", "inspectSharing",
  "launch", "resume", "relaunch", "initActivation", "commitActivation", "createActivation", "persistActivation", "validatePassword", "requestAccessToken", "sendTokenToWatch",
  "createPayment", "sendPush", "unblockActivation", "restart", "heal", "unlock", "answerBiometry", "enrolBiometry", "goOnline", "freeDisk", "switchOn", "setClockSkew", ...breakingCommands];
/** A menu with at most so many commands shows all of them. */
const fewCommands = 18;
/** A search shows at most so many. */
const mostFound = 40;
/** A step that runs longer than this, in milliseconds, may wait for a person. */
const hintAfter = 3e3;

const commandGroups = [["read", "Read"], ["change", "Change"], ["break", "Break"]];

function groupOfCommand(command) {
  if (breakingCommands.includes(command.name)) return "break";
  return readingSummary.test(command.summary) && !changingAnyway.has(command.name) ? "read" : "change";
}

/** One menu for the whole page: the commands of an actor or of all, the form of one of them, and its answer. */
class CommandMenu {
  /** @param {() => void} done called after each step that was carried out */
  constructor(done) {
    this.done = done;
    /** What was typed and answered stays, by actor and command. @type {Map<string, CommandForm>} */
    this.forms = new Map();
    /** The texts of answers by the names of their members, the latest first: they are offered where a parameter has that name. @type {Map<string, string[]>} */
    this.answered = new Map();
    this.element = make("div", { class: "menu", popover: "auto", role: "dialog", onkeydown: (event) => this.move(event), ontoggle: (event) => {
      // What has opened the menu may have been drawn anew.
      if (event.newState === "closed" && (document.activeElement === document.body || this.element.contains(document.activeElement))) this.opener()?.focus({ preventScroll: true });
    } });
  }

  /** The button that opens the menu of a thing; nothing for one without an actor. */
  button(thing, model) {
    const page = thing.kind === "shared memory" && model.cast.devices.find((device) => device.pages.has(thing.id.replace("shared page ", "")))?.name;
    const name = page || thing.id.replace(/^(device|app|link) /, "");
    const actor = live.actors.find((one) => one.name === name);
    if (!actor) return null;
    const isShown = page ? (command) => /SharedMemory$|^inspectSharing$|^fileLocks$|^removeGroupContainer$/.test(command.name) : () => true;
    const button = make("button", { type: "button", class: "act", "aria-label": `Actions of ${thing.name}`, "aria-haspopup": "dialog", title: `What ${thing.name} can do, and what can be done to it`,
      onclick: () => this.open(button, `Actions of ${thing.name}`, [{ name, commands: actor.commands.filter(isShown) }]) }, "⋯");
    button.dataset.act = thing.id;
    return button;
  }

  opener() { return [...document.querySelectorAll("[data-act]")].find((button) => button.dataset.act === this.act); }

  /** Opens the menu at a button. */
  open(button, title, actors) {
    Object.assign(this, { act: button.dataset.act, title, actors, showsAll: false });
    this.element.setAttribute("aria-label", title);
    this.element.showPopover();
    this.choices();
  }

  /** Beside its opener where there is room, and always in sight. */
  place() {
    const { element } = this, at = this.opener()?.getBoundingClientRect() ?? { left: 0, bottom: 0 };
    const within = (place, size, room) => Math.max(8, Math.min(place, room - size - 8));
    element.style.left = `${within(at.left, element.offsetWidth, document.documentElement.clientWidth) + window.scrollX}px`;
    element.style.top = `${within(at.bottom + 4, element.offsetHeight, window.innerHeight) + window.scrollY}px`;
  }

  head(...parts) {
    return make("div", { class: "menu-head" }, parts, make("button", { type: "button", "aria-label": "Close", onclick: () => this.element.hidePopover() }, "✕"));
  }

  /** The list of commands with its search. */
  choices() {
    const count = this.actors.reduce((sum, actor) => sum + actor.commands.length, 0);
    const found = make("div", { class: "found" });
    const show = () => {
      found.replaceChildren(...this.found(search.value, show));
      this.place();
    };
    const search = make("input", { type: "search", "aria-label": "Search commands", placeholder: `Search ${count} commands`, autocomplete: "off", oninput: show, onkeydown: (event) => {
      if (event.key !== "Enter") return;
      // Else the button of the form, which has the focus by then, would be pressed too.
      event.preventDefault();
      found.querySelector(".choice")?.click();
    } });
    this.element.replaceChildren(this.head(make("h2", {}, this.title)), search, found);
    show();
    search.focus();
  }

  /** The commands that have all words, in their groups. */
  found(text, show) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const isOne = this.actors.length === 1;
    const all = this.actors.flatMap((actor) => actor.commands.map((command) => ({ actor: actor.name, command })));
    let matching = all.filter(({ actor, command }) => words.every((word) => `${isOne ? "" : actor} ${command.name} ${command.summary}`.toLowerCase().includes(word)));
    // A name is meant more often than a word of a sentence.
    if (words.length) matching.sort((one, other) => words.some((word) => other.command.name.toLowerCase().includes(word)) - words.some((word) => one.command.name.toLowerCase().includes(word)));
    else if (!isOne) return [make("p", { class: "empty" }, `Type a word of a command, of what it does, or of its actor: ${this.actors.map((actor) => actor.name).join(", ")}.`)];
    const isShort = !words.length && !this.showsAll && all.length > fewCommands;
    const rank = ({ command }) => (usualCommands.includes(command.name) ? usualCommands.indexOf(command.name) : usualCommands.length);
    if (!words.length) matching.sort((one, other) => rank(one) - rank(other));
    if (isShort) matching = matching.filter(({ command }) => usualCommands.includes(command.name));
    const shown = words.length ? matching.slice(0, mostFound) : matching;
    return [
      ...commandGroups.map(([group, title]) => [title, group, shown.filter(({ command }) => groupOfCommand(command) === group)]).filter(([, , commands]) => commands.length)
        .map(([title, group, commands]) => make("section", { role: "group", "aria-label": title, class: `group ${group}` }, make("h3", {}, title), commands.map((one) => this.choice(one, isOne)))),
      shown.length ? null : make("p", { class: "empty" }, "No command has these words."),
      matching.length > shown.length ? make("p", { class: "empty" }, `${matching.length - shown.length} more: type another word.`) : null,
      isShort ? make("button", { type: "button", class: "all", onclick: () => { this.showsAll = true; show(); } }, `Show all ${all.length} commands`) : null,
    ].filter(Boolean);
  }

  choice({ actor, command }, isOne) {
    const name = `${isOne ? "" : `${actor}: `}${command.name}${command.parameters.length ? "…" : ""}`;
    return make("button", { type: "button", class: "choice", "aria-label": name, title: command.summary, onclick: () => this.choose(actor, command) },
      make("b", {}, name), make("small", {}, prose(command.summary)));
  }

  /** Shows the form of a command; one without parameters is carried out at once. */
  choose(actor, command) {
    const key = `${actor} ${command.name}`;
    if (!this.forms.has(key)) this.forms.set(key, new CommandForm(this, actor, command));
    const form = this.forms.get(key);
    form.suggest();
    this.element.replaceChildren(this.head(make("button", { type: "button", onclick: () => this.choices() }, "Back"), make("h2", {}, `${actor}: ${command.name}`)), form.element);
    if (command.parameters.length) form.element.querySelector("input, select").focus();
    else {
      form.element.querySelector("button.run").focus();
      form.run();
    }
    this.place();
  }

  /** Arrow keys walk through the buttons of the list; the keys of the page have no meaning here. */
  move(event) {
    if (event.key === "Escape") return;
    event.stopPropagation();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const buttons = [...this.element.querySelectorAll(".found button")];
    if (!step || !buttons.length) return;
    event.preventDefault();
    const next = buttons.indexOf(document.activeElement) + step;
    (next < 0 ? this.element.querySelector("input[type=search]") : buttons[Math.min(next, buttons.length - 1)])?.focus();
  }

  /** Keeps the texts of an answer of a step for the forms of later commands. */
  keep(answer) {
    if (answer == null || typeof answer !== "object") return;
    for (const [name, value] of Object.entries(answer)) {
      if (typeof value !== "string" || value.length > 120 || value.includes("•")) this.keep(value);
      // Many things have a name, and that of one is not meant for another.
      else if (name !== "name") this.answered.set(name, [value, ...(this.answered.get(name) ?? []).filter((other) => other !== value)].slice(0, 4));
    }
  }
}

/** The form of a command: its parameters with default and meaning, values to choose, and the answer in place. */
class CommandForm {
  constructor(menu, actor, command) {
    Object.assign(this, { menu, actor, command });
    this.inputs = command.parameters.map((parameter) => ({ parameter, input: inputFor(parameter), offers: make("span", { class: "offers" }) }));
    this.answer = make("div", { class: "answer", role: "status" });
    this.element = make("form", { class: "command-form", onsubmit: (event) => { event.preventDefault(); this.run(); } },
      make("p", { class: "empty" }, prose(command.summary)),
      this.inputs.map(({ parameter, input, offers }) => make("div", { class: "field" }, make("label", { for: input.id }, parameter.name), make("span", { class: "empty" }, parameter.required ? "required" : "optional"),
        input, offers, make("small", { id: `meaning-${parameter.name}` }, prose([parameter.meaning, parameter.default == null ? "" : `Default: ${wordOf(parameter.default)}.`,
          parameter.limit ? `Takes ${parameter.limit}${parameter.unit ? ` ${parameter.unit}` : ""}.` : parameter.unit ? `In ${parameter.unit}.` : ""].filter(Boolean).join(" "))))),
      make("button", { class: "run" }, command.parameters.length ? "Run" : "Run again"), this.answer);
  }

  /** Offers values that can be chosen with a click. */
  suggest() {
    for (const { parameter, input, offers } of this.inputs) {
      const values = input.tagName === "SELECT" || holdsSecret(parameter) ? [] : typeOf(parameter) === "duration" ? ["1s", "1m", "5m", "1h"] : this.menu.answered.get(parameter.name) ?? [];
      offers.replaceChildren(...values.map((value) => make("button", { type: "button", title: `Fill in ${value}`, onclick: () => { input.value = value; input.focus(); } }, value)));
    }
  }

  async run() {
    // A second press would carry the step out twice.
    if (this.isRunning) return;
    this.isRunning = true;
    const given = this.inputs.filter(({ input }) => input.value !== "").map(({ parameter, input }) => `${parameter.name}: ${scalar(parameter, input.value)}`);
    const waiting = make("p", { class: "empty" }, "…");
    this.answer.replaceChildren(waiting);
    const hint = setTimeout(() => {
      waiting.append(" Still running. Steps are carried out one at a time, so a dialog of an app must be answered in advance, or with `lab exec`.");
    }, hintAfter);
    const outcome = await askLab("/steps", `${this.actor}: ${this.command.name}${given.length ? `\nwith: { ${given.join(", ")} }` : ""}`);
    clearTimeout(hint);
    this.isRunning = false;
    this.answer.replaceChildren(...(outcome.error != null ? errorParts(outcome) : [make("p", { class: "verdict passed" }, "✓ done"), ...(outcome.answer == null ? [] : [json(outcome.answer)])]));
    this.menu.place();
    // Below a long form it is out of sight.
    this.answer.scrollIntoView({ block: "nearest" });
    this.menu.done();
  }
}

/** An error in its colour, with its causes. */
function errorParts({ error, causes }) {
  return [make("p", { class: "verdict failed" }, "✗ failed"), ...(causes ?? []).map((cause) => make("p", { class: "bad" }, prose(`Because ${cause}`))),
    make("pre", { class: "wrapped bad", tabindex: "0" }, error)];
}

/** Asks the lab, by a POST if there is a body; an answer that is not JSON, or no answer, is an error. */
async function askLab(path, body) {
  try {
    const response = await fetch(liveAddress(path), body == null ? {} : { method: "POST", body });
    return response.ok ? await response.json() : { error: (await response.text()).trim() || `The lab answered ${response.status}.` };
  } catch {
    return { error: "The lab does not answer. If it has ended, start it again with `lab up --dashboard`." };
  }
}

/** The name of a parameter's type. */
function typeOf(parameter) { return parameter.type?.type ?? parameter.type; }

/** A default in words. */
function wordOf(value) { return typeof value === "string" ? value : JSON.stringify(value); }

/** Whether a parameter is a secret, or has one in it. */
function holdsSecret(parameter) { return parameter.secret || JSON.stringify(parameter.type ?? "").includes('"secret"'); }

/** The words that a parameter takes; null where any text may be right. */
function wordsOf(parameter) {
  const all = () => live.actors.flatMap((actor) => actor.commands.map((command) => ({ actor: actor.name, command })));
  const having = (...names) => [...new Set(all().filter(({ command }) => names.includes(command.name)).map(({ actor }) => actor))];
  switch (typeOf(parameter)) {
    case "choice": return parameter.type.of;
    case "boolean": return ["true", "false"];
    case "text": break;
    default: return null;
  }
  switch (parameter.name) {
    case "point": return live.points ?? null;
    case "peer": return having("launch", "reboot", "initActivation");
    case "app": return having("launch");
    case "link": return having("unpair");
    case "endpoint": return all().flatMap(({ command }) => command.parameters).find((other) => other.name === "endpoint" && other.type?.of)?.type.of.filter((word) => word !== "*") ?? null;
    default: return null;
  }
}

/** Where a parameter is given: a choice where its words are known, else a line of text. */
function inputFor(parameter) {
  const attributes = { id: `parameter-${parameter.name}`, "aria-describedby": `meaning-${parameter.name}` };
  const words = wordsOf(parameter);
  if (!words) {
    return make("input", { ...attributes, type: holdsSecret(parameter) ? "password" : "text", autocomplete: "off", spellcheck: "false",
      placeholder: parameter.default == null ? "" : wordOf(parameter.default) });
  }
  return make("select", attributes, [make("option", { value: "" }, parameter.default == null ? "" : `(${parameter.default})`)]
    .concat(words.map((word) => make("option", { value: word }, word))));
}

/** A value as it stands in a step: texts in quotes, so that YAML reads them as text. */
function scalar(parameter, text) {
  return ["text", "secret", "choice"].includes(typeOf(parameter)) ? JSON.stringify(text) : text;
}
