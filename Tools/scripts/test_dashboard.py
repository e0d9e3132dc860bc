"""Uses the page of a running instance like a person.

usage: test_dashboard.py CHROMIUM LAB SCREENSHOTS
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import page_checks
from axe_core_python.sync_playwright import Axe
from page_checks import collecting, run
from playwright.sync_api import expect

chromium, lab, screenshots = sys.argv[1:4]
running_lab = partial(page_checks.running_lab, lab)
tests = []
test = collecting(tests)


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
    expect(page.locator(".thing.watch-app .word")).to_have_text("running")
    yield page
    context.close()
    assert not complaints, f"the page complained: {complaints}"


def close(page):
    """Closes the menu, so that it covers nothing."""
    if page.locator(".menu").is_visible():
        page.locator(".menu").get_by_role("button", name="Close").click()


def choose(page, thing, command):
    """Opens the menu of a thing on the bench, and chooses a command with its parameters or without; returns the menu."""
    close(page)
    page.get_by_role("button", name=f"Actions of {thing}", exact=True).click()
    menu = page.locator(".menu")
    choice = menu.get_by_role("button", name=re.compile(f"^{command}…?$"))
    if not choice.count():
        menu.get_by_role("button", name=re.compile("^Show all ")).click()
    choice.click()
    expect(menu.locator("h2")).to_have_text(re.compile(f": {command}$"))
    return menu


def do(page, thing, command, **values):
    """Carries a command out with the mouse, except for texts; returns where its answer stands."""
    menu = choose(page, thing, command)
    for name, value in values.items():
        field = menu.get_by_label(name, exact=True)
        if field.evaluate("field => field.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
    if values:
        menu.get_by_role("button", name="Run", exact=True).click()
    answer = menu.locator(".answer")
    expect(answer.locator(".verdict")).to_be_visible()
    return answer


def scenario(page):
    return page.get_by_label("Scenario of what was done")


@test
def a_command_is_clicked_and_what_comes_of_it_is_seen_at_once(browser):
    with running_lab() as (address, _), tab(browser, address) as page:
        answer = do(page, "main", "hasValidActivation")
        expect(answer).to_have_text("✓ donefalse")
        expect(page.locator(".events")).to_contain_text("command.finished")
        expect(scenario(page)).to_have_value(re.compile("- main: hasValidActivation\n    expect: false\n"))
        page.screenshot(path=f"{screenshots}/dashboard-light.png")
        # A menu closes by a click elsewhere, and the answer is there when the command is chosen again.
        page.locator("h1").click()
        expect(page.locator(".menu")).to_be_hidden()


@test
def a_menu_has_what_can_be_read_changed_and_broken(browser):
    with running_lab() as (address, _), tab(browser, address) as page:
        menu = page.locator(".menu")
        for thing, groups in {
            "main": {"Read": "hasValidActivation", "Change": "relaunch", "Break": "suspend"},
            "phone": {"Read": "security", "Change": "answerBiometry…", "Break": "goOffline"},
            "watch": {"Read": "security", "Change": "unlock", "Break": "reboot"},
            "companion": {"Read": "hasLocalToken…", "Change": "launch", "Break": "kill"},
            "pairing": {"Read": "trafficFaults", "Change": "up", "Break": "slow…"},
            "server": {"Read": "requests…", "Change": "restart", "Break": "fail…"},
            "lab's clock": {"Read": "read", "Change": "advance…"},
            "armed faults": {"Read": "armed", "Change": "disarm…", "Break": "arm…"},
            "trace": {"Read": "brokenRules"},
            "shared memory": {"Read": "inspectSharing…", "Break": "truncateSharedMemory…"},
        }.items():
            close(page)
            page.get_by_role("button", name=f"Actions of {thing}", exact=True).click()
            expect(menu).to_have_attribute("aria-label", f"Actions of {thing}")
            expect(menu.get_by_role("heading", level=3)).to_have_text(list(groups))
            for group, command in groups.items():
                expect(menu.get_by_role("group", name=group).get_by_role("button", name=command, exact=True)).to_be_visible()
        # Each name that the page sorts by is one of the vocabulary, and each command is in one group.
        known = set(page.evaluate("JSON.parse(document.getElementById('live').textContent).actors.flatMap(actor => actor.commands.map(command => command.name))"))
        script = page.content()
        for name in ["changingAnyway = new Set(", "breakingCommands = ", "usualCommands = "]:
            listed = re.findall(r'"(\w+)"', re.search(re.escape(name) + r"(\[.*?\])", script, re.DOTALL).group(1))
            assert listed and set(listed) <= known, f"{name}: {set(listed) - known}"
        close(page)
        page.get_by_role("button", name="Actions of main", exact=True).click()
        menu.get_by_role("button", name=re.compile("^Show all ")).click()
        count = int(re.search(r"\d+", menu.get_by_label("Search commands").get_attribute("placeholder")).group())
        expect(menu.locator(".choice")).to_have_count(count)


@test
def all_commands_are_searched_by_name_meaning_and_actor_with_the_keyboard(browser):
    with running_lab() as (address, _), tab(browser, address) as page:
        menu = page.locator(".menu")
        page.keyboard.press("c")
        search = menu.get_by_label("Search commands")
        expect(search).to_be_focused()
        expect(menu).to_contain_text("Type a word")
        search.fill("server dies")
        expect(menu).to_contain_text("No command has these words.")
        search.fill("sigkill server")
        expect(menu.locator(".choice")).to_have_count(1)
        page.keyboard.press("Enter")
        expect(menu.locator(".answer")).to_contain_text("done")
        expect(page.locator(".thing.server .word")).to_contain_text("ended: SIGKILL")
        page.keyboard.press("Escape")
        expect(menu).to_be_hidden()
        # Arrow keys walk through what was found; the bench was drawn anew, and the focus is where it was.
        opener = page.get_by_role("button", name="Actions of server", exact=True)
        opener.focus()
        page.keyboard.press("Enter")
        search.fill("restart")
        page.keyboard.press("ArrowDown")
        expect(menu.get_by_role("button", name="restart", exact=True)).to_be_focused()
        page.keyboard.press("ArrowUp")
        expect(search).to_be_focused()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(menu.get_by_role("button", name="Run again")).to_be_focused()
        expect(page.locator(".thing.server .word")).to_have_text("running")
        page.keyboard.press("Escape")
        expect(opener).to_be_focused()


@test
def the_bench_shows_what_a_command_has_changed(browser):
    with running_lab() as (address, _), tab(browser, address) as page:
        server = page.locator(".thing.server")
        expect(server.locator(".word")).to_have_text("running")
        do(page, "server", "kill")
        expect(server.locator(".word")).to_contain_text("ended: SIGKILL")
        do(page, "pairing", "down")
        expect(page.locator(".thing.link .word")).to_have_text("out of range")
        expect(page.locator(".steps .title")).to_have_text(["server: kill", "pairing: down"])
        close(page)
        page.screenshot(path=f"{screenshots}/dashboard-bench-light.png", full_page=True)


@test
def the_bench_marks_only_what_has_changed_since_the_page_was_opened(browser):
    with running_lab() as (address, _), tab(browser, address) as page:
        legend, changed = page.locator(".bench h2"), page.locator(".bench .changed")
        expect(legend).to_contain_text("changed since this page was opened")
        expect(changed).to_have_count(0)
        # What is done from outside is no step of the page.
        instance = page.locator("#where").inner_text()
        subprocess.run([lab, "exec", "--instance", instance, "server", "initActivation", "userId=alice"], check=True, stdout=subprocess.DEVNULL)
        expect(changed).to_have_count(1)
        expect(page.locator(".thing.server .changed")).to_contain_text("CREATED")
        # A moment before the page was opened is compared with the very beginning.
        page.get_by_role("slider", name="Cursor").press("Home")
        expect(legend).to_contain_text("changed since the start")
        page.get_by_role("button", name="Follow").click()
        do(page, "phone", "lock")
        expect(legend).to_contain_text("changed since step 1 began")
        expect(page.locator(".thing.phone .changed")).to_contain_text("locked")
        expect(page.locator(".thing.server .changed")).to_have_count(0)


@test
def an_error_has_its_colour_and_its_cause(browser):
    with running_lab() as (address, _), tab(browser, address) as page:
        do(page, "server", "kill")
        answer = do(page, "main", "fetchServerStatus")
        expect(answer.locator(".verdict.failed")).to_have_text("✗ failed")
        expect(answer).to_contain_text("Because ")
        expect(answer).to_contain_text("server")
        page.screenshot(path=f"{screenshots}/dashboard-error-light.png")


@test
def a_command_with_parameters_asks_for_them_and_explains_them(browser):
    with running_lab() as (address, _), tab(browser, address) as page:
        menu = choose(page, "lab's clock", "run")
        expect(menu.get_by_label("rate")).to_have_attribute("placeholder", "1")
        expect(menu).to_contain_text("Default: 1. Takes 1 to 86400.")
        expect(do(page, "lab's clock", "advance", by="5m")).to_contain_text("done")
        expect(scenario(page)).to_have_value(re.compile(r"- clock: advance\n    with: \{ by: 5m \}"))
        expect(do(page, "server", "initActivation", userId='alice: "x" ${y}')).to_contain_text("nothing called `y` is defined")
        # What was typed is there when the command is chosen again.
        menu = choose(page, "server", "initActivation")
        expect(menu.get_by_label("userId")).to_have_value('alice: "x" ${y}')
        menu.get_by_label("userId").fill('alice: "x"')
        page.keyboard.press("Enter")
        expect(menu.locator(".answer")).to_contain_text('"userId": "alice: \\"x\\""')


@test
def the_bench_is_played_with_the_mouse_alone(browser):
    """Hands on: looks, a code, a kill, a watch out of range, time, a replay, and a server that dies at a fault point."""
    with running_lab() as (address, _), tab(browser, address) as page:
        page.evaluate("window.keys = 0; addEventListener('keydown', () => { window.keys += 1; }, true)")
        menu = page.locator(".menu")
        # Looks at the state: `lab ps`, `lab inspect sharing`, `lab exec main hasValidActivation`.
        expect(do(page, "phone", "processes")).to_contain_text('"main"')
        expect(do(page, "main", "hasValidActivation")).to_contain_text("false")
        choose(page, "shared memory", "inspectSharing").get_by_role("button", name="Run", exact=True).click()
        expect(menu.locator(".answer")).to_contain_text("✓ done")
        choose(page, "server", "initActivation").get_by_role("button", name="Run", exact=True).click()
        expect(menu.locator(".answer")).to_contain_text("activationCode")
        # An app dies and starts again, the watch is out of range, time passes.
        do(page, "main", "kill")
        expect(page.locator(".thing.app", has_text="main").locator(".word").first).to_contain_text("ended: SIGKILL")
        do(page, "main", "relaunch")
        do(page, "pairing", "down")
        expect(page.locator(".thing.link .word")).to_have_text("out of range")
        choose(page, "lab's clock", "advance").get_by_role("button", name="5m", exact=True).click()
        menu.get_by_role("button", name="Run", exact=True).click()
        expect(menu.locator(".answer")).to_contain_text("done")
        expect(do(page, "lab's clock", "read")).to_contain_text('"isFrozen": false')
        close(page)
        expect(page.locator(".thing.clock .word")).to_contain_text("5 min 0 s ahead")
        # What was done is a scenario, and it passes again.
        page.get_by_role("button", name="Replay", exact=True).click()
        expect(page.locator(".done .verdict")).to_have_text("✓ passed", timeout=120_000)
        # A fault point, its process and the action are chosen; the server ends before it has stored the activation.
        # The first code is older than five minutes, and not valid any more.
        choose(page, "server", "initActivation").get_by_role("button", name="Run", exact=True).click()
        expect(menu.locator(".answer")).to_contain_text("activationCode")
        code = re.search(r'"activationCode": "([^"]+)"', menu.locator(".answer").inner_text()).group(1)
        do(page, "armed faults", "arm", point="server.requestReceived", peer="server", action="kill", endpoint="activation/create")
        close(page)
        expect(page.locator(".thing.faults")).to_contain_text("server.requestReceived")
        choose(page, "main", "createActivation").get_by_role("button", name=code).click()
        menu.get_by_role("button", name="Run", exact=True).click()
        expect(menu.locator(".answer")).to_contain_text("Because the fault kill at server.requestReceived took effect in server")
        expect(page.locator(".thing.server .word")).to_contain_text("ended: SIGKILL")
        choose(page, "armed faults", "disarm").get_by_role("button", name="Run", exact=True).click()
        expect(menu.locator(".answer")).to_contain_text("done")
        do(page, "server", "restart")
        expect(page.locator(".thing.server .word")).to_have_text("running")
        choose(page, "main", "createActivation").get_by_role("button", name="Run", exact=True).click()
        expect(menu.locator(".answer")).to_contain_text("activationFingerprint")
        assert page.evaluate("window.keys") == 0
        page.screenshot(path=f"{screenshots}/dashboard-hands-on-light.png", full_page=True)


@test
def what_is_done_appears_as_steps_with_answers_and_requests(browser):
    with running_lab() as (address, _), tab(browser, address) as page:
        panel = page.locator(".panel")
        answer = do(page, "server", "initActivation", userId="alice")
        code = re.search(r'"activationCode": "([^"]+)"', answer.inner_text()).group(1)
        expect(do(page, "main", "createActivation", activationCode=code)).to_contain_text("activationFingerprint")
        close(page)
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
def steps_of_a_shell_appear_too_and_their_answers_are_offered(browser):
    with running_lab() as (address, _), tab(browser, address) as page:
        instance = page.locator(".facts").first.inner_text().removeprefix("instance ")
        shell = subprocess.run([lab, "shell", "--instance", instance], input="server initActivation\n", capture_output=True, text=True, timeout=60)
        assert shell.returncode == 0, shell.stderr
        page.get_by_label("Search events").fill("initActivation")
        page.locator(".steps .step", has_text="server: initActivation").click()
        panel = page.locator(".panel")
        expect(panel.locator("h2").first).to_have_text("Step 1")
        expect(panel).to_contain_text("passed")
        code = re.search(r'"activationCode": "([^"]+)"', shell.stdout).group(1)
        expect(choose(page, "main", "createActivation").get_by_role("button", name=code)).to_be_visible()


@test
def a_secret_is_typed_and_never_shown(browser):
    with running_lab() as (address, _), tab(browser, address) as page:
        expect(do(page, "main", "validatePassword", password="7391-typed")).to_contain_text("missingActivation")
        expect(scenario(page)).to_have_value(re.compile(r'with: \{ password: "\$\{password\}" \}'))
        close(page)
        page.locator(".events .row", has_text="command.started").last.click()
        assert "7391-typed" not in page.locator("body").inner_text() + scenario(page).input_value()
        # External values are named, not hidden.
        expect(do(page, "main", "validatePassword", password="${pin}")).to_contain_text("nothing called `pin` is defined")


@test
def what_was_done_is_edited_replayed_and_saved_as_a_scenario_that_runs(browser):
    with running_lab() as (address, _), tab(browser, address) as page:
        done = page.get_by_role("region", name="Scenario", exact=True)
        replay, save, undo = (done.get_by_role("button", name=name) for name in ["Replay", "Save", "Undo edits"])
        told = done.locator("[role=status]")
        expect(done).to_contain_text("nothing was done yet")
        expect(save).to_be_disabled()
        do(page, "main", "hasValidActivation")
        do(page, "main", "validatePassword", password="7391-typed")
        close(page)
        expect(scenario(page)).to_have_value(re.compile("validatePassword"))
        replay.click()
        expect(told).to_have_text("✓ passed", timeout=120_000)
        expect(done.locator("pre")).to_contain_text("Steps of the dashboard")
        # An edit that is wrong fails, with the difference; what is done meanwhile does not overwrite it.
        text = scenario(page).input_value()
        scenario(page).fill(text.replace("expect: false", "expect: true"))
        expect(done).to_contain_text("edited")
        replay.click()
        expect(told).to_have_text("✗ did not pass", timeout=120_000)
        expect(done.locator("pre.bad")).to_contain_text("expected")
        # Long lines do not widen the side.
        side, bench = (page.locator(part).bounding_box() for part in [".side", ".bench"])
        assert side["x"] + side["width"] <= bench["x"], f"{side} {bench}"
        page.screenshot(path=f"{screenshots}/dashboard-replay-light.png", full_page=True)
        do(page, "wallet", "hasValidActivation")
        close(page)
        expect(told).to_contain_text("Undo edits")
        expect(scenario(page)).to_have_value(re.compile("expect: true"))
        undo.click()
        expect(scenario(page)).to_have_value(re.compile("- wallet: hasValidActivation"))
        expect(undo).to_be_disabled()
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
        expect(do(page, "lab's clock", "freeze")).to_contain_text("done")
        expect(scenario(page)).to_have_value(re.compile("clock: freeze"))
        close(page)
        panel.get_by_role("button", name="Restore before").click()
        expect(told).to_contain_text("and so is the record: 0 steps", timeout=30_000)
        expect(scenario(page)).to_have_value("")
        expect(do(page, "lab's clock", "read")).to_contain_text('"isFrozen": false')


@test
def what_is_filtered_and_chosen_stays_while_more_happens(browser):
    with running_lab() as (address, _), tab(browser, address) as page:
        page.get_by_label("Search events").fill("clock.changed")
        expect(page.locator(".totals")).to_contain_text("0 of ")
        for number in range(1, 4):
            if number % 2:
                do(page, "lab's clock", "freeze")
            else:
                do(page, "lab's clock", "run", rate="1")
            expect(page.locator(".totals")).to_contain_text(f"{number} of ")
        close(page)
        page.locator(".events .row").first.click()
        expect(page.locator(".panel")).to_contain_text("clock.changed")
        page.get_by_label("Search events").fill("")
        expect(do(page, "main", "hasValidActivation")).to_contain_text("false")
        expect(page.locator(".panel")).to_contain_text("clock.changed")


@test
def a_fault_is_armed_and_seen_in_the_lanes(browser):
    with running_lab() as (address, _), tab(browser, address) as page:
        expect(do(page, "server", "drop", endpoint="status")).to_contain_text('"id"')
        expect(scenario(page)).to_have_value(re.compile(r'with: \{ endpoint: "?status"? \}'))
        expect(page.locator(".thing.server")).to_contain_text("drop")
        do(page, "main", "fetchServerStatus")
        expect(page.locator(".events")).to_contain_text("server.faulted")
        close(page)
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
        for scheme, width in [("light", 1400), ("dark", 1400), ("light", 400), ("dark", 400), ("light", 2500)]:
            with tab(browser, address, width=width, scheme=scheme) as page:
                for state in ["bench", "menu", "form", "answer"]:
                    if state == "menu":
                        page.get_by_role("button", name="Actions of phone", exact=True).click()
                    elif state == "form":
                        choose(page, "phone", "setClockSkew")
                    elif state == "answer":
                        do(page, "phone", "setClockSkew", skew="never")
                    found = Axe().run(page)["violations"]
                    told = [(violation["id"], [node["html"][:160] for node in violation["nodes"][:3]]) for violation in found]
                    assert not found, f"{scheme}, {width}, {state}: {json.dumps(told, indent=1)}"
                    assert page.evaluate("document.documentElement.scrollWidth") <= width
                    box = page.locator(".menu").bounding_box() if state != "bench" else None
                    assert not box or (box["x"] >= 0 and box["x"] + box["width"] <= width and box["y"] + box["height"] <= 1000), f"{width}, {state}: {box}"
                    page.screenshot(path=f"{screenshots}/dashboard-{state}-{scheme}-{width}.png", full_page=state == "bench")


run(tests, chromium, screenshots)
