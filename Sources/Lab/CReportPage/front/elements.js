// Making elements: text goes in as text, so that nothing of a run can become part of the page.

/** An element with attributes, listeners (`onclick`) and children; texts become text. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value == null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") element.style.cssText = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child != null && child !== false));
  return element;
}

/** A text in which what stands between back quotes is code. */
function prose(text) {
  return text.split(/`([^`\n]+)`/).map((part, index) => (index % 2 ? make("code", {}, part) : part)).filter((part) => part !== "");
}

const verdictWords = { passed: "✓ passed", failed: "✗ failed", inconclusive: "? open", notRun: "– not run" };

function verdict(result) {
  const word = result.quarantine && result.verdict !== "passed" ? `${verdictWords[result.verdict]}, quarantined` : verdictWords[result.verdict];
  return make("span", { class: `verdict ${result.verdict}` }, word);
}

/** A text that is copied by a click; what is shown can be another one. */
function copyable(text, shown = text) {
  const button = make("button", { type: "button", onclick: async () => {
    await navigator.clipboard?.writeText(text).then(() => { button.textContent = "Copied"; }, () => { button.textContent = "Select and copy"; });
  } }, "Copy");
  return make("span", { class: "replay" }, make("code", {}, shown), button);
}

/** A value as JSON, with line breaks. */
function json(value) { return make("pre", { class: "wrapped", tabindex: "0" }, JSON.stringify(value, null, 2)); }

/** A table of two columns. */
function pairs(entries) {
  return make("table", {}, make("tbody", {}, entries.filter(([, value]) => value != null && value !== "").map(([name, value]) =>
    make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, typeof value === "object" && !(value instanceof Node) ? make("code", {}, JSON.stringify(value)) : value)))));
}
