// The page of a running instance: it follows the events; each thing of the bench has a menu, and what was done is a scenario at the side.

const live = (() => {
  const block = document.getElementById("live");
  return block ? JSON.parse(block.textContent) : null;
})();

// Below the page, where the browser shows the cookie that it has got for the token of the address.
const liveAddress = (path) => `.${path}`;

function liveView() {
  const record = recordOf({ lanes: [], history: [], requests: [], logs: [], sharing: null, link: null, texts: [],
    events: { t: [], lane: [], inc: [], name: [], op: [], fields: [] } });
  const status = make("span", { class: "verdict notRun", role: "status" }, "connecting…");
  const follow = make("button", { type: "button", "aria-pressed": "true", title: "Keep the last moments in sight", onclick: () => {
    // While something is chosen the bench stands still: the button then leads back to the present.
    const isFollowing = follow.getAttribute("aria-pressed") === "true" && play.isAtEnd();
    follow.setAttribute("aria-pressed", String(!isFollowing));
    if (!isFollowing) play.follow();
  } }, "Follow");
  const search = make("button", { type: "button", title: "Search the commands of all actors (c)", "aria-haspopup": "dialog",
    onclick: () => commandMenu.open(search, "All commands", live.actors) }, "Commands…");
  search.dataset.act = "all";
  const view = make("div", {}, make("div", { class: "head" }, make("h1", {}, `${live.topology}, live`), status, follow, search),
    make("p", { class: "facts" }, `instance ${live.instance}`), commandMenu.element);
  const result = { failures: [], name: live.topology };
  const play = playground(view, 0, result, new TimelineModel(record), new URLSearchParams());
  // What was done stands with the steps, at the side of the bench.
  const steps = view.querySelector(".steps"), side = make("div", { class: "side" });
  view.querySelector(".left").replaceWith(side);
  side.append(steps, doneScenario.element, snapshotPanel());
  doneScenario.load();
  document.querySelector("#keys dl").append(make("dt", {}, "c"), make("dd", {}, "search the commands of a running instance"));
  const updates = new EventSource(liveAddress("/updates"));
  updates.addEventListener("open", () => { clearRecord(record); status.textContent = "live"; status.className = "verdict passed"; });
  updates.addEventListener("message", (message) => {
    addToRecord(record, JSON.parse(message.data));
    // The first message with events has all that happened before; what happens then is later.
    if (record.events.t.length) record.opened ??= record.events.t.reduce((last, time) => Math.max(last, time));
    scheduleUpdate();
  });
  updates.addEventListener("end", () => { updates.close(); status.textContent = "has ended"; status.className = "verdict notRun"; });
  updates.addEventListener("error", () => { status.textContent = "no connection"; status.className = "verdict failed"; });
  let isScheduled = false;
  function scheduleUpdate() {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(() => {
      isScheduled = false;
      play.update(new TimelineModel(sorted(record)), follow.getAttribute("aria-pressed") === "true");
    });
  }
  return { view, ...play, keys: { ...play.keys, c: () => search.click() } };
}

function clearRecord(record) {
  for (const list of [record.texts, record.steps, record.notRun, record.commands, record.turns, record.requests]) list.length = 0;
  for (const column of Object.values(record.events)) column.length = 0;
  record.written.clear();
}

function addToRecord(record, update) {
  record.lanes = update.lanes ?? record.lanes;
  record.texts.push(...update.texts ?? []);
  if (update.events) for (const [name, column] of Object.entries(record.events)) column.push(...update.events[name]);
  record.requests.push(...update.requests ?? []);
  for (const line of update.history ?? []) {
    addToHistory(record, line);
    if (line.e === "command") commandMenu.keep(line.result);
  }
}

/** Each process records its events in its own file, so the merged events must be sorted. */
function sorted(record) {
  const { t } = record.events;
  const isSorted = t.every((time, index) => index === 0 || t[index - 1] <= time);
  if (isSorted) return record;
  const order = [...t.keys()].sort((a, b) => t[a] - t[b] || a - b);
  for (const [name, column] of Object.entries(record.events)) record.events[name] = order.map((index) => column[index]);
  return record;
}

/** What was done on this page, as a scenario that can be changed, saved and replayed in an instance of its own. */
class DoneScenario {
  constructor() {
    /** The lab's text; what stands in the field may be edited. */
    this.known = "";
    this.text = make("textarea", { "aria-label": "Scenario of what was done", spellcheck: "false", rows: "14", oninput: () => this.show() });
    this.state = make("span", { class: "empty" });
    this.told = make("p", { class: "empty", role: "status" });
    this.output = make("div", {});
    const button = (words, title, onclick) => make("button", { type: "button", title, onclick }, words);
    this.replayButton = button("Replay", "Play the scenario in an instance of its own", () => this.replay());
    this.saveButton = button("Save", "Save the scenario as a file for `lab run`", () => this.save());
    this.revertButton = button("Undo edits", "Show what was done, without the edits", () => { this.text.value = this.known; this.show(); });
    this.element = make("section", { class: "done", "aria-label": "Scenario" }, make("h2", {}, "Scenario ", this.state), this.text,
      make("div", { class: "tools" }, this.replayButton, this.saveButton, this.revertButton), this.told, this.output);
    this.show();
  }

  get isEdited() { return this.text.value !== this.known; }

  show() {
    this.state.textContent = this.isEdited ? "edited" : this.text.value ? "of what was done" : "nothing was done yet";
    this.replayButton.disabled = this.saveButton.disabled = this.text.value.trim() === "" || this.isReplaying === true;
    this.revertButton.disabled = !this.isEdited;
  }

  /** Takes over what was done since; edits stay until they are undone. */
  async load() {
    const response = await fetch(liveAddress("/scenario")).catch(() => null);
    if (!response?.ok) return;
    const text = await response.text(), wasEdited = this.isEdited;
    if (text !== this.known && wasEdited) this.told.textContent = "Steps were done since the scenario was edited; “Undo edits” shows them.";
    this.known = text;
    if (!wasEdited) {
      this.text.value = text;
      this.text.scrollTop = this.text.scrollHeight;
    }
    this.show();
  }

  save() {
    const address = URL.createObjectURL(new Blob([this.text.value], { type: "application/yaml" }));
    make("a", { href: address, download: "dashboard.yaml" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1e4);
    const variables = [...this.text.value.matchAll(/environment: (\w+)/g)].map((match) => match[1]);
    this.told.textContent = ["Saved as dashboard.yaml.", variables.length ? `It reads secrets from the environment: ${variables.join(", ")}.` : ""].join(" ").trim();
  }

  async replay() {
    this.isReplaying = true;
    this.show();
    this.told.textContent = "Replaying…";
    this.output.replaceChildren();
    const { passed, output, error } = await askLab("/replay", this.text.value);
    this.isReplaying = false;
    this.show();
    this.told.textContent = "";
    this.told.append(passed ? make("span", { class: "verdict passed" }, "✓ passed") : make("span", { class: "verdict failed" }, "✗ did not pass"));
    this.output.append(make("pre", { class: `wrapped ${passed ? "" : "bad"}`.trim(), tabindex: "0" }, error ?? output));
  }
}

/** The snapshots of the instance, which are no steps: a name for a new one, and a list. */
function snapshotPanel() {
  const told = make("p", { class: "empty", role: "status" });
  const list = make("ul", { "aria-label": "Snapshots of the instance" });
  const name = make("input", { id: "snapshot-name", autocomplete: "off", maxlength: 64, required: true });
  const change = async (path, text) => {
    told.textContent = "…";
    const outcome = await askLab(path, text);
    told.textContent = outcome.error ?? outcome.answer;
    await Promise.all([show(), doneScenario.load()]);
  };
  const show = async () => {
    const { snapshots, error } = await askLab("/snapshots");
    if (error != null) { told.textContent = error; return; }
    list.replaceChildren(...snapshots.map((one) => make("li", {}, make("code", {}, one.name), ` ${one.facts} `,
      make("button", { type: "button", "aria-label": `Restore ${one.name}`, onclick: () => change("/restore", one.name) }, "Restore"))));
  };
  return make("details", { class: "snapshots", ontoggle: () => show() }, make("summary", {}, "Snapshots"),
    make("form", { onsubmit: (event) => { event.preventDefault(); change("/snapshots", name.value); } },
      make("label", { for: name.id }, "Name "), name, " ", make("button", {}, "Take")), told, list);
}

const doneScenario = live && new DoneScenario();
const commandMenu = live && new CommandMenu(() => doneScenario.load());
