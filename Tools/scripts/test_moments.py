"""Compares the two derivations of the state of an instance: that of a run's page, and that of `lab inspect moment`.

usage: test_moments.py CHROMIUM LAB RUN SCREENSHOTS
RUN is the directory of a kept run of the working directory's lab.yaml, with its page. The moments are those after each kind
of event and answer, several times, and the end of each scenario.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from page_checks import collecting, run

chromium, lab, recorded, screenshots = sys.argv[1:5]
tests = []
test = collecting(tests)

# The moments of all scenarios with the page's state, in the form of the document that `lab inspect moment` prints. What only
# the page shows is left out, and so is what only the document has: where a guaranteed message is whose sender was not told.
MOMENTS = """async () => {
    const wanted = 4, shortest = 4;
    const all = [...run.results.keys()], seen = new Map(), moments = [];
    await loadTimelines(all);
    const describe = (model, time) => {
        const state = model.states.at(model.states.cursorAt(time)), { cast } = model;
        const age = (fact) => (time - fact.time) / 1e3;
        const fact = (subject, name) => state.facts.get(`${subject}: ${name}`);
        const named = (subject, kind, form) => state.list(subject, `${kind} `).map(form);
        const names = model.lanes.filter((lane) => lane.device !== 'scenario').map((lane) => lane.name);
        const apps = cast.devices.flatMap((device) => cast.appsOf(device.name));
        const operations = [...state.facts].filter(([key]) => key.endsWith(': pending operation')).map(([key, pending]) => {
            const subject = key.slice(0, -': pending operation'.length);
            return { type: pending.value, app: state.get(subject, 'owner of the operation').match(/\\((.*)\\)$/)[1],
                memory: subject.match(/^shared page (.*)/)?.[1] ?? null, milliseconds: age(pending) };
        });
        return {
            processes: names.filter((name) => ![undefined, 'not installed'].includes(state.get(name, 'process'))).map((name) => {
                const [, incarnation, pid] = state.get(name, 'start').match(/^number (\\d+)(?:, pid (\\d+))?/);
                return { name, incarnation: Number(incarnation), pid: pid == null ? null : Number(pid), state: state.get(name, 'process') };
            }),
            sessions: apps.map((app) => {
                const activation = state.get(app, 'activation'), counter = state.get(app, 'counter');
                return { app, hasActivation: activation == null ? null : activation !== 'none', counter: counter == null ? null : Number(counter),
                    tokens: named(app, 'token', ({ name }) => name).sort() };
            }).filter((session) => session.hasActivation != null || session.counter != null || session.tokens.length),
            keychain: cast.devices.flatMap((device) => named(device.name, 'keychain', ({ name, value }) =>
                ({ device: device.name, item: name, writer: value.match(/^written by (.*), event/)[1] }))),
            locks: apps.flatMap((app) => named(app, 'lock', (held) => ({ lock: held.name, app, isHeld: held.value === 'holds', milliseconds: age(held) }))),
            operations,
            activations: named('server', 'activation', ({ name, value }) => ({ activationId: name, status: value })),
            requests: apps.flatMap((app) => named(app, 'request', (request) => ({ app, path: request.value, milliseconds: age(request) }))),
            links: cast.links.map((link) => ({ link: link.name, endsThatAreUp: link.ends.filter((end) => state.get(link.name, `end ${end}`) === 'up').sort() }))
                .filter((link) => link.endsThatAreUp.length),
            watchSessions: apps.filter((app) => fact(app, 'watch session')).map((app) => ({ app, state: state.get(app, 'watch session') })),
            lockedDevices: cast.devices.map((device) => device.name).filter((name) => fact(name, 'screen')),
            clock: state.get('clock', "lab's clock")?.split(', ')[0] ?? null,
        };
    };
    for (const index of all) {
        const model = timelineOf(index), { id } = run.results[index], own = new Set();
        const begin = model.record.history[0].t;
        const happened = [...model.events.map(({ time, name }) => ({ time, what: name })),
            ...model.commands.map(({ t, actor, command }) => ({ time: t, what: `${model.cast.kindOf(actor)}: ${command}` }))].sort((one, other) => one.time - other.time);
        happened.forEach(({ time, what }, place) => {
            const next = happened[place + 1]?.time ?? Infinity;
            // Both count the time from the begin of the scenario, in whole microseconds.
            if (time < begin || next - time < shortest) return;
            if (next < Infinity && (own.has(what) || (seen.get(what) ?? 0) >= wanted)) return;
            own.add(what);
            seen.set(what, (seen.get(what) ?? 0) + 1);
            const moment = Math.round(next < Infinity ? (time + next) / 2 : time + shortest);
            moments.push({ scenario: id, at: moment - begin, what, state: describe(model, moment) });
        });
    }
    return { moments, kinds: [...seen.keys()] };
}"""


def printed(scenario, at):
    """What `lab inspect moment` prints, with the words of the page where it has its own."""
    command = [lab, "inspect", "moment", scenario, "--at", f"{at}us", "--run", Path(recorded).name, "--lab", "lab.yaml", "--json"]
    state = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)

    def paired(session):
        if not session["isPaired"]:
            return "not paired"
        return "counterpart not installed" if not session["isInstalled"] else "reachable" if session["isReachable"] else "not reachable"

    def word(process):
        reason = process.get("reason", "ended").removeprefix("signal ")
        return process["state"] if process["state"] != "ended" or reason == "ended" else f"ended: {reason}"

    clock = state.get("clock")
    rate = clock and ("stands still" if clock["isFrozen"] else "runs" if clock["rate"] == 1 else f"runs {clock['rate']} times as fast")
    return {
        "processes": [{"name": one["name"], "incarnation": one["incarnation"], "pid": one.get("pid"), "state": word(one)} for one in state["processes"]],
        "sessions": [{"app": one["app"], "hasActivation": one.get("hasActivation"), "counter": one.get("counter"), "tokens": sorted(one["tokens"])} for one in state["sessions"]],
        "keychain": [{"device": one.get("device"), "item": f"{one['accessGroup']} {one['service'].split('.')[-1]} {one['account']}", "writer": one["writer"]} for one in state["keychain"]],
        "locks": state["locks"],
        "operations": [{"memory": None, **one} for one in state["operations"]],
        "activations": [{"activationId": one["activationId"], "status": ", ".join(filter(None, [one["status"], one.get("reason")]))} for one in state["activations"]],
        "requests": state["requests"],
        "links": [{"link": one["link"], "endsThatAreUp": sorted(one["endsThatAreUp"])} for one in state["links"] if one["endsThatAreUp"]],
        "watchSessions": [{"app": one["app"], "state": paired(one)} for one in state["watchSessions"]],
        "lockedDevices": state["lockedDevices"],
        "clock": rate,
    }


def comparable(part):
    """The rows of a part of the state, sorted, and their ages, which the page has in whole microseconds."""
    if not isinstance(part, list):
        return part, []
    rows = sorted((json.dumps({**one, "milliseconds": None}, sort_keys=True), one.get("milliseconds", 0)) if isinstance(one, dict) else (one, 0) for one in part)
    return [row for row, _ in rows], [age for _, age in rows]


def difference(name, page, document):
    """What differs in a part of the state; None if nothing does."""
    (rows, ages), (other, others) = comparable(page), comparable(document)
    if rows == other and all(abs(one - two) < 0.01 for one, two in zip(ages, others)):
        return None
    return f"{name}: on the page {page}, printed {document}"


@test
def the_page_and_lab_inspect_moment_know_the_same_at_each_moment(browser):
    # The script of the page keeps all it knows to itself.
    text = (Path(recorded) / "index.html").read_text()
    before, end, after = text.rpartition("})();\n</script>")
    with tempfile.TemporaryDirectory() as folder:
        opened = Path(folder) / "index.html"
        opened.write_text(f"{before}window.moments = {MOMENTS};\n{end}{after}")
        page = browser.new_page()
        page.goto(opened.as_uri())
        page.wait_for_selector("h1")
        found = page.evaluate("moments()")
        page.close()
    differences = []
    for moment in found["moments"]:
        document = printed(moment["scenario"], moment["at"])
        assert document.keys() == moment["state"].keys()
        for name, part in moment["state"].items():
            if differing := difference(name, part, document[name]):
                differences.append(f"{moment['scenario']}, {moment['at']} µs, after {moment['what']}: {differing}")
    print(f"  {len(found['moments'])} moments after {len(found['kinds'])} kinds of events and answers")
    assert not differences, "\n".join(differences)


run(tests, chromium, screenshots)
