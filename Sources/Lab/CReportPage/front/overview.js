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
    && (!words || [result.name, result.id, ...result.failures.flatMap((failure) => [failure.title, failure.reason, ...failure.causes])].join("\n").toLowerCase().includes(words)));
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
  const groups = new Map();
  for (const entry of chosenResults()) push(groups, overviewState.order === "run" ? tableOf(entry.result) ?? entry : entry, entry);
  list.replaceChildren(...[...groups.values()].flatMap((entries) => (entries.length > 1 ? tableOfRows(entries) : entries.map(({ result, index }) => caseOf(result, index, longest)))));
  if (!groups.size) list.append(make("p", { class: "empty tools" }, "  No scenario matches."));
}

/** The scenario with a table that a result is a row of, in a run and a round; null without a table. */
function tableOf(result) { return rowOf(result) == null ? null : `${result.id.slice(0, result.id.indexOf("["))} ${result.run} ${result.round}`; }

/** The name of the row with which a scenario ran. */
function rowOf(result) { return result.id.match(/\[([^\]]*)\](~\d+)?$/)?.[1]; }

/** A scenario, with a link to a comparison with another round of it. */
function caseOf(result, index, longest) {
  const rounds = siblings(index);
  const passed = rounds.filter((round) => round.result.verdict === "passed").length;
  const other = comparedWith(index, rounds) ?? otherOrders(index)[0];
  const line = make("a", { class: "case", href: `#s=${index}` },
    verdict(result),
    make("span", { class: "name" }, result.name, make("small", { class: "mono" }, [result.id, run.runs.length > 1 ? run.runs[result.run].label : null].filter(Boolean).join(" · ")),
      reasonOf(result)),
    make("span", { class: "rounds" }, [rounds.length > 1 ? `${passed} of ${rounds.length} rounds passed` : result.tags.join(", "), keptWords(result)].filter(Boolean).join(" · ")),
    make("span", { class: "meter" }, make("span", {}, formatSeconds(result.seconds)),
      make("i", { style: `width:${(result.seconds / longest) * 3.5}rem` })));
  return make("div", { class: "line" }, line, compareLink(index, other));
}

function compareLink(index, other) { return other && make("a", { class: "compare", href: `#s=${index}&with=${other.index}` }, `Compare with ${roundName(other.result)}`); }

/** The rows of a scenario with a table. It is open if a row did not pass, or if something is searched. */
function tableOfRows(entries) {
  const [{ result }] = entries;
  const counts = [...countBy(entries, (entry) => entry.result.verdict)].map(([word, count]) => `${count} ${verdictWords[word].slice(2)}`).join(", ");
  const isOpen = overviewState.text !== "" || entries.some((entry) => entry.result.verdict !== "passed");
  const others = new Map(entries.map(({ index }) => [index, comparedWith(index, siblings(index))]));
  const hasReasons = entries.some((entry) => entry.result.failures.length), hasOthers = [...others.values()].some(Boolean);
  const columns = ["Row", "Verdict", "Duration", hasReasons && "Reason", hasOthers && "Comparison"].filter(Boolean);
  return make("details", { class: "rows", open: isOpen },
    make("summary", {}, make("span", { class: "name" }, result.name.replace(/ \[[^\]]*\]$/, ""), make("small", { class: "mono" }, result.id.slice(0, result.id.indexOf("[")))), make("span", {}, `${entries.length} rows: ${counts}`)),
    make("table", {}, make("thead", {}, make("tr", {}, columns.map((word) => make("th", { scope: "col" }, word)))),
      make("tbody", {}, entries.map((entry) => make("tr", {},
        make("th", { scope: "row" }, make("a", { class: "case", href: `#s=${entry.index}` }, rowOf(entry.result))), make("td", {}, verdict(entry.result)),
        make("td", {}, formatSeconds(entry.result.seconds)), hasReasons && make("td", {}, reasonOf(entry.result), entry.result.failures[0]?.row && make("small", {}, prose(entry.result.failures[0].row))),
        hasOthers && make("td", {}, compareLink(entry.index, others.get(entry.index))))))));
}

/** The other round to compare with: of the other run, else one with another verdict. */
function comparedWith(index, rounds) {
  const { result } = rounds.find((round) => round.index === index);
  const others = rounds.filter((round) => round.index !== index && round.result.verdict !== "notRun");
  return others.find((round) => round.result.run !== result.run && round.result.round === result.round) ?? others.find((round) => round.result.verdict !== result.verdict) ?? others[0];
}

/** The file without its number, of an order that `lab explore` has written; undefined for any other scenario. */
function exploredFrom(result) { return result.scenario.match(/^(.*\.lab\/explored\/.+)-\d+\.yaml(\[.*)?$/)?.[1]; }

/** Other orders of the scenario that an order was written for. */
function otherOrders(index) {
  const own = run.results[index], file = exploredFrom(own);
  return run.results.map((result, other) => ({ result, index: other })).filter(({ result }) => file != null && exploredFrom(result) === file && result.scenario !== own.scenario);
}

/** The name of a round: its order, its run, its number, or several of them. */
function roundName(result) {
  const order = otherOrders(run.results.indexOf(result)).length ? result.scenario.match(/[^/]*$/)[0] : null;
  return [order, run.runs.length > 1 ? `run ${run.runs[result.run].label}` : null, (order || run.runs.length > 1) && result.round === 1 ? null : `round ${result.round}`].filter(Boolean).join(", ");
}

/** Why a scenario did not pass: the cause or the reason, and what was expected and what was there. */
function reasonOf(result) {
  const failure = result.failures[0] && leadingFailure(result);
  if (!failure) return null;
  const [difference] = failure.differences, more = result.failures.length - 1;
  const isSaid = difference && [difference.expected, difference.actual].every((value) => failure.reason.includes(value));
  const values = difference && !isSaid && `${difference.path ? `\`${difference.path}\` ` : ""}expected ${difference.expected}, actual ${difference.actual}${failure.differences.length > 1 ? `, and ${failure.differences.length - 1} more` : ""}`;
  const text = [failure.causes[0] ?? (values && /^the (result|value) is not as expected$/.test(failure.reason) ? null : failure.reason), values].filter(Boolean).join(": ");
  return make("span", { class: "reason" }, failure.step ? [`${stepName(failure.step)}, `, make("code", {}, failure.title), ": "] : "", prose(text), more > 0 ? ` (and ${more} more ${more === 1 ? "failure" : "failures"})` : "");
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
