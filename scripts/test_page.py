"""Uses the page of a run as a person does: mouse, keyboard, small screen, light and dark.

usage: test_page.py CHROMIUM FAILING_PAGE ROUNDS_PAGE SCREENSHOTS
"""

import base64
import json
import re
import sys
import time
import zlib
from pathlib import Path

from axe_core_python.sync_playwright import Axe
from page_checks import collecting, run
from playwright.sync_api import expect

chromium, failing_page, rounds_page, screenshots = sys.argv[1:5]
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
        expect(self.page.locator(".lanes")).to_be_visible()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.context.close()
        if kind is None:
            assert not self.complaints, f"the page complained: {self.complaints}"


LOCK = "Scenarios/failing/lock-is-held.yaml"


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
        expect(page.locator(".failure .cause").first).to_contain_text("waits for the lock `queue`, which `wallet` holds")
        expect(page.locator(".panel h2").first).to_have_text("Step 3.2.2")
        expect(page.locator(".events .row.lit").first).to_be_visible()
        page.screenshot(path=f"{screenshots}/failure-light.png")


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
        address = page.url
        assert "&e=" in address, address
        page.keyboard.press("ArrowRight")
        assert page.url != address
        chosen = page.locator(".panel h2").first.inner_text()
        page.reload()
        expect(page.locator(".panel h2").first).to_have_text(chosen)
        page.keyboard.press("f")
        expect(page.locator(".panel h2").first).to_have_text("Step 3.2.2")


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
        expect(page.locator(".panel")).to_contain_text("Stored before and after")
        expect(page.locator(".panel")).to_contain_text("main: counter")


@test
def no_secret_is_on_the_page(browser):
    text = Path(failing_page).read_text()
    assert '"1234"' not in text and 'password\\":\\"1234' not in text


@test
def rounds_are_compared_side_by_side(browser):
    with Tab(browser, rounds_page) as tab:
        page = tab.page
        expect(page.locator(".case .rounds").first).to_contain_text("of 2 rounds passed")
        page.locator(".case").first.click()
        page.get_by_label("Compare with").select_option(index=1)
        expect(page.locator("main")).to_contain_text(re.compile("first difference is in|Both did the same"))
        page.screenshot(path=f"{screenshots}/compare-light.png")


@test
def a_small_screen_needs_no_scrolling_sideways(browser):
    for name, place in [("overview", ""), ("failure", f"#s={LOCK}")]:
        with Tab(browser, failing_page, width=400) as tab:
            tab.page.goto(tab.path + place)
            tab.page.wait_for_timeout(100)
            width = tab.page.evaluate("document.documentElement.scrollWidth")
            assert width <= 400, f"{name} is {width} pixels wide"
            tab.page.screenshot(path=f"{screenshots}/{name}-400.png")


@test
def everyone_can_use_it(browser):
    for scheme in ["light", "dark"]:
        for name, path, place in [
            ("overview", failing_page, ""), ("failure", failing_page, f"#s={LOCK}"), ("rounds", rounds_page, "#s=0&with=1"),
        ]:
            with Tab(browser, path, scheme=scheme) as tab:
                tab.page.goto(tab.path + place)
                tab.page.wait_for_timeout(100)
                found = Axe().run(tab.page)["violations"]
                told = [(violation["id"], [node["html"][:160] for node in violation["nodes"][:3]]) for violation in found]
                assert not found, f"{name}, {scheme}: {json.dumps(told, indent=1)}"
                tab.page.screenshot(path=f"{screenshots}/{name}-{scheme}.png")


@test
def the_theme_is_changed_by_a_key(browser):
    with Tab(browser, failing_page) as tab:
        before = tab.page.evaluate("getComputedStyle(document.body).backgroundColor")
        tab.page.keyboard.press("t")
        assert tab.page.evaluate("getComputedStyle(document.body).backgroundColor") != before


@test
def names_are_text_and_never_markup(browser):
    changed = changed_page("names.html", lambda overview, timeline: overview["results"][0].update(name='<img src=x onerror="alert(1)"></script><b>'))
    with Tab(browser, changed) as tab:
        expect(tab.page.locator(".case .name").first).to_contain_text("<img src=x")
        assert tab.page.locator(".case img, .case b").count() == 0


@test
def long_runs_can_be_looked_at(browser):
    for count in [5_000, 100_000]:
        def grow(overview, timeline, count=count):
            events = timeline["events"]
            times = len(events["t"])
            span = events["t"][-1] + 1
            for name, column in list(events.items()):
                events[name] = [
                    column[i % times] + (i // times) * span if name == "t" else column[i % times] for i in range(count)
                ]
        path = changed_page(f"long-{count}.html", grow)
        with Tab(browser, path) as tab:
            begin = time.monotonic()
            tab.open(0)
            expect(tab.page.locator(".tools .totals")).to_contain_text(f"{count} events")
            print(f"  {count} events: opened in {time.monotonic() - begin:.2f} s, {Path(path).stat().st_size / 1e6:.1f} MB")
            tab.page.locator(".events").focus()
            tab.page.keyboard.press("End")
            expect(tab.page.locator(".events .row[aria-selected=true]")).to_be_visible()
            tab.page.get_by_role("button", name="Zoom in").click()


def changed_page(name, change):
    """A copy of the page about failures, with its first scenario only and something else in it."""
    text = Path(failing_page).read_text()

    def block(identifier):
        return re.search(rf'<script type="application/([a-z]+)" id="{identifier}">(.*?)</script>', text, re.S)

    def document(identifier):
        kind, data = block(identifier).groups()
        return json.loads(zlib.decompress(base64.b64decode(data)) if kind == "zlib" else data)

    overview = document("run")
    number = next(i for i, result in enumerate(overview["results"]) if result["id"] == LOCK)
    timeline = document(f"timeline-{number}")
    overview["results"] = [overview["results"][number]]
    change(overview, timeline)
    data = "".join(
        f'<script type="application/json" id="{identifier}">' + json.dumps(value).replace("<", "\\u003c") + "</script>\n"
        for identifier, value in [("run", overview), ("timeline-0", timeline)])
    first, last = block("run").start(), list(re.finditer(r'<script type="application/.*?</script>\n', text, re.S))[-1].end()
    path = Path(failing_page).with_name(name)
    path.write_text(text[:first] + data + text[last:])
    return path


run(tests, chromium, screenshots)
