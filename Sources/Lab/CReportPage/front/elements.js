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
  element.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return element;
}

/** A text in which what stands between back quotes is code. */
function prose(text) {
  return text.split(/`([^`\n]+)`/).map((part, index) => (index % 2 ? make("code", {}, part) : part)).filter((part) => part !== "");
}

/** A text that may go on in the next line within a path, a name with dots, or a list without spaces. */
function breakable(text) {
  return text.split(/(?<=[/._@,])(?=\w)/).flatMap((part, index) => (index ? [make("wbr"), part] : [part]));
}

/** The tooltip of the page: lines of text beside a place in the window. */
const tip = {
  element: make("div", { class: "tip", role: "tooltip", id: "tip", hidden: true }),

  /**
   * @param {Element} host what it belongs to
   * @param {string[]} lines the first is the title
   * @param {number} x, @param {number} y the place, in pixels of the window
   */
  show(host, lines, x, y) {
    const { element } = this;
    if (element.parentNode !== host) host.append(element);
    element.replaceChildren(...lines.filter(Boolean).map((line) => make("div", {}, line)));
    element.hidden = false;
    const { offsetWidth: width, offsetHeight: height } = element;
    const { clientWidth, clientHeight } = document.documentElement;
    element.style.left = `${Math.max(4, Math.min(x + 12, clientWidth - width - 4))}px`;
    element.style.top = `${y + 16 + height > clientHeight ? Math.max(4, y - height - 10) : y + 16}px`;
  },

  /** Whether it was visible. */
  hide() {
    const wasVisible = !this.element.hidden && this.element.isConnected;
    this.element.hidden = true;
    return wasVisible;
  },
};

const verdictWords = { passed: "✓ passed", failed: "✗ failed", inconclusive: "? inconclusive", notRun: "– not run" };

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
