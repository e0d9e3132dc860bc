"""Uses the page of a running instance like a person.

usage: test_dashboard.py CHROMIUM LAB SCREENSHOTS
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from axe_core_python.sync_playwright import Axe
from page_checks import collecting, run
from playwright.sync_api import expect

chromium, lab, screenshots = sys.argv[1:4]
tests = []
test = collecting(tests)


@contextmanager
def running_lab():
    """A lab with its page; gives the address of the page, and a function that ends the lab."""
    process = subprocess.Popen([lab, "up", "--dashboard"], stdout=subprocess.PIPE, text=True)

    def end():
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 0

    try:
        for line in process.stdout:
            if address := re.match(r"Dashboard: (\S+)", line):
                yield address.group(1), end
                break
        else:
            raise AssertionError("the lab did not print the address of its page")
    finally:
        if process.poll() is None:
            end()


@contextmanager
def tab(browser, address, width=1400, scheme="light"):
    """The page in a window of its own, which must not complain."""
    context = browser.new_context(viewport={"width": width, "height": 1000}, color_scheme=scheme)
    page = context.new_page()
    complaints = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(address)
    expect(page.locator(".head [role=status]")).to_have_text("live")
    expect(page.locator(".events")).to_contain_text("process.ready")
    yield page
    context.close()
    assert not complaints, f"the page complained: {complaints}"


def actor(page, name):
    """Opens the commands of an actor."""
    group = page.locator(".commands details", has=page.locator("summary", has_text=re.compile(f"^{name}$")))
    if not group.evaluate("group => group.open"):
        group.locator("summary").click()
    return group


@test
def a_command_is_clicked_and_what_comes_of_it_is_seen_at_once(browser):
    with running_lab() as (address, _), tab(browser, address) as page:
        actor(page, "main").get_by_role("button", name="hasValidActivation", exact=True).click()
        first = page.locator(".done li").first
        expect(first).to_contain_text("main: hasValidActivation")
        expect(first).to_contain_text("false")
        expect(page.locator(".events")).to_contain_text("command.finished")
        page.screenshot(path=f"{screenshots}/dashboard-light.png")


@test
def the_bench_shows_what_a_command_has_changed(browser):
    with running_lab() as (address, _), tab(browser, address) as page:
        server = page.locator(".thing.server")
        expect(server.locator(".word")).to_have_text("running")
        actor(page, "server").get_by_role("button", name="kill", exact=True).click()
        expect(server.locator(".word")).to_contain_text("ended: SIGKILL")
        actor(page, "pairing").get_by_role("button", name="down", exact=True).click()
        expect(page.locator(".thing.link .word")).to_have_text("out of range")
        expect(page.locator(".steps .title")).to_have_text(["server: kill", "pairing: down"])
        page.screenshot(path=f"{screenshots}/dashboard-bench-light.png", full_page=True)


@test
def a_command_with_parameters_asks_for_them_and_shows_the_step(browser):
    with running_lab() as (address, _), tab(browser, address) as page:
        actor(page, "clock").get_by_role("button", name="advance").click()
        page.get_by_label("by").fill("5m")
        page.get_by_role("button", name="Run", exact=True).click()
        expect(page.locator(".done li").first).to_contain_text("clock: advance\nwith: { by: 5m }")
        expect(page.locator(".done li").first).to_contain_text("done")
        actor(page, "server").get_by_role("button", name="initActivation").click()
        page.get_by_label("userId").fill('alice: "x" ${y}')
        page.keyboard.press("Enter")
        expect(page.locator(".done li").first).to_contain_text("nothing called `y` is defined")
        page.get_by_label("userId").fill('alice: "x"')
        page.keyboard.press("Enter")
        expect(page.locator(".done li").first).to_contain_text('"userId": "alice: \\"x\\""')


@test
def what_is_done_appears_as_steps_with_answers_and_requests(browser):
    with running_lab() as (address, _), tab(browser, address) as page:
        panel = page.locator(".panel")
        actor(page, "server").get_by_role("button", name="initActivation").click()
        page.get_by_label("userId").fill("alice")
        page.get_by_role("button", name="Run", exact=True).click()
        answer = page.locator(".done li").first
        expect(answer).to_contain_text("activationCode")
        code = re.search(r'"activationCode": "([^"]+)"', answer.inner_text()).group(1)
        actor(page, "main").get_by_role("button", name="createActivation", exact=False).first.click()
        page.get_by_label("activationCode").fill(code)
        page.get_by_role("button", name="Run", exact=True).click()
        expect(page.locator(".done li").first).to_contain_text("activationFingerprint")
        page.get_by_label("Search events").fill("activation/create")
        page.locator(".events .row", has_text="server.request").first.click()
        expect(panel).to_contain_text("Request, decrypted")
        expect(panel).to_contain_text("devicePublicKey")
        assert re.search('"ctrData": "••••"', panel.inner_text())
        page.get_by_label("Search events").fill("keystore/create")
        page.locator(".events .row", has_text="server.request").first.click()
        panel.locator("summary", has_text="Answer as sent").click()
        expect(panel).to_contain_text('"jwt"')
        page.get_by_label("Search events").fill("activation/create")
        page.locator(".events .row", has_text="server.request").first.click()
        panel.locator("tr", has=page.get_by_role("rowheader", name="step")).get_by_role("button").click()
        expect(panel.locator("h2").first).to_have_text("Step 2")
        expect(panel).to_contain_text("main: createActivation")
        expect(panel.locator("pre.source")).to_contain_text("1 | main: createActivation")
        expect(panel).to_contain_text("activationFingerprint")
        expect(panel).to_contain_text("POST /pa/v3/activation/create → 200")
        page.screenshot(path=f"{screenshots}/dashboard-step-light.png", full_page=True)


@test
def steps_of_a_shell_appear_too(browser):
    with running_lab() as (address, _), tab(browser, address) as page:
        instance = page.locator(".facts").first.inner_text().removeprefix("instance ")
        shell = subprocess.run([lab, "shell", "--instance", instance], input="main: hasValidActivation\n", capture_output=True, text=True, timeout=60)
        assert shell.returncode == 0, shell.stderr
        page.get_by_label("Search events").fill("hasValidActivation")
        page.locator(".events .row", has_text="command.started").first.click()
        panel = page.locator(".panel")
        panel.locator("tr", has=page.get_by_role("rowheader", name="step")).get_by_role("button").click()
        expect(panel.locator("h2").first).to_have_text("Step 1")
        expect(panel).to_contain_text("main: hasValidActivation")
        expect(panel).to_contain_text("passed")


@test
def a_secret_is_typed_and_never_shown(browser):
    with running_lab() as (address, _), tab(browser, address) as page:
        page.evaluate("window.copied = ''; navigator.clipboard.writeText = async (text) => { window.copied = text; }")
        actor(page, "main").get_by_role("button", name="validatePassword").click()
        page.get_by_label("password").fill("7391-typed")
        page.get_by_role("button", name="Run", exact=True).click()
        first = page.locator(".done li").first
        expect(first).to_contain_text('main: validatePassword\nwith: { password: "••••" }')
        expect(first).to_contain_text("missingActivation")
        first.get_by_role("button", name="Copy").click()
        expect(first.get_by_role("button", name="Copied")).to_be_visible()
        assert page.evaluate("window.copied") == "main: validatePassword\nwith: { password: ${password} }"
        page.locator(".events .row", has_text="command.started").last.click()
        assert "7391-typed" not in page.locator("body").inner_text()
        # External values are named, not hidden.
        page.get_by_label("password").fill("${pin}")
        page.get_by_role("button", name="Run", exact=True).click()
        expect(page.locator(".done li").first).to_contain_text("${pin}")
        expect(page.locator(".done li").first).to_contain_text("nothing called `pin` is defined")


@test
def what_was_done_is_saved_as_a_scenario_that_runs(browser):
    with running_lab() as (address, _), tab(browser, address) as page:
        save = page.get_by_role("button", name="Save as scenario")
        told = page.locator(".commands .tools [role=status]")
        save.click()
        expect(told).to_contain_text("Nothing was done here yet")
        actor(page, "main").get_by_role("button", name="hasValidActivation", exact=True).click()
        expect(page.locator(".done li").first).to_contain_text("false")
        actor(page, "main").get_by_role("button", name="validatePassword").click()
        page.get_by_label("password").fill("7391-typed")
        page.get_by_role("button", name="Run", exact=True).click()
        expect(page.locator(".done li").first).to_contain_text("missingActivation")
        with page.expect_download() as download:
            save.click()
        expect(told).to_contain_text("LAB_PASSWORD")
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / download.value.suggested_filename
            download.value.save_as(file)
            text = file.read_text()
            assert "main: hasValidActivation" in text and "expect: false" in text and "7391-typed" not in text, text
            environment = os.environ | {"LAB_PASSWORD": "7391-typed"}
            played = subprocess.run([lab, "run", file, "--lab", "lab.yaml", "--quiet"], env=environment, capture_output=True, text=True, timeout=120)
            assert played.returncode == 0, f"{text}\n{played.stdout}{played.stderr}"


@test
def a_snapshot_is_taken_listed_and_restored(browser):
    with running_lab() as (address, _), tab(browser, address) as page:
        panel = page.locator("details.snapshots")
        panel.locator("summary").click()
        page.get_by_label("Name").fill("before")
        panel.get_by_role("button", name="Take", exact=True).click()
        told = panel.locator("[role=status]")
        expect(told).to_have_text("snapshot before was taken", timeout=30_000)
        expect(panel.locator("li")).to_contain_text("before taken ")
        page.get_by_label("Name").fill("before")
        panel.get_by_role("button", name="Take", exact=True).click()
        expect(told).to_contain_text("there is a snapshot `before`")
        actor(page, "clock").get_by_role("button", name="freeze", exact=True).click()
        expect(page.locator(".done li").first).to_contain_text("clock: freeze")
        expect(page.locator(".done li").first).to_contain_text("done")
        panel.get_by_role("button", name="Restore before").click()
        expect(told).to_contain_text("and so is the record: 0 steps", timeout=30_000)
        expect(page.locator(".done li")).to_have_count(1)
        actor(page, "clock").get_by_role("button", name="read", exact=True).click()
        expect(page.locator(".done li").first).to_contain_text('"isFrozen": false')


@test
def what_is_filtered_and_chosen_stays_while_more_happens(browser):
    with running_lab() as (address, _), tab(browser, address) as page:
        page.get_by_label("Search events").fill("clock.changed")
        expect(page.locator(".totals")).to_contain_text("0 of ")
        for number in range(1, 4):
            actor(page, "clock").get_by_role("button", name="freeze" if number % 2 else "run", exact=False).click()
            if number % 2 == 0:
                page.get_by_role("button", name="Run", exact=True).click()
            expect(page.locator(".totals")).to_contain_text(f"{number} of ")
        page.locator(".events .row").first.click()
        expect(page.locator(".panel")).to_contain_text("clock.changed")
        page.get_by_label("Search events").fill("")
        actor(page, "main").get_by_role("button", name="hasValidActivation", exact=True).click()
        expect(page.locator(".done li").first).to_contain_text("false")
        expect(page.locator(".panel")).to_contain_text("clock.changed")


@test
def a_fault_is_armed_and_seen_in_the_lanes(browser):
    with running_lab() as (address, _), tab(browser, address) as page:
        actor(page, "server").get_by_role("button", name="drop").click()
        page.get_by_label("endpoint").select_option("status")
        page.get_by_role("button", name="Run", exact=True).click()
        expect(page.locator(".done li").first).to_contain_text('with: { endpoint: "status" }')
        expect(page.locator(".done li").first).to_contain_text('"id"')
        actor(page, "main").get_by_role("button", name="fetchServerStatus").click()
        expect(page.locator(".events")).to_contain_text("server.faulted")
        page.get_by_role("button", name="faults", exact=True).click()
        expect(page.locator(".totals")).to_contain_text(" of ")


@test
def the_end_of_the_lab_is_told(browser):
    with running_lab() as (address, end), tab(browser, address) as page:
        end()
        expect(page.locator(".head [role=status]")).to_have_text("has ended")


@test
def everyone_can_use_it_also_on_a_small_screen(browser):
    with running_lab() as (address, _):
        for scheme, width in [("light", 1400), ("dark", 1400), ("light", 400)]:
            with tab(browser, address, width=width, scheme=scheme) as page:
                actor(page, "phone").get_by_role("button", name="setClockSkew").click()
                expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible()
                found = Axe().run(page)["violations"]
                told = [(violation["id"], [node["html"][:160] for node in violation["nodes"][:3]]) for violation in found]
                assert not found, f"{scheme}, {width}: {json.dumps(told, indent=1)}"
                assert page.evaluate("document.documentElement.scrollWidth") <= width
                page.screenshot(path=f"{screenshots}/dashboard-{scheme}-{width}.png", full_page=True)


run(tests, chromium, screenshots)
