// The page of a running instance: it follows the events, and has a button for each command.

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
    follow.setAttribute("aria-pressed", String(follow.getAttribute("aria-pressed") !== "true"));
    if (follow.getAttribute("aria-pressed") === "true") play.follow();
  } }, "Follow");
  const view = make("div", {}, make("div", { class: "head" }, make("h1", {}, `${live.topology}, live`), status, follow),
    make("p", { class: "facts" }, `instance ${live.instance}`), commandPanel());
  const result = { failures: [], name: live.topology };
  const play = playground(view, 0, result, new TimelineModel(record), new URLSearchParams());
  const updates = new EventSource(liveAddress("/updates"));
  updates.addEventListener("open", () => { clearRecord(record); status.textContent = "live"; status.className = "verdict passed"; });
  updates.addEventListener("message", (message) => {
    addToRecord(record, JSON.parse(message.data));
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
  return { view, ...play };
}

function clearRecord(record) {
  for (const list of [record.texts, record.steps, record.commands, record.turns, record.requests]) list.length = 0;
  for (const column of Object.values(record.events)) column.length = 0;
  record.written.clear();
}

function addToRecord(record, update) {
  record.lanes = update.lanes ?? record.lanes;
  record.texts.push(...update.texts ?? []);
  if (update.events) for (const [name, column] of Object.entries(record.events)) column.push(...update.events[name]);
  record.requests.push(...update.requests ?? []);
  for (const line of update.history ?? []) addToHistory(record, line);
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

/** The commands of every actor as buttons; one that takes something asks for it first. */
function commandPanel() {
  const form = make("div", { class: "command-form" });
  const done = make("ol", { class: "done", reversed: true, "aria-label": "Steps that were done, newest first" });
  const carryOut = async (step, shown = step, copied = step) => {
    const answer = make("div", { class: "empty" }, "…");
    done.prepend(make("li", {}, copyable(copied, shown), copied === shown ? null : make("div", { class: "empty" }, `Secrets are not kept; the copy names them as values: ${[...copied.matchAll(/\$\{\w+\}/g)].join(", ")}.`), answer));
    try {
      const response = await fetch(liveAddress("/steps"), { method: "POST", body: step });
      const outcome = response.ok ? await response.json() : { error: await response.text() };
      if (outcome.error != null) answer.replaceWith(make("pre", { class: "wrapped diff", tabindex: "0" }, make("span", { class: "minus" }, outcome.error)));
      else answer.replaceWith(outcome.answer == null ? make("div", { class: "empty" }, "done") : json(outcome.answer));
    } catch {
      answer.textContent = "The lab does not answer.";
    }
  };
  const ask = (actor, command) => {
    const inputs = command.parameters.map((parameter) => [parameter, inputFor(parameter)]);
    form.replaceChildren(make("form", { onsubmit: (event) => {
      event.preventDefault();
      const given = inputs.filter(([, input]) => input.value !== "").map(([parameter, input]) => ({ parameter, text: scalar(parameter, input.value) }));
      const step = (textOf) => `${actor}: ${command.name}${given.length ? `\nwith: { ${given.map((one) => `${one.parameter.name}: ${textOf(one)}`).join(", ")} }` : ""}`;
      carryOut(step(({ text }) => text), step(({ parameter, text }) => (isHidden(parameter, text) ? '"••••"' : text)),
        step(({ parameter, text }) => (isHidden(parameter, text) ? `\${${parameter.name}}` : text)));
    } }, make("h2", {}, `${actor}: ${command.name}`), make("p", { class: "empty" }, command.summary),
      inputs.map(([parameter, input]) => make("p", {}, make("label", { for: input.id }, `${parameter.name}${parameter.required ? "" : " (optional)"} `), input,
        make("small", { id: `meaning-${parameter.name}` }, ` ${parameter.meaning}`))),
      make("button", {}, "Run")));
    form.querySelector("input, select")?.focus();
  };
  const actors = live.actors.map((actor) => make("details", {}, make("summary", {}, actor.name),
    make("div", { class: "kinds" }, actor.commands.map((command) => make("button", {
      type: "button", title: command.summary,
      onclick: () => (command.parameters.length ? ask(actor.name, command) : carryOut(`${actor.name}: ${command.name}`)),
    }, command.parameters.length ? `${command.name}…` : command.name)))));
  const save = make("div", { class: "tools" }, make("button", { type: "button", title: "Save the steps done here as a file that `lab run` repeats", onclick: async () => {
    told.textContent = await saveScenario().catch(() => "The lab does not answer.");
  } }, "Save as scenario"));
  const told = make("span", { class: "empty", role: "status" });
  save.append(told);
  return make("section", { class: "commands", "aria-label": "Commands" }, make("div", {}, actors), make("div", {}, form, save, snapshotPanel(), done));
}

/** The snapshots of the instance, which are no steps: a name for a new one, and a list. */
function snapshotPanel() {
  const told = make("p", { class: "empty", role: "status" });
  const list = make("ul", { "aria-label": "Snapshots of the instance" });
  const name = make("input", { id: "snapshot-name", autocomplete: "off", maxlength: 64, required: true });
  const ask = async (path, body) => {
    const response = await fetch(liveAddress(path), body == null ? {} : { method: "POST", body });
    return response.ok ? response.json() : { error: (await response.text()).trim() };
  };
  const change = async (path, text) => {
    told.textContent = "…";
    const outcome = await ask(path, text);
    told.textContent = outcome.error ?? outcome.answer;
    await show();
  };
  const show = async () => {
    const { snapshots, error } = await ask("/snapshots");
    if (error != null) { told.textContent = error; return; }
    list.replaceChildren(...snapshots.map((one) => make("li", {}, make("code", {}, one.name), ` ${one.facts} `,
      make("button", { type: "button", "aria-label": `Restore ${one.name}`, onclick: () => attempt(change("/restore", one.name)) }, "Restore"))));
  };
  const attempt = (work) => work.catch(() => { told.textContent = "The lab does not answer."; });
  return make("details", { class: "snapshots", ontoggle: () => attempt(show()) }, make("summary", {}, "Snapshots"),
    make("form", { onsubmit: (event) => { event.preventDefault(); attempt(change("/snapshots", name.value)); } },
      make("label", { for: name.id }, "Name "), name, " ", make("button", {}, "Take")), told, list);
}

/** Asks for what was done as a scenario, and saves it as a browser saves files; returns the result as text. */
async function saveScenario() {
  const response = await fetch(liveAddress("/scenario"));
  const text = await response.text();
  if (!response.ok) return text.trim();
  if (text === "") return "Nothing was done here yet that a scenario could repeat.";
  const address = URL.createObjectURL(new Blob([text], { type: "application/yaml" }));
  make("a", { href: address, download: "dashboard.yaml" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1e4);
  const variables = [...text.matchAll(/environment: (\w+)/g)].map((match) => match[1]);
  return ["Saved as dashboard.yaml.", variables.length ? `It reads secrets from the environment: ${variables.join(", ")}.` : ""].join(" ").trim();
}

/** Whether a parameter is a secret, or has one in it. */
function holdsSecret(parameter) { return parameter.secret || JSON.stringify(parameter.type ?? "").includes('"secret"'); }

/** Whether what was given for a parameter must not be shown; a reference to a value is no secret. */
function isHidden(parameter, text) { return holdsSecret(parameter) && !/^"?\$\{[\w.]+\}"?$/.test(text); }

/** Where a parameter is given: a choice where there are few words, else a line of text. */
function inputFor(parameter) {
  const attributes = { id: `parameter-${parameter.name}`, "aria-describedby": `meaning-${parameter.name}` };
  const words = parameter.type?.type === "choice" ? parameter.type.of : parameter.type?.type === "boolean" ? ["true", "false"] : null;
  if (!words) {
    return make("input", { ...attributes, type: holdsSecret(parameter) ? "password" : "text", autocomplete: "off",
      placeholder: parameter.default == null ? "" : JSON.stringify(parameter.default) });
  }
  return make("select", attributes, (parameter.required ? [] : [make("option", { value: "" }, parameter.default == null ? "" : `(${parameter.default})`)])
    .concat(words.map((word) => make("option", { value: word }, word))));
}

/** A value as it stands in a step: texts in quotes, so that YAML reads them as text. */
function scalar(parameter, text) {
  return ["text", "secret", "choice"].includes(parameter.type?.type ?? parameter.type) ? JSON.stringify(text) : text;
}
