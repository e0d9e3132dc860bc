"""Reads a JUnit report by two parsers and compares it with the JSON report of the same run.

usage: test_reports.py JUNIT JSON
"""

import json
import sys
import xml.etree.ElementTree as tree

from junitparser import Error, Failure, JUnitXml, Properties, Skipped

OUTCOMES = {Failure: "failed", Error: "inconclusive", Skipped: "skipped"}


def expected(result):
    """How a build server must treat a result."""
    if result["verdict"] == "passed":
        return "passed"
    if "quarantine" in result or result["verdict"] == "notRun" and "remark" in result:
        return "skipped"
    return "inconclusive" if result["verdict"] == "notRun" else result["verdict"]


def by_junitparser(path):
    """Identifier, outcome and text of each case."""
    cases = []
    for suite in JUnitXml.fromfile(path):
        for case in suite:
            identifier = next(each.value for each in case.child(Properties) if each.name == "scenario")
            outcomes = [OUTCOMES[type(each)] for each in case.result]
            text = "".join(each.text or "" for each in case.result) + (case.system_out or "")
            cases.append((identifier, outcomes[0] if outcomes else "passed", text))
    return cases


def by_element_tree(path):
    """The same."""
    names = {"failure": "failed", "error": "inconclusive", "skipped": "skipped"}
    cases = []
    for case in tree.parse(path).getroot().iter("testcase"):
        identifier = case.find("properties/property[@name='scenario']").get("value")
        outcomes = [each for each in case if each.tag in names]
        text = "".join(each.text or "" for each in outcomes) + (case.findtext("system-out") or "")
        cases.append((identifier, names[outcomes[0].tag] if outcomes else "passed", text))
    return cases


def main(junit, report):
    results = json.load(open(report))["results"]
    assert results, "a run without results shows nothing"
    for cases in (by_junitparser(junit), by_element_tree(junit)):
        told = [(identifier, outcome) for identifier, outcome, _ in cases]
        wanted = [(result["id"], expected(result)) for result in results]
        assert told == wanted, f"{junit}: {told} instead of {wanted}"
        for result, (_, _, text) in zip(results, cases):
            for failure in result["failures"]:
                # The terminal's text: every failure with its reason and the command that plays it again.
                for part in (failure["reason"], failure["replay"]):
                    assert part in text, f"{junit}: {result['id']} does not say {part!r}"
    root = tree.parse(junit).getroot()
    for name, word in (("failures", "failed"), ("errors", "inconclusive"), ("skipped", "skipped")):
        count = sum(expected(result) == word for result in results)
        assert root.get(name) == str(count), f"{junit}: {name}={root.get(name)} instead of {count}"


main(*sys.argv[1:])
