"""Draws the page of a running instance, after some commands, into a PNG file.

usage: live_picture.py CHROMIUM LAB FILE
"""

import json
import os
import subprocess
import sys

from page_checks import running_lab
from playwright.sync_api import expect, sync_playwright

chromium, lab, file = sys.argv[1:4]

with running_lab(lab) as (address, _), sync_playwright() as playwright:
    # A container's root has no sandbox of its own to give.
    browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
    page = browser.new_page(viewport={"width": 1400, "height": 1000}, color_scheme="light")
    page.goto(address)
    instance = page.locator("#where").inner_text()

    def do(*words):
        """Carries out a command in the instance; gives its answer."""
        command = [lab, "exec", "--instance", instance, *words]
        answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, "PASSWORD": "1234"}).stdout
        return json.loads(answer) if answer.strip() else None

    code = do("server", "initActivation", "userId=alice")
    do("main", "createActivation", f"activationCode={code['activationCode']}")
    do("main", "persistActivation", "password=env:PASSWORD")
    do("server", "commitActivation", f"activationId={code['activationId']}")
    do("main", "fetchActivationStatus")
    do("pairing", "down")
    do("wallet", "kill")
    bench = page.locator(".bench")
    for words in ("ACTIVE", "out of range", "ended"):
        expect(bench).to_contain_text(words, timeout=30_000)
    bench.screenshot(path=file)
    browser.close()
