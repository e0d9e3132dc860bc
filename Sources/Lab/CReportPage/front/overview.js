// All scenarios of the run: what failed and why, how long each took, and how often repeated ones passed.

const overviewState = { text: "", verdicts: new Set(), tag: "", order: "run" };

/** Takes the filters from an address that has some; otherwise they stay what they were. */
function readOverviewState(place) {
  if (!["q", "verdicts", "tag", "order"].some((word) => place.has(word))) return;
  Object.assign(overviewState, { text: place.get("q") ?? "", tag: place.get("tag") ?? "", order: place.get("order") ?? "run",
    verdicts: new Set((place.get("verdicts") ?? "").split(",").filter((word) => word in verdictWords)) });
}

function overview(place) {
  readOverviewState(place);
  const results = run.results;
  const failures = results.filter(isHeldAgainstRun).length;
  const view = make("div", {});
  const longest = Math.max(...results.map((result) => result.seconds), 0.001);
  const counts = countBy(results, (result) => result.verdict);
  view.append(
    make("div", { class: "head" },
      make("h1", {}, failures === 0 ? "Every scenario passed" : `${failures} of ${results.length} scenarios did not pass`),
      make("span", { class: "totals" }, [`${results.length} scenarios`, ...run.runs.map(describeRun)].join(" · "))));
  const list = make("div", { class: "suite" });
  const redraw = () => {
    fillOverview(list, longest);
    const { text, verdicts, tag, order } = overviewState;
    setAddress({ q: text, verdicts: [...verdicts].join(","), tag, order: order === "run" ? "" : order });
  };
  const search = make("input", { type: "search", placeholder: "Search names, files and reasons", "aria-label": "Search scenarios",
    oninput: () => { overviewState.text = search.value; redraw(); } });
  search.value = overviewState.text;
  const tools = make("div", { class: "tools" }, search);
  for (const word of ["passed", "failed", "inconclusive", "notRun"]) {
    if (!counts.get(word)) continue;
    const button = make("button", { type: "button", "aria-pressed": String(overviewState.verdicts.has(word)), onclick: () => {
      overviewState.verdicts[overviewState.verdicts.has(word) ? "delete" : "add"](word);
      button.setAttribute("aria-pressed", String(overviewState.verdicts.has(word)));
      redraw();
    } }, `${verdictWords[word]} ${counts.get(word)}`);
    tools.append(button);
  }
  const tags = [...new Set(results.flatMap((result) => result.tags))].sort();
  if (tags.length) tools.append(choice("Tag", [["", "every tag"], ...tags.map((tag) => [tag, tag])], overviewState.tag, (value) => { overviewState.tag = value; redraw(); }));
  tools.append(choice("Order", [["run", "as run"], ["slow", "slowest first"], ["bad", "failures first"]], overviewState.order, (value) => { overviewState.order = value; redraw(); }));
  view.append(tools, list);
  redraw();
  return view;
}

function describeRun(one) {
  return [one.label, formatSeconds(one.seconds), one.seed == null ? null : `seed ${one.seed}`].filter(Boolean).join(", ");
}

function isHeldAgainstRun(result) {
  return result.verdict !== "passed" && result.quarantine == null && !(result.verdict === "notRun" && result.remark != null);
}

function choice(label, options, value, change) {
  const select = make("select", { "aria-label": label, onchange: () => change(select.value) },
    options.map(([word, text]) => make("option", { value: word, selected: word === value }, text)));
  return select;
}

function countBy(list, key) {
  const counts = new Map();
  for (const entry of list) counts.set(key(entry), (counts.get(key(entry)) ?? 0) + 1);
  return counts;
}

/** The results that the filters leave, in the order that was chosen. */
function chosenResults() {
  const words = overviewState.text.toLowerCase();
  const rank = { failed: 0, inconclusive: 1, notRun: 2, passed: 3 };
  const chosen = run.results.map((result, index) => ({ result, index })).filter(({ result }) =>
    (!overviewState.verdicts.size || overviewState.verdicts.has(result.verdict))
    && (!overviewState.tag || result.tags.includes(overviewState.tag))
    && (!words || [result.name, result.id, ...result.failures.map((failure) => failure.reason)].join("\n").toLowerCase().includes(words)));
  if (overviewState.order === "slow") chosen.sort((a, b) => b.result.seconds - a.result.seconds);
  if (overviewState.order === "bad") chosen.sort((a, b) => rank[a.result.verdict] - rank[b.result.verdict]);
  return chosen;
}

/** Other rounds of the same scenario, and the same scenario in another run. */
function siblings(index) {
  const scenario = run.results[index].scenario;
  return run.results.map((result, other) => ({ result, index: other })).filter(({ result }) => result.scenario === scenario);
}

function fillOverview(list, longest) {
  const chosen = chosenResults();
  list.replaceChildren(...chosen.map(({ result, index }) => {
    const rounds = siblings(index);
    const passed = rounds.filter((round) => round.result.verdict === "passed").length;
    const reason = result.failures[0] && leadingFailure(result);
    return make("a", { class: "case", href: `#s=${index}` },
      verdict(result),
      make("span", { class: "name" }, result.name, make("small", { class: "mono" }, result.id),
        reason && make("span", { class: "reason" }, reason.causes[0] ?? reason.reason)),
      make("span", { class: "rounds" }, [rounds.length > 1 ? `${passed} of ${rounds.length} rounds passed` : result.tags.join(", "), keptWords(result)].filter(Boolean).join(" · ")),
      make("span", { class: "meter" }, make("span", {}, formatSeconds(result.seconds)),
        make("i", { style: `width:${(result.seconds / longest) * 3.5}rem` })));
  }));
  if (!chosen.length) list.append(make("p", { class: "empty tools" }, "  No scenario is like that."));
}

/** How often a scenario passed in the runs that are kept, when it did not always. */
function keptWords(result) {
  const kept = run.kept?.[result.scenario];
  const shown = run.results.filter((other) => other.scenario === result.scenario && other.verdict !== "notRun").length;
  return kept && kept.passed < kept.rounds && kept.rounds > shown ? `${kept.passed} of ${kept.rounds} in kept runs` : null;
}

function leadingFailure(result) {
  return result.failures.find((failure) => failure.place) ?? result.failures[0];
}
