"""Uses the page of a run as a person does: mouse, keyboard, small screen, light and dark.

usage: test_page.py CHROMIUM FAILING_PAGE ROUNDS_PAGE CATALOGUE_PAGE COMPARED SCREENSHOTS
COMPARED is a directory with pages of two runs, same.html and different.html, and the output of `lab diff`, *.txt.
"""

import base64
import copy
import json
import re
import sys
import zlib
from pathlib import Path

from axe_core_python.sync_playwright import Axe
from page_checks import collecting, run
from playwright.sync_api import expect

chromium, failing_page, rounds_page, catalogue_page, compared, screenshots = sys.argv[1:7]
tests = []
test = collecting(tests)


class Tab:
    """A page in a window of its own, which must not complain and must not reach for the network."""

    def __init__(self, browser, path, width=1400, scheme="light"):
        self.context = browser.new_context(viewport={"width": width, "height": 1000}, color_scheme=scheme, offline=True)
        self.page = self.context.new_page()
        self.complaints = []
        self.path = Path(path).as_uri()
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.complaints.append(request.url) if not request.url.startswith("file:") else None)
        self.page.goto(self.path)

    def open(self, scenario, more=""):
        self.page.goto(f"{self.path}#s={scenario}{more}")
        # Two rounds that are compared have lanes each.
        expect(self.page.locator(".lanes").first).to_be_visible()

    def address(self):
        """The address that the page has set, even before the browser reports it."""
        return self.page.evaluate("location.href")

    def processor_seconds(self):
        """Processor time that the page's process has used; what else the machine does is not in it."""
        session = self.context.new_cdp_session(self.page)
        session.send("Performance.enable")
        metrics = session.send("Performance.getMetrics")["metrics"]
        session.detach()
        return next(metric["value"] for metric in metrics if metric["name"] == "ProcessTime")

    def colour(self):
        return self.page.evaluate("getComputedStyle(document.body).backgroundColor")

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.context.close()
        if kind is None:
            assert not self.complaints, f"the page complained: {self.complaints}"


LOCK = "Scenarios/failing/lock-is-held.yaml"
RANGE = "Scenarios/watch/no-token-while-out-of-range.yaml"
ORDERED = "Scenarios/sharing/signatures-in-a-given-order.yaml"


@test
def overview_finds_and_filters(browser):
    with Tab(browser, failing_page) as tab:
        page = tab.page
        expect(page.locator("h1")).to_contain_text("scenarios did not pass")
        everything = page.locator(".case").count()
        assert everything > 30
        page.get_by_label("Search scenarios").fill("lock that another app holds")
        expect(page.locator(".case")).to_have_count(1)
        page.get_by_label("Search scenarios").fill("")
        page.get_by_role("button", name=re.compile("passed")).click()
        expect(page.locator(".case")).to_have_count(1)
        page.get_by_role("button", name=re.compile("passed")).click()
        page.get_by_label("Order").select_option("slow")
        seconds = page.locator(".case .meter span").all_inner_texts()
        values = [float(text.split()[0]) * (0.001 if "ms" in text else 1) for text in seconds]
        assert values == sorted(values, reverse=True), values[:5]
        page.screenshot(path=f"{screenshots}/overview-light.png")


@test
def keyboard_leads_from_the_overview_to_a_failure_and_back(browser):
    with Tab(browser, failing_page) as tab:
        page = tab.page
        # Keys before the run is read go nowhere.
        expect(page.locator(".case").first).to_be_visible()
        page.keyboard.press("/")
        page.keyboard.type("lock that another")
        page.keyboard.press("Escape")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(page.locator("h1")).to_have_text("An app waits for a lock that another app holds")
        page.keyboard.press("Escape")
        expect(page.locator(".case")).to_have_count(1)
        page.keyboard.press("n")
        expect(page.locator(".failure").first).to_be_visible()
        page.keyboard.press("?")
        expect(page.locator("dialog")).to_be_visible()


@test
def a_failure_opens_with_its_cause_its_step_and_its_events(browser):
    with Tab(browser, failing_page) as tab:
        tab.open(LOCK)
        page = tab.page
        expect(page.locator(".failure .cause").first).to_contain_text("waits for the lock queue, which wallet holds")
        expect(page.locator(".panel h2").first).to_have_text("Step 3.2.2")
        expect(page.locator(".events .row.lit").first).to_be_visible()
        page.screenshot(path=f"{screenshots}/failure-light.png")


@test
def a_picture_has_the_bench_or_the_whole_page_in_the_height_that_the_page_says(browser):
    for width in (500, 1400):
        with Tab(browser, failing_page, width) as tab:
            page = tab.page
            tall = {}
            for part in ("bench", "page"):
                page.goto(f"{tab.path}#s={LOCK}&picture={part}&theme=dark&after=3.2.1")
                expect(page.locator(".bench .thing.phone")).to_be_visible()
                expect(page.locator(".head .verdict")).to_be_visible()
                expect(page.locator(".scrub output")).to_contain_text("step 3.2.1: " if part == "bench" else "step 3.2.1 · ")
                for other in (".bar", ".failure", ".scrub .track", ".steps", ".lanes", ".panel"):
                    expect(page.locator(other).first).to_be_visible(visible=part == "page")
                height = "Math.ceil(document.body.getBoundingClientRect().height)"
                page.wait_for_function(f"Number(document.documentElement.dataset.height) === {height}")
                tall[part] = page.evaluate(height)
                assert tab.colour() == "rgb(20, 23, 27)", "the theme of the address counts"
                # A higher window changes nothing.
                page.set_viewport_size({"width": width, "height": tall[part]})
                assert page.evaluate(height) == tall[part]
                page.screenshot(path=f"{screenshots}/picture-{part}-{width}.png")
                page.set_viewport_size({"width": width, "height": 1000})
            assert tall["bench"] < tall["page"]
            page.goto(f"{tab.path}#s={LOCK}")
            expect(page.locator(".lanes")).to_be_visible()


@test
def bars_and_events_are_chosen_by_a_click_and_kept_in_the_address(browser):
    with Tab(browser, failing_page) as tab:
        tab.open(LOCK)
        page = tab.page
        names = page.locator(".names div")
        row = next(index for index in range(names.count()) if names.nth(index).inner_text().strip() == "queue lock")
        canvas = page.locator("canvas.rows")
        canvas.scroll_into_view_if_needed()
        box = canvas.bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + row * 18 + 9)
        expect(page.locator(".panel h2").first).to_have_text("waits for queue")
        expect(page.locator(".panel")).to_contain_text("holds queue")
        address = tab.address()
        assert "&e=" in address, address
        page.keyboard.press("ArrowRight")
        assert tab.address() != address
        chosen = page.locator(".panel h2").first.inner_text()
        page.reload()
        expect(page.locator(".panel h2").first).to_have_text(chosen)
        page.keyboard.press("f")
        expect(page.locator(".panel h2").first).to_have_text("Step 3.2.2")


def settle(page):
    """Waits until what has changed is laid out and drawn."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def find_on_canvas(page, title, row):
    """Moves the mouse through a row of the lanes until the first line of the tooltip is something."""
    canvas = page.locator("canvas.rows").first
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    rows = page.locator(".scroll").first.locator(".names div").evaluate_all("rows => rows.filter(row => row.style.top).map(row => row.innerText.trim())")
    for x in range(0, int(box["width"]), 2):
        page.mouse.move(box["x"] + x, box["y"] + rows.index(row) * 18 + 9)
        if re.search(title, page.evaluate("document.querySelector('.tip:not([hidden]) div')?.textContent ?? ''")):
            return box["x"] + x, box["y"] + rows.index(row) * 18 + 9
    raise AssertionError(f"nothing in the row {row} is called {title}")


@test
def an_arrow_is_clicked_and_shows_request_and_answer(browser):
    with Tab(browser, failing_page) as tab:
        tab.open(LOCK)
        page, panel = tab.page, tab.page.locator(".panel")
        page.get_by_role("button", name="Show all").click()
        page.mouse.click(*find_on_canvas(page, r"^POST .*signature/validate: wallet#1 → server#1", "watch"))
        expect(panel.locator("h2").first).to_contain_text("signature/validate: wallet#1 → server#1")
        for words in ["Request as sent", "Where it was sent", "Where it arrived", "How its keys are derived", "200"]:
            expect(panel).to_contain_text(words)
        page.screenshot(path=f"{screenshots}/arrow-light.png")
        page.reload()
        expect(panel.locator("h2").first).to_contain_text("signature/validate: wallet#1 → server#1")
        panel.get_by_role("button", name=re.compile("server.request")).click()
        expect(panel.locator("h2").first).to_have_text("server.request")
        panel.get_by_role("button", name=re.compile("wallet#1 → server#1")).click()
        expect(panel.locator("h2").first).to_contain_text("wallet#1 → server#1")


@test
def keys_lead_from_arrow_to_arrow_and_from_bar_to_bar(browser):
    with Tab(browser, failing_page) as tab:
        tab.open(LOCK)
        page, title = tab.page, tab.page.locator(".panel h2").first
        page.keyboard.press("0")
        titles = []
        for key in ["a", "a", "a"]:
            page.keyboard.press(key)
            titles.append(title.inner_text())
        assert len(set(titles)) == 3 and all("→" in text for text in titles), titles
        page.keyboard.press("A")
        expect(title).to_have_text(titles[1])
        bars = []
        for key in ["b", "b", "b"]:
            page.keyboard.press(key)
            bars.append(title.inner_text())
        assert len(set(bars)) == 3 and not any("→" in text for text in bars), bars
        page.keyboard.press("B")
        expect(title).to_have_text(bars[1])


@test
def a_command_and_a_watch_message_are_arrows_with_both_ends(browser):
    with Tab(browser, rounds_page) as tab:
        tab.open(RANGE)
        page, panel = tab.page, tab.page.locator(".panel")
        page.get_by_label("Search events").fill("link.received")
        page.locator(".events .row").first.click()
        panel.get_by_role("button", name=re.compile("watch message received")).click()
        expect(panel.locator("h2").first).to_have_text("watch message received: phone#1 → watch#1")
        expect(panel).to_contain_text("The message's way")
        for event in ["link.sent", "link.received", "link.delivered"]:
            expect(panel.get_by_role("button", name=re.compile(event)).first).to_be_visible()
        page.get_by_label("Search events").fill("command.started")
        page.locator(".events .row", has_text="persistActivation").first.click()
        panel.get_by_role("button", name=re.compile("^.*command persistActivation: step")).click()
        expect(panel).to_contain_text("main: persistActivation")


@test
def turns_are_bands_in_the_lanes_of_their_apps_with_a_line_at_each_switch(browser):
    # Heights at which something in the lanes has the colour of turns.
    heights = """canvas => {
        const { width, height } = canvas;
        const copied = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
        copied.drawImage(canvas, 0, 0);
        const { data } = copied.getImageData(0, 0, width, height);
        const isOfTurn = (x, y) => { const at = (y * width + x) * 4; return data[at] === 0x68 && data[at + 1] === 0x7a && data[at + 2] === 0x1f; };
        return [...Array(height).keys()].filter((y) => [...Array(width).keys()].some((x) => isOfTurn(x, y)));
    }"""
    document = documents(catalogue_page)
    number = next(i for i, result in enumerate(document["run"]["results"]) if result["id"] == ORDERED)
    timeline = document[f"timeline-{number}"]
    turns = [line for line in timeline["history"] if line["e"] == "turn"]
    words = [f"turn {turn['number']}: {turn['process']} continues from {turn['place']}" for turn in turns]
    block = next(i for i, line in enumerate(steps(timeline, "started")) if line["step"] == turns[0]["step"])
    with Tab(browser, catalogue_page) as tab:
        tab.open(ORDERED, f"&step={block}")
        page, panel = tab.page, tab.page.locator(".panel")
        buttons = panel.get_by_role("button", name=re.compile(r"turn \d+: "))
        expect(buttons).to_have_count(len(turns))
        settle(page)
        rows = page.locator(".scroll .names div").all_inner_texts()
        first, last = sorted(rows.index(process) for process in {turn["process"] for turn in turns})
        coloured = page.locator("canvas.rows").evaluate(heights)
        # The bands are in two rows, and the lines cross all rows between them.
        assert {row * 18 + 9 for row in range(first, last + 1)} <= set(coloured), (rows, coloured)
        assert all(first * 18 <= y < (last + 1) * 18 for y in coloured), (rows, coloured)
        page.screenshot(path=f"{screenshots}/turns-light.png")
        buttons.last.click()
        expect(panel.locator("h2").first).to_have_text(words[-1])
        for process in {turn["process"] for turn in turns}:
            index = next(i for i, turn in enumerate(turns) if turn["process"] == process)
            tab.open(ORDERED, f"&turn={index}")
            expect(panel.locator("h2").first).to_have_text(words[index])
            page.mouse.click(*find_on_canvas(page, f"^{re.escape(words[index])}$", process))
            expect(panel.locator("h2").first).to_have_text(words[index])
            page.keyboard.press("b")
            expect(panel.locator("h2").first).not_to_have_text(words[index])
    with Tab(browser, failing_page) as tab:
        tab.open(LOCK)
        settle(tab.page)
        assert not tab.page.locator("canvas.rows").evaluate(heights), "a run without turns shows some"


def thing(page, identifier):
    """A thing of the bench."""
    return page.locator(".thing", has=page.locator(f'button[data-thing="{identifier}"]'))


def row(page, identifier, label):
    """What a thing of the bench shows in a row."""
    return thing(page, identifier).locator("dl > div", has=page.locator("dt", has_text=re.compile(f"^{label}$"))).locator("dd")


@test
def the_bench_shows_the_cast_as_it_was_after_the_failing_step(browser):
    with Tab(browser, failing_page) as tab:
        tab.open(LOCK)
        page = tab.page
        for device in ["Phone phone", "Watch watch"]:
            expect(page.get_by_role("region", name=device)).to_be_visible()
        expect(row(page, "device phone", "screen")).to_have_text("unlocked")
        expect(row(page, "app main", "waits for")).to_contain_text("queue")
        expect(row(page, "app wallet", "holds")).to_have_text("queue")
        expect(row(page, "app main", "activation")).to_have_text("ACTIVE")
        expect(row(page, "app main", "factors")).to_have_text("possession, knowledge")
        expect(thing(page, "lock phone queue")).to_contain_text("held by wallet · main waiting")
        expect(thing(page, "lock phone status")).to_contain_text("free")
        expect(thing(page, "link pairing")).to_contain_text("in range")
        expect(thing(page, "faults")).to_contain_text('peer="wallet"')
        # What the step has changed is marked, and said to those who hear the page.
        expect(thing(page, "app main").locator(".changed dt")).to_have_text(["command", "waits for"])
        expect(row(page, "app main", "waits for")).to_contain_text("changed")
        expect(thing(page, "app wallet").locator(".changed")).to_have_count(0)
        page.screenshot(path=f"{screenshots}/bench-light.png", full_page=True)


@test
def the_link_lies_between_devices_of_one_height_and_no_word_is_broken(browser):
    broken = """() => {
        const words = [];
        for (const cell of document.querySelectorAll('.thing :is(dt, dd), .panel .changes :is(th, td)')) {
            const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
            while (texts.nextNode()) for (const { 0: word, index } of texts.currentNode.data.matchAll(/[A-Za-z]+/g)) {
                const range = document.createRange();
                range.setStart(texts.currentNode, index);
                range.setEnd(texts.currentNode, index + word.length);
                if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) words.push(word);
            }
        }
        return words;
    }"""
    for scenario in [LOCK, "Scenarios/failing/server-died.yaml", "Scenarios/failing/link-down.yaml"]:
        for width in [400, 1400, 2500]:
            with Tab(browser, failing_page, width) as tab:
                tab.open(scenario, "&thing=app main")
                page = tab.page
                settle(page)
                assert page.evaluate(broken) == [], (scenario, width)
                if width == 400:
                    continue
                phone, watch, wires, server = [page.locator(part).bounding_box() for part in [".device.phone", ".device.watch", ".wires", ".thing.server"]]
                assert phone["y"] == watch["y"] == server["y"] and phone["height"] == watch["height"], (phone, watch, server)
                assert phone["x"] + phone["width"] < wires["x"] and wires["x"] + wires["width"] < watch["x"], (phone, wires, watch)


@test
def the_bench_shows_what_lab_inspect_moment_prints(browser):
    moment = json.loads(Path(failing_page).with_name("moment.json").read_text())
    with Tab(browser, failing_page) as tab:
        tab.open(LOCK)
        page = tab.page
        states = {process["name"]: process["state"] for process in moment["processes"]}
        assert {"phone", "main", "wallet", "widget", "watch", "companion", "server"} <= set(states), states
        for name, state in states.items():
            shown = {"phone": "device phone", "watch": "device watch", "server": "server"}.get(name, f"app {name}")
            expect(thing(page, shown).locator(".word")).to_have_text("on" if shown.startswith("device") and state == "running" else state)
        for lock in moment["locks"]:
            expect(row(page, f"app {lock['app']}", "holds" if lock["isHeld"] else "waits for")).to_contain_text(lock["lock"])
        counter = next(session["counter"] for session in moment["sessions"] if session["app"] == "main")
        expect(row(page, next(iter(page.locator("[data-thing^='shared page ']").evaluate_all("all => all.map(one => one.dataset.thing)"))), "counter")).to_have_text(str(counter))


def cursor_line(page, lanes=None):
    """Where a line goes through all lanes in the colour of the light page's accent, such as that of the cursor."""
    settle(page)
    return (lanes or page.locator("canvas.rows")).evaluate("""canvas => {
        const { width, height } = canvas;
        const copied = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
        copied.drawImage(canvas, 0, 0);
        const { data } = copied.getImageData(0, 0, width, height);
        const isLine = (x, y) => { const at = (y * width + x) * 4; return data[at] === 0x0b && data[at + 1] === 0x57 && data[at + 2] === 0xd0; };
        return [...Array(width).keys()].filter((x) => [2, height >> 1, height - 3].every((y) => isLine(x, y)));
    }""")


@test
def scrubber_steps_bench_and_lanes_follow_one_cursor(browser):
    with Tab(browser, failing_page) as tab:
        tab.open(LOCK, "&step=0")
        page, slider = tab.page, tab.page.get_by_role("slider", name="Cursor")
        current, output = page.locator(".steps [aria-current]"), page.locator(".scrub output")
        page.get_by_role("button", name="Show all").click()

        def shown():
            return float(slider.input_value()), output.inner_text(), cursor_line(page)

        seen = [shown()]
        assert seen[0][2], "the lanes have no cursor"
        expect(current).to_contain_text("include: steps/activate.yaml")
        # By step and by event, with keys and with buttons; each leads on, and back again.
        for forwards, backwards in [("Shift+ArrowRight", "Shift+ArrowLeft"), ("ArrowRight", "ArrowLeft")]:
            for target in [page.locator("body"), slider]:
                before = float(slider.input_value())
                target.press(forwards)
                assert float(slider.input_value()) > before, (forwards, before)
                target.press(forwards)
                after = float(slider.input_value())
                target.press(backwards)
                assert float(slider.input_value()) < after, (backwards, after)
        for name in ["step", "event"]:
            page.get_by_role("button", name=f"Previous {name}").click()
            before = float(slider.input_value())
            page.get_by_role("button", name=f"Next {name}").click()
            assert float(slider.input_value()) > before, name
        page.keyboard.press("f")
        expect(current).to_contain_text("main: validatePassword")
        expect(output).to_contain_text("step 3.2.2 · real time")
        expect(slider).to_have_attribute("aria-valuetext", output.inner_text())
        assert shown()[2] != seen[0][2]
        # The hand on the scrubber, and a click where nothing is in the lanes.
        slider.press("Home")
        expect(row(page, "app main", "activation")).to_have_text("none")
        assert "&at=" in tab.address() and "step=" not in tab.address(), tab.address()
        slider.press("End")
        expect(thing(page, "app main")).to_contain_text("ended")
        at_end = float(slider.input_value())
        names = page.locator(".scroll .names div").all_inner_texts()
        page.locator("canvas.rows").click(position={"x": 200, "y": names.index("watch") * 18 + 9})
        assert float(slider.input_value()) < at_end
        expect(page.locator(".panel h2").first).to_have_text("A moment")
        moment = shown()
        page.reload()
        expect(output).to_have_text(moment[1])


@test
def a_thing_of_the_bench_opens_what_is_known_of_it(browser):
    with Tab(browser, failing_page) as tab:
        tab.open(LOCK)
        page, panel = tab.page, tab.page.locator(".panel")
        button = thing(page, "app main").get_by_role("button")
        button.focus()
        page.keyboard.press("Enter")
        expect(panel.locator("h2").first).to_have_text("main")
        expect(button).to_have_attribute("aria-pressed", "true")
        expect(button).to_be_focused()
        for words in ["waits for", "Before and after", "main: lock queue", "Values, and what set them", "Requests and messages, newest first", "activation/create"]:
            expect(panel).to_contain_text(words)
        page.reload()
        expect(panel.locator("h2").first).to_have_text("main")
        # The scrubber lets the panel follow; the last change leads to its event.
        page.get_by_role("slider", name="Cursor").press("Home")
        expect(panel.locator("h2").first).to_have_text("main")
        expect(panel.locator("tr", has_text="waits for")).to_have_count(0)
        panel.locator("tr", has=page.get_by_role("rowheader", name="last change")).get_by_role("button").click()
        expect(panel.locator("h2").first).to_contain_text(".")
        expect(panel.locator("tr", has=page.get_by_role("rowheader", name="process", exact=True))).to_contain_text("main#1")
        page.keyboard.press("f")
        for identifier, words in [("server", "activation/create"), ("lock phone queue", "queue"), ("link pairing", "end phone"), ("device phone", "process")]:
            thing(page, identifier).get_by_role("button").first.click()
            expect(panel).to_contain_text(words)
        panel.get_by_role("button", name="Close").click()
        expect(page.locator(".bench [aria-pressed=true]")).to_have_count(0)
    with Tab(browser, failing_page) as tab:
        tab.open("Scenarios/failing/disk-is-full.yaml", "&thing=app main")
        expect(row(tab.page, "device phone", "disk")).to_have_text("full")
        expect(tab.page.locator(".panel")).to_contain_text("No space left on device")


@test
def the_bench_shows_the_link_with_what_waits_in_it(browser):
    with Tab(browser, rounds_page) as tab:
        tab.open(RANGE)
        page = tab.page
        wires = thing(page, "link pairing").get_by_role("img")
        expect(wires).to_have_attribute("aria-label", "to watch: open; to phone: open")
        page.locator(".steps button.step", has_text="sendTokenToWatch").click()
        expect(wires).to_have_attribute("aria-label", "to watch: cut; to phone: cut")
        expect(thing(page, "link pairing")).to_contain_text("out of range")
        expect(row(page, "link pairing", "since")).to_have_text("step 3")
        expect(row(page, "link pairing", "wait on phone")).to_contain_text("1")
        expect(row(page, "app companion", "phone")).to_have_text("not reachable")
        page.locator(".steps button.step", has_text="waitFor").click()
        expect(thing(page, "link pairing")).to_contain_text("in range")
        expect(row(page, "link pairing", "wait on phone")).to_have_count(0)
        expect(row(page, "app companion", "tokens")).to_contain_text("balance")
        # The lab's time has moved by an hour.
        expect(page.locator(".scrub output")).to_contain_text("lab's clock 1 h")
        expect(page.locator(".scrub .clock").last).to_contain_text("1 h")


@test
def a_message_that_is_lost_or_has_arrived_is_not_under_way(browser):
    with Tab(browser, failing_page) as tab:
        tab.open("Scenarios/failing/message-lost-on-the-link.yaml")
        expect(row(tab.page, "link pairing", "last fault")).to_have_text("live toWatch: it was lost")
        expect(row(tab.page, "link pairing", "on their way")).to_have_count(0)
        expect(thing(tab.page, "link pairing").locator(".wire i")).to_have_count(0)
    with Tab(browser, catalogue_page) as tab:
        # A message whose reply is lost has arrived; a guaranteed one that is lost waits, and is sent again.
        for scenario in ["watch/messages-without-a-reply", "watch/transfers-over-a-bad-link", "watch/link-cut-in-one-direction", "watch/removal-is-not-undone-by-an-older-message"]:
            tab.open(f"Scenarios/{scenario}.yaml")
            expect(row(tab.page, "link pairing", "on their way")).to_have_count(0)
        tab.page.get_by_label("Search events").fill('"it was lost"')
        tab.page.locator(".events .row", has_text="kind=transfer").first.click()
        expect(row(tab.page, "link pairing", "wait on phone")).to_have_text(re.compile("1"))


@test
def the_bench_shows_what_was_done_to_devices_and_links(browser):
    with Tab(browser, catalogue_page) as tab:
        page = tab.page
        tab.open("Scenarios/watch/cut-link-is-noticed.yaml")
        page.locator(".steps button.step", has_text="pairing: cut").first.click()
        expect(thing(page, "link pairing").get_by_role("img")).to_have_attribute("aria-label", "to watch: open; to phone: cut")
        expect(row(page, "link pairing", "fault 1")).to_contain_text("cut toPhone")
        tab.open("Scenarios/networking/errors.yaml")
        page.locator(".steps button.step", has_text="phone: goOffline").first.click()
        expect(row(page, "device phone", "network")).to_contain_text("offline")
        tab.open("Scenarios/push/reinstalled-app-has-another-token.yaml", "&step=7")
        expect(row(page, "device phone", "notifications")).to_have_count(0)
        page.locator(".steps button.step", has_text="waitFor: push.shown").click()
        expect(row(page, "device phone", "notifications")).to_contain_text("of main")
        # A dialog that is not answered ends with its app.
        page.get_by_label("Search events").fill("push.asked")
        page.locator(".events .row").last.click()
        expect(thing(page, "app main").locator(".dialog")).to_contain_text("may it show notifications?")
        page.get_by_role("slider", name="Cursor").press("End")
        expect(thing(page, "app main").locator(".dialog")).to_have_count(0)


@test
def a_device_that_is_off_has_the_frame_of_what_is_dead(browser):
    with Tab(browser, catalogue_page) as tab:
        page = tab.page
        tab.open("Scenarios/push/app-that-dies-over-a-notification.yaml")
        expect(page.locator(".device.phone")).to_have_css("border-top-style", "solid")
        page.locator(".steps button.step", has_text="phone: kill").first.click()
        expect(thing(page, "device phone").locator(".word").first).to_have_text("off")
        expect(page.locator(".device.phone")).to_have_css("border-top-style", "dashed")
        expect(page.locator(".device.phone > .thing.dead")).to_have_css("border-top-width", "0px")
        expect(page.locator(".device.watch")).to_have_css("border-top-style", "solid")
        # A watch is not drawn as high as a phone with many apps.
        tab.open("Scenarios/sharing/eight-apps.yaml")
        settle(page)
        phone, watch = [page.locator(f".device.{kind}").bounding_box()["height"] for kind in ["phone", "watch"]]
        assert watch < phone / 2, (watch, phone)


@test
def an_armed_fault_is_shown_with_its_arguments_also_under_a_note(browser):
    shown = []
    for note in [None, "So that the other app waits"]:
        def explain(overview, timeline, note=note):
            step = next(line for line in steps(timeline, "started") if line["step"] == "2")
            step["sentence"] = note or step["sentence"]
        with Tab(browser, changed_page("note.html", explain)) as tab:
            tab.open(0, "&after=2")
            shown.append(row(tab.page, "faults", "fault 1").inner_text())
    assert shown[0] == shown[1] and 'point="queueLock.taken"' in shown[0], shown


@test
def the_clock_is_ahead_or_behind_in_round_words(browser):
    for offset, words in [(-135, "runs, 135.0 ms behind"), (0, "runs"), (299_960, "runs, 5 min 0 s ahead")]:
        def move(overview, timeline, offset=offset):
            events, texts = timeline["events"], timeline["texts"]
            time = next(line for line in steps(timeline, "started") if line["step"] == "2")["t"]
            place = sum(1 for one in events["t"] if one <= time)
            texts += ["clock.changed", json.dumps({"offset": offset, "frozen": False, "rate": 1})]
            for name, value in {"t": time, "lane": 0, "inc": 1, "name": len(texts) - 2, "op": -1, "fields": len(texts) - 1}.items():
                events[name].insert(place, value)
        with Tab(browser, changed_page("clock.html", move)) as tab:
            tab.open(0, "&after=2")
            expect(thing(tab.page, "clock").locator(".word")).to_have_text(words)


@test
def the_steps_are_a_tree_with_folded_blocks(browser):
    with Tab(browser, failing_page) as tab:
        tab.open(LOCK)
        page, steps = tab.page, tab.page.get_by_role("navigation", name="Steps")
        expect(steps.locator(".title")).to_contain_text(["include: steps/activate.yaml", "server: initActivation"])
        for branch in ["branch 1", "branch 2"]:
            expect(steps.get_by_text(branch)).to_be_visible()
        expect(steps.locator("button.step", has_text="main: validatePassword")).to_contain_text("failed")
        inner = steps.locator("button.step", has_text="server: initActivation")
        fold = steps.get_by_role("button", name="Steps inside 1", exact=True)
        fold.click()
        expect(fold).to_have_attribute("aria-expanded", "false")
        expect(inner).to_be_hidden()
        # What is chosen elsewhere unfolds its row; a folded row stands for what is inside it.
        page.locator(".steps button.step", has_text="faults: arm").click()
        page.get_by_label("Search events").fill("server.activation")
        page.locator(".events .row").first.click()
        expect(steps.locator("[aria-current]")).to_contain_text("include: steps/activate.yaml")
        tab.open(LOCK, "&step=1")
        page.reload()
        expect(inner).to_have_attribute("aria-current", "step")
        tab.open("Scenarios/failing/device-locked.yaml")
        expect(steps.get_by_text("set-up (2)")).to_be_visible()
        expect(steps.locator("button.step", has_text="phone: reboot")).to_have_count(0)
        steps.get_by_role("button", name="Steps inside s", exact=True).click()
        steps.locator("button.step", has_text="phone: reboot").click()
        expect(page.locator(".panel h2").first).to_have_text("Set-up step 2")
        # A phase in which something failed is open.
        tab.open("Scenarios/failing/tear-down-fails.yaml")
        expect(page.locator(".failure h2").last).to_contain_text("Tear-down step 1: main: removeActivationLocal")
        expect(steps.get_by_text("tear-down (1)")).to_be_visible()
        steps.locator("button.step", has_text="removeActivationLocal").click()
        expect(page.locator(".panel h2").first).to_have_text("Tear-down step 1")
        tab.open("Scenarios/failing/fault-of-a-block-never-fires.yaml")
        expect(steps.locator(".title")).to_have_text(["during: server: fail", "faults", "server: fail", "main: hasValidActivation", "main: fetchServerStatus"])


@test
def steps_that_were_not_run_say_so(browser):
    with Tab(browser, failing_page) as tab:
        tab.open("Scenarios/failing/fault-of-a-block-never-fires.yaml")
        rest = tab.page.locator(".steps .not-run")
        expect(rest).to_have_count(1)
        expect(rest.locator(".title")).to_have_text("main: fetchServerStatus")
        expect(rest.locator(".took")).to_have_text("not run")
        expect(rest.get_by_role("button")).to_have_count(0)
        expect(tab.page.locator(".steps li").last).to_have_class("not-run")

    def leave_out(overview, timeline):
        end = timeline["history"].pop()
        for step, title in [("3.2.3", "main: removeActivationLocal"), ("3.3.1", "phone: lock"), ("4", "phone: processes")]:
            timeline["history"].append({"e": "step.notRun", "t": end["t"], "step": step, "title": title, "sentence": f"about {title}"})
        for word in ("started", "finished"):
            timeline["history"].append({"e": f"step.{word}", "t": end["t"], "step": "t1", "title": "phone: unlock", "fine": True})
        timeline["history"].append(end)
    with Tab(browser, changed_page("not-run.html", leave_out)) as tab:
        tab.open(0)
        steps = tab.page.locator(".steps")
        # They stand where they would have run, and before the tear-down.
        expect(steps.locator(".title")).to_have_text([
            "include: steps/activate.yaml", "server: initActivation", "main: createActivation", "main: persistActivation", "server: commitActivation",
            "faults: arm", "parallel", "branch 1", "wallet: validatePassword", "branch 2", "waitFor: fault.fired", "main: validatePassword",
            "main: removeActivationLocal", "branch 3", "phone: lock", "phone: processes", "tear-down (1)"])
        expect(steps.locator(".not-run .took")).to_have_text(["not run"] * 3)
        # A branch of which nothing was run took no time.
        expect(steps.locator(".line", has_text="branch 3").locator(".took")).to_have_text("")
        expect(steps.locator(".not-run .step").first).to_have_attribute("title", "3.2.3 about main: removeActivationLocal")


@test
def a_row_of_a_table_is_named_above_the_steps(browser):
    def name(overview, timeline):
        overview["results"][0]["id"] = "Scenarios/login.yaml[wrong-pin]~2"
    with Tab(browser, changed_page("row.html", name)) as tab:
        tab.open(0)
        expect(tab.page.locator(".steps h2")).to_have_text("Steps row wrong-pin")


@test
def a_skipped_step_says_so(browser):
    def skip(overview, timeline):
        end = next(line for line in steps(timeline, "finished") if line["step"] == "2")
        timeline["history"].insert(timeline["history"].index(end), {"e": "step.skipped", "t": end["t"], "step": "2", "reason": "`${row.x}` is 1, expected 2"})
    with Tab(browser, changed_page("skipped.html", skip)) as tab:
        tab.open(0, "&step=5")
        expect(tab.page.locator(".steps .skipped")).to_contain_text("skipped: faults: arm")
        expect(tab.page.locator(".panel tr", has_text="verdict")).to_contain_text("skipped: ${row.x} is 1, expected 2")


@test
def the_turn_of_the_cursor_is_on_the_bench_and_in_the_lanes(browser):
    with Tab(browser, catalogue_page) as tab:
        tab.open(ORDERED, "&turn=0")
        page = tab.page
        for _ in range(3):
            number = re.match(r"turn (\d+): (\w+)", page.locator(".panel h2").first.inner_text())
            expect(row(page, f"app {number.group(2)}", "turn")).to_contain_text(f"{number.group(1)}, from")
            expect(page.locator(".bench h2")).to_contain_text(f"turn {number.group(1)} began")
            page.keyboard.press("b")
            page.keyboard.press("b")
            if not page.locator(".panel h2").first.inner_text().startswith("turn"):
                break


@test
def nothing_on_the_page_moves_by_itself(browser):
    with Tab(browser, failing_page) as tab:
        tab.page.emulate_media(reduced_motion="reduce")
        tab.open(LOCK)
        tab.page.keyboard.press("Shift+ArrowLeft")
        assert tab.page.evaluate("document.getAnimations().length") == 0


@test
def a_step_and_a_bar_show_what_was_logged_meanwhile(browser):
    with Tab(browser, failing_page) as tab:
        tab.open("Scenarios/failing/disk-is-full.yaml")
        page, panel = tab.page, tab.page.locator(".panel")
        expect(panel.locator("h2").first).to_contain_text("Step")
        expect(panel).to_contain_text("Logged meanwhile")
        expect(panel).to_contain_text("No space left on device")
        page.mouse.click(*find_on_canvas(page, "^requestSignature", "main"))
        expect(panel.locator("h2").first).to_contain_text("requestSignature")
        expect(panel).to_contain_text("No space left on device")
    with Tab(browser, failing_page) as tab:
        tab.open("Scenarios/failing/device-locked.yaml")
        panel = tab.page.locator(".panel")
        panel.locator("summary", has_text="main#2.stderr").click()
        expect(panel).to_contain_text("the device was not unlocked since it started")


@test
def fields_of_the_shared_page_are_shown_before_and_after(browser):
    with Tab(browser, failing_page) as tab:
        tab.open(LOCK)
        page, panel = tab.page, tab.page.locator(".panel")
        for event, field, before, after in [
            ("operation.started", "owner of the operation", "–", "com.example.main (main)"),
            ("operation.finished", "pending operation", "activation", "–"), ("counter.bumped", "stateModifyCounter", None, None),
        ]:
            page.get_by_label("Search events").fill(event)
            page.locator(".events .row").last.click()
            row = panel.locator("tr", has=page.locator("th", has_text=re.compile(f"^shared page .*: {field}$")))
            told = row.locator("td").all_inner_texts()
            assert told == [before, after] if before else int(told[1]) == int(told[0]) + 1, (event, told)


@test
def the_clock_of_the_lab_has_a_scale_where_it_was_moved(browser):
    with Tab(browser, failing_page) as tab:
        tab.open(LOCK)
        assert "lab's clock" not in tab.page.locator("main").inner_text()
        tab.open("Scenarios/failing/does-not-stay.yaml")
        page = tab.page
        moment = page.locator(".panel tr", has=page.get_by_role("rowheader", name="time", exact=True))
        expect(page.locator(".axis .names")).to_contain_text("lab's clock")
        expect(page.locator(".panel tr", has_text="began")).to_contain_text("lab's clock 2 min")
        page.get_by_label("Search events").fill("command.finished")
        page.locator(".events .row", has_text="fetchServerStatus").first.click()
        expect(moment).not_to_contain_text("min")
        page.locator(".events .row", has_text="fetchServerStatus").last.click()
        expect(moment).to_contain_text("lab's clock 2 min")
        page.screenshot(path=f"{screenshots}/clock-light.png")


def tooltip(page):
    """The tooltip in sight."""
    return page.locator(".tip:not([hidden])")


@test
def bars_arrows_and_ticks_have_tooltips_for_mouse_touch_and_keyboard(browser):
    with Tab(browser, failing_page) as tab:
        tab.open(LOCK)
        page = tab.page
        bar = find_on_canvas(page, "^waits for queue$", "queue lock")
        expect(tooltip(page)).to_contain_text("main, queue lock")
        expect(tooltip(page)).to_contain_text(re.compile(r"from \d"))
        page.screenshot(path=f"{screenshots}/tooltip-light.png")
        page.mouse.move(2, 2)
        expect(tooltip(page)).to_have_count(0)
        # Marks of the scrubber.
        mark = page.locator(".scrub .ticks i.bad").bounding_box()
        page.mouse.move(mark["x"] + 1, mark["y"] + 2)
        expect(tooltip(page)).to_contain_text("3 parallel")
        expect(tooltip(page)).to_contain_text("failed")
        page.mouse.click(mark["x"] + 1, mark["y"] + 2)
        expect(page.locator(".panel h2").first).to_have_text("Step 3")
        # Each key that chooses something shows what it is; Escape ends that, and only then leaves the scenario.
        page.keyboard.press("0")
        for key in ["a", "b", "ArrowRight", "Shift+ArrowRight"]:
            page.keyboard.press(key)
            expect(tooltip(page)).to_be_visible()
            page.keyboard.press("Escape")
            expect(tooltip(page)).to_have_count(0)
        expect(page.locator("canvas.rows")).to_be_visible()
    context = browser.new_context(viewport={"width": 400, "height": 800}, has_touch=True, offline=True)
    page = context.new_page()
    page.goto(f"{Path(failing_page).as_uri()}#s={LOCK}")
    canvas = page.locator("canvas.rows")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    index = page.locator(".lanes .names div").evaluate_all("rows => rows.filter(row => row.style.top).map(row => row.innerText.trim())").index("queue lock")
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + index * 18 + 9)
    expect(tooltip(page)).to_contain_text("waits for queue")
    context.close()


@test
def the_lanes_begin_with_the_steps_up_to_the_failure(browser):
    with Tab(browser, failing_page) as tab:
        tab.open(LOCK)
        page = tab.page
        begin, end = [page.get_by_role("slider", name=f"{word} of the lanes") for word in ["Begin", "End"]]
        step = next(step for step in steps(documents(failing_page)[f"timeline-{number_of(LOCK)}"], "finished") if step["step"] == "3.2.2")
        assert step["t"] < float(end.input_value()) < step["t"] * 1.05, (step["t"], end.input_value())
        # The minimap moves the range with its handles, with keys, and by a drag.
        shown = float(end.input_value())
        end.press("ArrowRight")
        assert float(end.input_value()) > shown
        begin.press("End")
        settle(page)
        assert float(begin.input_value()) < float(end.input_value())
        page.get_by_role("button", name="Show all").click()
        settle(page)
        assert float(end.input_value()) == float(end.get_attribute("max"))
        page.get_by_role("button", name="Zoom in").click()
        page.get_by_role("button", name="Zoom in").click()
        settle(page)
        before = float(begin.input_value())
        box = page.locator(".map canvas").bounding_box()
        middle = box["x"] + box["width"] / 2
        page.mouse.move(middle, box["y"] + 15)
        page.mouse.down()
        page.mouse.move(middle + 40, box["y"] + 15)
        page.mouse.up()
        settle(page)
        assert float(begin.input_value()) > before
        page.screenshot(path=f"{screenshots}/minimap-light.png")


@test
def idle_lanes_are_one_row_that_unfolds(browser):
    with Tab(browser, failing_page) as tab:
        tab.open(LOCK)
        page = tab.page
        fold = page.get_by_role("button", name="2 idle: agent, companion")
        expect(page.get_by_role("button", name="companion", exact=True)).to_have_count(0)
        fold.focus()
        page.keyboard.press("Enter")
        expect(fold).to_be_focused()
        expect(fold).to_have_attribute("aria-expanded", "true")
        expect(page.get_by_role("button", name="companion", exact=True)).to_be_visible()
        fold.click()
        expect(page.get_by_role("button", name="companion", exact=True)).to_have_count(0)


@test
def conditions_that_last_are_bands(browser):
    for path, scenario, label, process in [
        (rounds_page, RANGE, "out of range", "watch"), (failing_page, "Scenarios/failing/server-is-down.yaml", "server down", "server"),
        (failing_page, "Scenarios/failing/server-died.yaml", "server down", "server"),
        (failing_page, "Scenarios/failing/app-suspended.yaml", "suspended", "wallet"), (failing_page, "Scenarios/failing/device-locked.yaml", "locked", "phone"),
        (catalogue_page, "Scenarios/networking/errors.yaml", "offline", "phone"), (catalogue_page, "Scenarios/watch/messages-without-a-reply.yaml", "clock stopped", "steps"),
    ]:
        with Tab(browser, path) as tab:
            tab.open(scenario, "&step=0")
            page = tab.page
            for _ in range(200):
                page.keyboard.press("b")
                if tooltip(page).count() and tooltip(page).inner_text().startswith(f"{label}\n{process}, state"):
                    break
            expect(tooltip(page)).to_contain_text(f"{process}, state")
            panel = page.locator(".panel")
            expect(panel.locator("h2").first).to_have_text(label)
            expect(panel.locator("tr", has_text="begun by").get_by_role("button")).to_be_visible()
            page.screenshot(path=f"{screenshots}/band-{label.replace(' ', '-')}.png")


@test
def attempts_of_eventually_are_one_bar_with_a_count(browser):
    with Tab(browser, failing_page) as tab:
        page = tab.page
        for scenario, step, bar in [("state-does-not-change", "2.1", "2.1 "), ("never-comes-true", "1", "hasValidActivation")]:
            scenario = f"Scenarios/failing/{scenario}.yaml"
            history = documents(failing_page)[f"timeline-{number_of(scenario)}"]["history"]
            attempts = len([line for line in history if line["e"] == "command" and line["step"] == step])
            assert attempts > 2, attempts
            tab.open(scenario, "&step=0")
            for _ in range(60):
                page.keyboard.press("b")
                if "×" in tooltip(page).inner_text():
                    break
            expect(tooltip(page)).to_contain_text(f"{attempts} × {bar}")
        tab.open("Scenarios/failing/state-does-not-change.yaml")
        expect(page.locator(".panel tr", has_text="attempts")).to_contain_text(re.compile(r"\d+"))
        # The count stays in sight however long the title is, and is that of the reason.
        count = re.search(r"last of (\d+) attempts", page.locator(".failure .reason").inner_text()).group(1)
        expect(page.locator(".steps [aria-current] .took")).to_have_text(re.compile(rf"^×{count} "))


@test
def requests_are_a_table_with_bodies_and_curl(browser):
    with Tab(browser, failing_page) as tab:
        tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
        tab.open("Scenarios/failing/wrong-password.yaml")
        page = tab.page
        table = page.get_by_role("region", name="Requests")
        rows = table.locator("tbody tr")
        expect(rows).to_have_count(3)
        expect(rows.last).to_contain_text("/pa/v3/signature/validate")
        expect(rows.last.locator("td").nth(3)).to_have_text("401")
        expect(rows.last.locator("td").nth(4)).to_have_text(re.compile(r"^[\d.]+ (ms|µs)$"))
        rows.last.get_by_role("button", name="Bodies of").click()
        bodies = table.locator("td[colspan]")
        expect(bodies).to_contain_text("ERR_AUTHENTICATION")
        bodies.get_by_role("button", name="Copy").click()
        expect(bodies.get_by_role("button", name="Copied")).to_be_visible()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied.startswith("curl -X POST \"$SERVER\"'/pa/v3/signature/validate'") and "X-PowerAuth-Authorization" in copied and "X-Lab" not in copied, copied
        page.screenshot(path=f"{screenshots}/requests-light.png")
        rows.nth(2).get_by_role("button", name=re.compile("POST")).click()
        expect(page.locator(".panel h2").first).to_have_text("http.request")
        expect(table.locator("tr.current")).to_have_count(1)


@test
def the_scenario_file_has_the_current_line(browser):
    with Tab(browser, failing_page) as tab:
        tab.open(LOCK)
        page = tab.page
        file = page.get_by_role("region", name="Scenario file")
        expect(file).to_contain_text("lock-is-held.yaml")
        expect(file.locator("li")).to_have_count(len(Path(LOCK).read_text().rstrip("\n").split("\n")))
        expect(file.locator("li[aria-current]").first).to_contain_text("main: validatePassword")
        file.get_by_role("button", name="faults: arm").click()
        expect(page.locator(".panel h2").first).to_have_text("Step 2")
        expect(file.locator("li[aria-current]").first).to_contain_text("faults: arm")
        page.locator(".steps button.step", has_text="server: initActivation").click()
        expect(file).to_contain_text("activate.yaml")


@test
def reasons_have_values_and_code(browser):
    with Tab(browser, failing_page) as tab:
        page = tab.page
        line = page.locator(".case", has_text="wrong-count.yaml")
        expect(line).to_contain_text("failCount expected 1, actual 2")
        expect(line.locator("code", has_text="fetchActivationStatus")).to_be_visible()
        assert "`" not in page.locator("main").inner_text()
        expect(page.locator(".case", has_text="race-without-overlap").locator(".verdict")).to_have_text("? inconclusive")
        tab.open("Scenarios/failing/wrong-count.yaml")
        colours = [page.evaluate("name => getComputedStyle(document.documentElement).getPropertyValue(name)", name) for name in ["--bad", "--fine"]]
        for word, name, colour in [("- failCount: 1", "minus", colours[0]), ("+ failCount: 2", "plus", colours[1])]:
            shown = page.locator(f".failure .{name}")
            expect(shown).to_have_text(word)
            shade = tuple(int(colour.strip()[at:at + 2], 16) for at in (1, 3, 5))
            expect(shown).to_have_css("color", f"rgb{shade}")
        tab.open("Scenarios/failing/race-without-overlap.yaml")
        expect(page.locator(".steps button.step").first).to_contain_text("inconclusive")
        expect(page.locator(".scrub .ticks i")).to_have_class("open")
        # The server that a fault has killed is dead.
        tab.open("Scenarios/failing/server-died.yaml")
        expect(thing(page, "server").locator(".word")).to_contain_text("ended: SIGKILL")
        # A step that passed, but whose fault never fired, is no green one.
        tab.open("Scenarios/failing/fault-never-fires.yaml")
        expect(page.locator(".steps button.step", has_text="faults: arm")).to_contain_text("failed at the end of the scenario")
        expect(page.locator(".panel")).to_contain_text("never fired")


@test
def the_loser_of_a_race_is_no_failure(browser):
    with Tab(browser, failing_page) as tab:
        tab.open("Scenarios/sharing/one-of-two-activations-wins.yaml")
        assert tab.page.locator("canvas.rows").evaluate("""canvas => {
            const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            for (let at = 0; at < data.length; at += 4) if (data[at] === 0xc4 && data[at + 1] === 0x23 && data[at + 2] === 0x2b) return false;
            return true;
        }"""), "something is red in the lanes of a scenario that passed"


@test
def rows_of_a_scenario_with_a_table_are_a_table(browser):
    with Tab(browser, catalogue_page) as tab:
        page = tab.page
        group = page.locator(".rows", has_text="Scenarios/exploring/creation.yaml")
        expect(group.locator("summary")).to_contain_text("9 rows: 9 passed")
        expect(group.locator("tbody tr").first).to_be_hidden()
        group.locator("summary").click()
        expect(group.locator("tbody tr")).to_have_count(9)
        page.screenshot(path=f"{screenshots}/rows-light.png")
        group.get_by_role("link", name="creation-and-sign", exact=True).click()
        expect(page.locator("h1")).to_contain_text("[creation-and-sign]")

    def name_rows(overview, *timelines):
        for result, row in zip(overview["results"], ["right", "right~2", "wrong"]):
            identifier = f"Scenarios/login.yaml[{row}]"
            result.update(id=identifier, scenario=identifier.replace("~2", ""), name=f"Login [{row}]", round=2 if "~" in row else 1)
        overview["results"][2]["failures"][0] = overview["results"][2]["failures"][0] | {"row": "Scenarios/login.yaml:9:5: pin=1111"}
    with Tab(browser, changed_page("rows.html", name_rows, rounds=3)) as tab:
        group = tab.page.locator(".rows")
        expect(group).to_have_count(1)
        expect(group.locator("summary")).to_contain_text("2 rows: 2 failed")
        expect(group.get_by_role("columnheader")).to_have_text(["Row", "Verdict", "Duration", "Reason", "Comparison"])
        expect(group.locator("tr", has_text="wrong")).to_contain_text("pin=1111")
        group.get_by_role("link", name="Compare with round 2").click()
        expect(tab.page.locator(".facts").first).to_contain_text("round 1 and round 2, compared by process")

@test
def lanes_and_kinds_narrow_the_list(browser):
    with Tab(browser, failing_page) as tab:
        tab.open(LOCK)
        page = tab.page
        total = int(page.locator(".tools .totals").inner_text().split()[0])
        page.get_by_role("button", name="locks", exact=True).click()
        expect(page.locator(".tools .totals")).to_contain_text(f"of {total} events")
        assert all("lock." in text for text in page.locator(".events .row").all_inner_texts())
        page.get_by_role("button", name="wallet", exact=True).click()
        assert not any("wallet#" in text for text in page.locator(".events .row").all_inner_texts())
        page.get_by_label("Search events").fill("operation")
        assert all("operation" in text for text in page.locator(".events .row").all_inner_texts())


@test
def what_is_filtered_stays_in_the_address(browser):
    with Tab(browser, failing_page) as tab:
        tab.open(LOCK, "&step=0")
        page, told = tab.page, tab.page.locator(".tools .totals")
        page.get_by_role("button", name="locks", exact=True).click()
        page.get_by_role("button", name="wallet", exact=True).click()
        page.get_by_label("Search events").fill("queue & more")
        expect(told).to_contain_text("0 of ")
        page.get_by_label("Search events").fill("queue")
        before = told.inner_text()
        assert all(word in tab.address() for word in ["step=0", "kinds=lock", "hide=wallet"]), tab.address()
        page.reload()
        expect(told).to_have_text(before)
        expect(page.get_by_label("Search events")).to_have_value("queue")
        expect(page.get_by_role("button", name="locks", exact=True)).to_have_attribute("aria-pressed", "true")
        expect(page.get_by_role("button", name="wallet", exact=True)).to_have_attribute("aria-pressed", "false")
        expect(page.locator(".panel h2").first).to_have_text("Step 1")
        page.keyboard.press("Escape")
        page.get_by_label("Search scenarios").fill("another app")
        page.get_by_label("Order").select_option("slow")
        page.get_by_role("button", name=re.compile("failed")).click()
        chosen = page.locator(".case").all_inner_texts()
        page.reload()
        expect(page.get_by_label("Order")).to_have_value("slow")
        assert page.locator(".case").all_inner_texts() == chosen and chosen


@test
def a_step_without_an_end_says_so(browser):
    def cut(overview, timeline):
        inner = steps(timeline, "started")[1]["step"]
        timeline["history"].remove(next(line for line in steps(timeline, "finished") if line["step"] == inner))
    with Tab(browser, changed_page("cut.html", cut)) as tab:
        for step, verdict in [(0, "passed"), (1, "did not end")]:
            tab.open(0, f"&step={step}")
            expect(tab.page.locator(".panel tr", has_text="verdict")).to_contain_text(verdict)


@test
def every_step_shows_how_it_is_written(browser):
    with Tab(browser, failing_page) as tab:
        tab.open("Scenarios/sharing/one-of-two-activations-wins.yaml", "&step=0")
        panel = tab.page.locator(".panel")
        expect(panel.locator("tr", has_text="verdict")).to_contain_text("passed")
        expect(panel.locator("tr", has_text="written at")).to_contain_text(re.compile(r"one-of-two-activations-wins\.yaml:\d+:\d+"))
        first = int(re.search(r"yaml:(\d+):", panel.inner_text()).group(1))
        lines = panel.locator("pre.source").inner_text().splitlines()
        written = Path("Scenarios/sharing/one-of-two-activations-wins.yaml").read_text().splitlines()
        for number, line in enumerate(lines, first):
            assert [word.strip() for word in line.split("|", 1)] == [str(number), written[number - 1].strip()], line


@test
def an_answer_that_was_not_encrypted_is_shown(browser):
    with Tab(browser, failing_page) as tab:
        tab.open("Scenarios/failing/does-not-stay.yaml")
        page, panel = tab.page, tab.page.locator(".panel")
        page.get_by_label("Search events").fill("server.request")
        page.locator(".events .row", has_text="/pa/v3/status").first.click()
        panel.locator("summary", has_text="Answer as sent").click()
        expect(panel).to_contain_text('"serverTime"')


@test
def paper_is_light_and_has_all_events(browser):
    with Tab(browser, failing_page, scheme="dark") as tab:
        tab.open(LOCK)
        page = tab.page
        total = int(page.locator(".tools .totals").inner_text().split()[0])
        dark = tab.colour()
        assert page.locator(".events .row").count() < total
        page.emulate_media(media="print", color_scheme="dark")
        expect(page.locator(".events .row")).to_have_count(total)
        expect(page.locator(".events .row").last).to_be_visible()
        expect(thing(page, "app main")).to_be_visible()
        expect(page.get_by_role("slider")).to_have_count(0)
        assert tab.colour() == "rgb(255, 255, 255)"
        # The parts are below each other: nothing lies over the next one.
        bottoms = [page.locator(part).evaluate("part => part.getBoundingClientRect().bottom") for part in [".steps", ".file li >> nth=-1", ".bench", ".lanes"]]
        tops = [page.locator(part).evaluate("part => part.getBoundingClientRect().top") for part in [".file", ".bench", ".lanes", ".events"]]
        assert all(bottom <= top for bottom, top in zip(bottoms, tops)), (bottoms, tops)
        page.screenshot(path=f"{screenshots}/printed.png", full_page=True)
        page.pdf(path=f"{screenshots}/printed.pdf")
        page.emulate_media(media="screen", color_scheme="dark")
        # Which rows are in sight is known when the screen has been laid out again.
        expect(page.locator(".events .row")).not_to_have_count(total)
        expect(page.locator(".events .row").first).to_be_visible()
        assert tab.colour() == dark
    with Tab(browser, changed_page("printed.html", lambda overview, timeline: repeat(timeline, 1_500))) as tab:
        tab.open(0)
        tab.page.emulate_media(media="print")
        expect(tab.page.locator(".events .row")).to_have_count(1_000)
        expect(tab.page.locator(".events .rest")).to_have_text("500 more events are not printed; search and filters choose what is.")


@test
def scenarios_that_failed_in_kept_runs_say_so(browser):
    def remember(overview, timeline):
        overview["kept"] = {LOCK: {"passed": 7, "rounds": 9}}
    with Tab(browser, changed_page("kept.html", remember)) as tab:
        expect(tab.page.locator(".case .rounds")).to_contain_text("7 of 9 in kept runs")


@test
def the_page_of_the_whole_catalogue_is_small(browser):
    size = Path(catalogue_page).stat().st_size
    print(f"  the catalogue's page has {size / 1e6:.2f} MB")
    assert size < 6_000_000, f"the page of the catalogue has {size} bytes"
    with Tab(browser, catalogue_page) as tab:
        expect(tab.page.locator(".case").nth(250)).to_be_attached()
        tab.page.locator(".case:visible").first.click()
        expect(tab.page.locator(".events .row").first).to_be_visible()


@test
def a_compressed_overview_is_read(browser):
    path = changed_page("compressed.html", lambda overview, timeline: None)
    data = base64.b64encode(zlib.compress(json.dumps(documents(path)["run"]).encode())).decode()
    path.write_text(re.sub(r'<script type="application/json" id="run">.*?</script>', f'<script type="application/zlib" id="run">{data}</script>', path.read_text(), flags=re.S))
    with Tab(browser, path) as tab:
        expect(tab.page.locator(".case")).to_have_count(1)
        tab.open(0)
        expect(tab.page.locator(".failure .cause").first).to_be_visible()


@test
def a_request_shows_what_was_encrypted_and_how_its_keys_are_derived(browser):
    with Tab(browser, failing_page) as tab:
        tab.open(LOCK)
        page = tab.page
        page.get_by_label("Search events").fill("activation/create")
        page.locator(".events .row", has_text="server.request").first.click()
        panel = page.locator(".panel")
        expect(panel).to_contain_text("devicePublicKey")
        panel.locator("summary", has_text="How its keys are derived").click()
        expect(panel).to_contain_text("KEY_ENC")
        expect(panel).to_contain_text("Request, decrypted")
        page.screenshot(path=f"{screenshots}/request-light.png")


@test
def a_step_shows_what_was_stored_before_and_after(browser):
    with Tab(browser, failing_page) as tab:
        tab.open(LOCK)
        page = tab.page
        page.get_by_label("Search events").fill("state.saved")
        page.locator(".events .row").first.click()
        page.locator(".panel th", has_text="step").locator("xpath=../td//button").click()
        expect(page.locator(".panel")).to_contain_text("Before and after")
        expect(page.locator(".panel")).to_contain_text("main: counter")


@test
def no_secret_is_on_the_page(browser):
    text = Path(failing_page).read_text()
    assert '"1234"' not in text and 'password\\":\\"1234' not in text
    # What was encrypted is shown, but no secret that the protocol hands out in it.
    secrets = re.findall(r'"(tokenSecret|ctrData)": "([^"]*)"', json.dumps(documents(rounds_page), ensure_ascii=False))
    assert {name for name, _ in secrets} == {"tokenSecret", "ctrData"}, secrets
    assert all(set(value) == {"•"} for _, value in secrets), secrets


@test
def rounds_are_compared_side_by_side(browser):
    with Tab(browser, rounds_page) as tab:
        page = tab.page
        expect(page.locator(".case .rounds").first).to_contain_text("of 2 rounds passed")
        # One click from the overview, and one from the scenario.
        page.locator(".suite .compare").first.click()
        expect(page.locator(".facts").first).to_contain_text("round 1 and round 2, compared by process")
        expect(page.locator("main")).to_contain_text(re.compile("first difference is in|Both did the same"))
        page.go_back()
        page.locator(".case").first.click()
        page.get_by_role("link", name=re.compile("round 2")).click()
        expect(page.locator("main")).to_contain_text(re.compile("first difference is in|Both did the same"))
        page.screenshot(path=f"{screenshots}/compare-light.png")


@test
def two_runs_are_compared_as_lab_diff_does(browser):
    for name in ["same", "different"]:
        partings = re.findall(r"^  (\S+#\d+) parts at (\d+):$", Path(compared, f"{name}.txt").read_text(), re.M)
        assert bool(partings) == (name == "different"), f"lab diff reports {len(partings)} differences of {name} runs"
        with Tab(browser, f"{compared}/{name}.html") as tab:
            names = [run["label"] for run in documents(f"{compared}/{name}.html")["run"]["runs"]]
            tab.page.get_by_role("link", name=f"Compare with run {names[1]}").click()
            expect(tab.page.locator(".facts").first).to_contain_text(f"run {names[0]} and run {names[1]}, compared by process")
            expect(tab.page.locator("main")).to_contain_text("The first difference is in" if partings else "Both did the same")
            shown = tab.page.get_by_label("Process", exact=True).locator("option").all_inner_texts()
            assert sorted(shown) == sorted(f"{process}, from event {place}" for process, place in partings), (shown, partings)


def different_rounds(overview, first, second):
    """Two rounds of many events, of which one of the app `main` is different in the second."""
    for timeline in [first, second]:
        repeat(timeline, 600)
        # The comparison ends with the last step.
        steps(timeline, "finished")[-1]["t"] = timeline["events"]["t"][-1]
    begin = steps(first, "started")[0]["t"]
    lane = next(number for number, lane in enumerate(first["lanes"]) if lane["name"] == "main")
    events, texts = second["events"], second["texts"]
    state = [i for i, time in enumerate(events["t"])
             if events["lane"][i] == lane and time >= begin and texts[events["name"][i]] == "state.loaded"]
    texts.append('{"counter":999}')
    events["fields"][state[len(state) // 3]] = len(texts) - 1


@test
def all_events_of_two_rounds_are_reached_from_the_first_difference(browser):
    with Tab(browser, changed_page("different.html", different_rounds, rounds=2)) as tab:
        page = tab.page
        page.goto(f"{tab.path}#s=0&with=1")
        expect(page.locator("main")).to_contain_text("The first difference is in main#1.")
        expect(page.locator(".sides li.differs")).to_have_count(2)
        expect(page.locator(".sides section").nth(1).locator("li.differs")).to_contain_text("state.loaded counter=999")
        later = page.get_by_role("button", name="Later events")
        earlier = page.get_by_role("button", name="Earlier events")
        while earlier.is_enabled():
            earlier.click()
        reached = []
        while True:
            reached += page.locator(".sides section").first.locator("li").all_inner_texts()
            if not later.is_enabled():
                break
            page.keyboard.press("ArrowRight")
        told = re.search(r"to (\d+) of (\d+)", page.locator(".tools [role=status]").inner_text())
        assert told.group(1) == told.group(2) and len(reached) == int(told.group(2)) > 100, (told.group(), len(reached))
        page.get_by_role("button", name="First difference").click()
        expect(page.locator(".sides li.differs").first).to_be_visible()


@test
def lanes_of_two_rounds_are_one_above_the_other_with_the_first_difference_marked(browser):
    # Places of the lines that go through all lanes in the colour of what is bad.
    marks = """canvas => {
        const { width, height } = canvas;
        const copied = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
        copied.drawImage(canvas, 0, 0);
        const { data } = copied.getImageData(0, 0, width, height);
        const isBad = (x, y) => { const at = (y * width + x) * 4; return data[at] > 180 && data[at + 1] < 60 && data[at + 2] < 70; };
        return [...Array(width).keys()].filter((x) => { for (let y = 20; y < height - 20; y += 3) if (!isBad(x, y)) return false; return true; });
    }"""
    with Tab(browser, changed_page("different.html", different_rounds, rounds=2)) as tab:
        page = tab.page
        page.goto(f"{tab.path}#s=0&with=1")
        lanes = page.locator("canvas.rows")
        expect(lanes).to_have_count(2)
        expect(page.locator(".both canvas:not(.rows)")).to_have_count(1)
        top, bottom = [lanes.nth(i).bounding_box() for i in range(2)]
        assert top["x"] == bottom["x"] and top["width"] == bottom["width"] and top["y"] + top["height"] < bottom["y"]

        def places():
            settle(page)
            found = [lanes.nth(i).evaluate(marks) for i in range(2)]
            assert found[0] and found[0] == found[1], found
            return found[0]

        before = places()
        page.get_by_role("button", name="Zoom out").click()
        assert places() != before
        page.get_by_role("button", name="All processes").click()
        expect(page.get_by_role("button", name="wallet", exact=True)).to_have_count(2)
        page.get_by_role("button", name="Show all").click()
        # The first lane is of another process: the list shows the nearest event of the one that is compared.
        current = page.locator(".sides li[aria-current=true]")
        page.mouse.click(*find_on_canvas(page, "^(http|command|server)", "events"))
        expect(current).to_be_visible()
        page.get_by_role("button", name="All processes").click()
        page.get_by_role("button", name="Show all").click()
        page.mouse.click(*find_on_canvas(page, r"^command\.\w+$", "events"))
        expect(current).to_contain_text("command.")
        page.screenshot(path=f"{screenshots}/difference-light.png")


def two_orders(overview, first, second):
    """Two orders of one scenario, as `lab explore` writes them, of which the second turn is different."""
    for number, (result, timeline, turns) in enumerate([
        (overview["results"][0], first, ["wallet start", "wallet queueLock.take", "main start"]), (overview["results"][1], second, ["wallet start", "main start", "wallet queueLock.take"]),
    ], 1):
        result.update(id=f".lab/explored/lock-{number}.yaml", scenario=f".lab/explored/lock-{number}.yaml", round=1)
        block = next(line for line in steps(timeline, "started") if line["step"] == "3")
        place = timeline["history"].index(block) + 1
        timeline["history"][place:place] = [
            {"e": "turn", "t": block["t"] + 500 * turn, "step": "3", "number": turn, "process": words.split()[0], "place": words.split()[1]} for turn, words in enumerate(turns, 1)]


@test
def two_orders_are_side_by_side_with_the_turn_that_decides(browser):
    with Tab(browser, changed_page("orders.html", two_orders, rounds=2)) as tab:
        page = tab.page
        expect(page.locator(".case .rounds").first).not_to_contain_text("rounds passed")
        page.get_by_role("link", name="Compare with lock-2.yaml").click()
        expect(page.locator(".facts").first).to_contain_text("lock-1.yaml and lock-2.yaml, compared by process")
        expect(page.locator(".decisive")).to_have_text(
            "Turn 2 decides. The turns before it are the same. In the first wallet continues from queueLock.take; in the second main continues from start.")
        expect(page.locator("main")).to_contain_text("Each process did the same, event by event.")
        # All processes with turns have their lanes, in both orders, and the turn has a line through them.
        for process in ["main", "wallet"]:
            expect(page.get_by_role("button", name=process, exact=True)).to_have_count(2)
        lanes = page.locator("canvas.rows")
        expect(lanes).to_have_count(2)

        def shown():
            return [cursor_line(page, lanes.nth(side)) for side in range(2)]

        before = shown()
        assert all(before), before
        page.get_by_role("button", name="Show all").click()
        assert shown() != before
        page.get_by_role("button", name="Turn that decides").click()
        assert shown() == before
        page.screenshot(path=f"{screenshots}/orders-light.png", full_page=True)
        page.go_back()
        page.locator(".case").last.click()
        expect(page.get_by_role("link", name=re.compile("^lock-1.yaml"))).to_be_visible()
    with Tab(browser, changed_page("same.html", lambda *timelines: None, rounds=2)) as tab:
        tab.page.goto(f"{tab.path}#s=0&with=1")
        expect(tab.page.locator("main")).to_contain_text("Both did the same, event by event.")
        expect(tab.page.locator(".decisive")).to_have_count(0)


@test
def no_screen_needs_scrolling_sideways(browser):
    for name, path, scenario, more in [
        ("overview", failing_page, None, ""), ("failure", failing_page, LOCK, ""), ("arrow", failing_page, LOCK, "&arrow=3"), ("thing", failing_page, LOCK, "&thing=app main"),
        ("compared", changed_page("different.html", different_rounds, rounds=2), 0, "&with=1"), ("orders", changed_page("orders.html", two_orders, rounds=2), 0, "&with=1"),
    ]:
        for screen in [400, 1400, 2500]:
            with Tab(browser, path, width=screen) as tab:
                if scenario is not None:
                    tab.open(scenario, more)
                settle(tab.page)
                width = tab.page.evaluate("document.documentElement.scrollWidth")
                assert width <= screen, f"{name} is {width} pixels wide on a screen of {screen}"
                tab.page.screenshot(path=f"{screenshots}/{name}-{screen}.png", full_page=True)


@test
def everyone_can_use_it(browser):
    for scheme in ["light", "dark"]:
        for name, path, scenario, more in [
            ("overview", failing_page, None, ""), ("failure", failing_page, LOCK, ""), ("rounds", rounds_page, 0, "&with=1"),
            ("arrow", failing_page, LOCK, "&arrow=3"), ("thing", failing_page, LOCK, "&thing=app main"), ("turn", catalogue_page, ORDERED, "&turn=0"), ("clock", failing_page, "Scenarios/failing/does-not-stay.yaml", ""),
            ("compared", changed_page("different.html", different_rounds, rounds=2), 0, "&with=1"), ("orders", changed_page("orders.html", two_orders, rounds=2), 0, "&with=1"),
        ]:
            with Tab(browser, path, scheme=scheme) as tab:
                if scenario is not None:
                    tab.open(scenario, more)
                settle(tab.page)
                found = Axe().run(tab.page)["violations"]
                told = [(violation["id"], [node["html"][:160] for node in violation["nodes"][:3]]) for violation in found]
                assert not found, f"{name}, {scheme}: {json.dumps(told, indent=1)}"
                tab.page.screenshot(path=f"{screenshots}/{name}-{scheme}.png")


@test
def the_theme_is_changed_by_a_key(browser):
    for scheme in ["light", "dark"]:
        with Tab(browser, failing_page, scheme=scheme) as tab:
            before = tab.colour()
            tab.page.keyboard.press("t")
            assert tab.colour() != before, f"the first press leaves the {scheme} theme"
            tab.page.keyboard.press("t")
            assert tab.colour() == before, f"the second press does not lead back to the {scheme} theme"


@test
def names_are_text_and_never_markup(browser):
    changed = changed_page("names.html", lambda overview, timeline: overview["results"][0].update(name='<img src=x onerror="alert(1)"></script><b>'))
    with Tab(browser, changed) as tab:
        expect(tab.page.locator(".case .name").first).to_contain_text("<img src=x")
        assert tab.page.locator(".case img, .case b").count() == 0


@test
def long_runs_can_be_looked_at(browser):
    for count, limit in [(5_000, 1), (100_000, 15)]:
        def grow(overview, timeline, count=count):
            repeat(timeline, count)
        path = changed_page(f"long-{count}.html", grow)
        with Tab(browser, path) as tab:
            before = tab.processor_seconds()
            tab.open(0)
            expect(tab.page.locator(".tools .totals")).to_contain_text(f"{count} events")
            expect(tab.page.locator(".events .row").first).to_be_visible()
            seconds = tab.processor_seconds() - before
            print(f"  {count} events: opened with {seconds:.2f} s of processor time, {Path(path).stat().st_size / 1e6:.1f} MB")
            assert seconds < limit, f"{count} events take {seconds:.2f} s of processor time to open, more than {limit} s"
            page = tab.page
            before = tab.processor_seconds()
            for part in [0.9, 0.2, 0.6]:
                page.get_by_role("slider", name="Cursor").evaluate("(slider, part) => { slider.value = Number(slider.max) * part; slider.dispatchEvent(new Event('input')); }", part)
                settle(page)
            seconds = tab.processor_seconds() - before
            print(f"  {count} events: three moments with {seconds:.2f} s of processor time")
            assert seconds < limit, f"three moments of {count} events take {seconds:.2f} s of processor time, more than {limit} s"
            page.locator(".events").focus()
            page.keyboard.press("End")
            expect(page.locator(".events .row[aria-selected=true]")).to_be_visible()
            expect(page.locator(".panel h2").first).not_to_have_text("")
            page.get_by_role("button", name="Zoom in").click()
            page.get_by_label("Search events").fill("keychain")
            expect(page.locator(".tools .totals")).to_contain_text(f"of {count} events")
            drawn = "canvas => new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer).some(Boolean)"
            assert page.locator("canvas.rows").evaluate(drawn), "the lanes are empty"


def steps(timeline, word):
    """The lines of a timeline's history for the begins or the ends of its steps."""
    return [line for line in timeline["history"] if line["e"] == f"step.{word}"]


def repeat(timeline, count):
    """Lets the events of a timeline happen again and again, until there are so many."""
    events = timeline["events"]
    times = len(events["t"])
    span = events["t"][-1] + 1
    for name, column in list(events.items()):
        events[name] = [column[i % times] + (i // times) * span if name == "t" else column[i % times] for i in range(count)]


block = re.compile(r'<script type="application/([a-z]+)" id="([^"]*)">(.*?)</script>\n', re.S)


def number_of(scenario):
    """The place of a scenario on the page about failures."""
    return next(i for i, result in enumerate(documents(failing_page)["run"]["results"]) if result["id"] == scenario)


def documents(path):
    """The documents of a page by their names."""
    return {
        identifier: json.loads(zlib.decompress(base64.b64decode(data)) if kind == "zlib" else data)
        for kind, identifier, data in block.findall(Path(path).read_text())
    }


def changed_page(name, change, rounds=1):
    """A copy of the page about failures, with one scenario only, in some rounds, and something else in it."""
    text = Path(failing_page).read_text()
    document = documents(failing_page)
    overview = document["run"]
    number = next(i for i, result in enumerate(overview["results"]) if result["id"] == LOCK)
    timelines = [copy.deepcopy(document[f"timeline-{number}"]) for _ in range(rounds)]
    overview["results"] = [overview["results"][number] | {"round": i + 1} for i in range(rounds)]
    change(overview, *timelines)
    data = "".join(
        f'<script type="application/json" id="{identifier}">' + json.dumps(value).replace("<", "\\u003c") + "</script>\n"
        for identifier, value in [("run", overview)] + [(f"timeline-{i}", timeline) for i, timeline in enumerate(timelines)])
    blocks = list(block.finditer(text))
    path = Path(failing_page).with_name(name)
    path.write_text(text[:blocks[0].start()] + data + text[blocks[-1].end():])
    return path


run(tests, chromium, screenshots)
