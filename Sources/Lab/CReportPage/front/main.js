// Which view the address asks for, and keys that work everywhere.

let current = {};

/** Counts the addresses followed: a reader of a timeline that is no longer current shows nothing. */
let turns = 0;

async function route() {
  if (live) { showLive(); return; }
  const turn = turns += 1;
  tip.hide();
  const place = new URLSearchParams(location.hash.slice(1));
  // What is drawn below takes its colours and its size from here.
  const { dataset } = document.documentElement;
  if (place.has("theme")) dataset.theme = place.get("theme");
  if (place.has("picture")) dataset.picture = place.get("picture"); else delete dataset.picture;
  const index = place.has("s") ? scenarioIndex(place.get("s")) : -1;
  const isScenario = index >= 0;
  const other = isScenario && place.has("with") && run.results[Number(place.get("with"))] ? Number(place.get("with")) : null;
  if (isScenario) await loadTimelines(other == null ? [index] : [index, other]);
  if (turn !== turns) return;
  current = other != null ? compareView(index, other) : isScenario ? scenarioView(index, place) : { view: overview(place) };
  current.index = isScenario ? index : null;
  const view = document.getElementById("view");
  view.replaceChildren(current.view);
  document.getElementById("where").textContent = isScenario ? run.results[index].id : "";
  document.title = isScenario ? `${run.results[index].name} · PowerAuth Lab` : "PowerAuth Lab";
  if (isScenario) window.scrollTo(0, 0);
  if (!place.has("picture")) return;
  // `lab screenshot` reads how high the picture is, and does not wait until the lanes have noticed their size.
  current.redraw?.();
  dataset.height = String(Math.ceil(document.body.getBoundingClientRect().height));
}

/** Writes the view into the address, without empty values. */
function setAddress(words) {
  const told = Object.entries(words).filter(([, value]) => value != null && value !== "");
  history.replaceState(null, "", `#${new URLSearchParams(told)}`);
}

/** The one view of a running instance; the address chooses nothing in it. */
function showLive() {
  if (current.view) return;
  current = liveView();
  current.index = 0;
  document.getElementById("view").replaceChildren(current.view);
  document.getElementById("where").textContent = live.instance;
  document.title = `${live.topology} · PowerAuth Lab`;
}

/** A scenario is meant by its place in the run or by its identifier. */
function scenarioIndex(word) {
  if (/^\d+$/.test(word) && run.results[Number(word)]) return Number(word);
  return run.results.findIndex((result) => result.id === word);
}

/** The next result, in a direction, that did not pass. */
function goToFailure(direction) {
  const count = run.results.length;
  for (let step = 1; step <= count; step += 1) {
    const index = (((current.index ?? (direction > 0 ? -1 : count)) + direction * step) % count + count) % count;
    if (run.results[index].verdict !== "passed") { location.hash = `s=${index}`; return; }
  }
}

/** Moves the focus through the scenarios of the overview. */
function moveInOverview(by) {
  const cases = [...document.querySelectorAll(".case")].filter((one) => one.checkVisibility());
  const at = cases.indexOf(document.activeElement);
  cases[Math.min(Math.max(at + by, 0), cases.length - 1)]?.focus();
}

function toggleTheme() {
  const { dataset } = document.documentElement;
  const isDark = dataset.theme ? dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  dataset.theme = isDark ? "light" : "dark";
  current.redraw?.();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName ?? "");
  if (event.key === "Escape") {
    if (tip.hide()) return;
    if (isTyping) document.activeElement.blur();
    else if (!live && current.index != null && !document.getElementById("keys").open) location.hash = "";
    return;
  }
  if (isTyping) return;
  const inOverview = current.index == null ? { ArrowDown: () => moveInOverview(1), ArrowUp: () => moveInOverview(-1) } : {};
  const everywhere = {
    "/": () => (current.search ?? document.querySelector("input[type=search]"))?.focus(), n: () => goToFailure(1), p: () => goToFailure(-1),
    t: toggleTheme, "?": () => document.getElementById("keys").showModal(),
  };
  const action = current.keys?.[event.shiftKey && event.key.startsWith("Arrow") ? `Shift+${event.key}` : event.key] ?? inOverview[event.key] ?? everywhere[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});
let themeOnScreen = null;

/** Paper is light, and a list on it has no rows out of sight. */
function print(isOnPaper) {
  if (isOnPaper === (themeOnScreen != null)) return;
  const { dataset } = document.documentElement;
  if (isOnPaper) {
    themeOnScreen = dataset.theme ?? "";
    dataset.theme = "light";
  } else {
    if (themeOnScreen) dataset.theme = themeOnScreen; else delete dataset.theme;
    themeOnScreen = null;
  }
  (current.print ?? current.redraw)?.(isOnPaper);
}

document.getElementById("theme").addEventListener("click", toggleTheme);
document.getElementById("help").addEventListener("click", () => document.getElementById("keys").showModal());
window.addEventListener("beforeprint", () => print(true));
window.addEventListener("afterprint", () => print(false));
matchMedia("print").addEventListener("change", (event) => print(event.matches));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => current.redraw?.());
loadRun().then(() => {
  window.addEventListener("hashchange", route);
  return route();
});
