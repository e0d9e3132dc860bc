"""What the tests of the lab's pages share: they are collected, and run in one headless Chromium."""

import re
import signal
import subprocess
import sys
import traceback
from contextlib import contextmanager

from playwright.sync_api import expect, sync_playwright


def collecting(tests):
    """A decorator that puts a function among some tests."""

    def test(function):
        tests.append(function)
        return function

    return test


@contextmanager
def running_lab(lab):
    """A lab with its page; gives the address of the page, and a function that ends the lab."""
    process = subprocess.Popen([lab, "up", "--dashboard"], stdout=subprocess.PIPE, text=True)

    def end():
        process.send_signal(signal.SIGINT)
        try:
            code = process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise
        assert code == 0, f"the lab exited with code {code}"

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


def run(tests, chromium, screenshots):
    """Runs tests, each with the browser, says how they went, and ends the program: 1 when one failed."""
    failed = 0
    # How long the machine takes decides nothing; the limit only ends a test that waits in vain, as it does for actions.
    expect.set_options(timeout=30_000)
    with sync_playwright() as playwright:
        # A container's root has no sandbox of its own to give.
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for function in tests:
            try:
                function(browser)
                print(f"✓ {function.__name__.replace('_', ' ')}")
            except Exception:
                failed += 1
                print(f"✗ {function.__name__.replace('_', ' ')}\n{traceback.format_exc()}")
        browser.close()
    print(f"{len(tests) - failed} of {len(tests)} passed; screenshots are in {screenshots}")
    sys.exit(1 if failed else 0)
