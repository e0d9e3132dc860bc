"""What the tests of the lab's pages share: they are collected, and run in one headless Chromium."""

import sys
import traceback

from playwright.sync_api import expect, sync_playwright


def collecting(tests):
    """A decorator that puts a function among some tests."""

    def test(function):
        tests.append(function)
        return function

    return test


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
