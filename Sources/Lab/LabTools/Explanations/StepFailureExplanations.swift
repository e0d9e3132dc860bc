// SPDX-License-Identifier: Apache-2.0

extension Explanation {
    /// The ways in which a step or a scenario can fail.
    static let stepFailures = [
        Explanation(
            "result-differs", .stepFailure, "The command succeeded, but its answer does not match `expect`.",
            causes: [
                "A step before it had another effect than assumed.", "The expectation is too narrow.",
            ],
            advice:
                "Each difference shows the expected and the actual value, at its own place. Objects need only the "
                + "members that are written; `exactly` asks for no more.",
            scenarios: ["failing/result-differs.yaml"], printed: "the result is not as expected"),
        Explanation(
            "command-failed", .stepFailure, "The command was expected to succeed, and ended with an error.",
            causes: ["What the error's name says: `lab explain NAME`."],
            advice: "Ask for the meaning of the error. If the scenario is to show the failure, write "
                + "`fails` with its name.", scenarios: ["failing/request-failed.yaml"], printed: "it failed with "),
        Explanation(
            "success-instead-of-failure", .stepFailure, "The command was expected to fail, and succeeded.",
            causes: ["The cause of the expected failure did not occur, or has ended."],
            advice:
                "The answer is printed. Look at what should prevent it: an armed fault, a lock, a pending operation, "
                + "a wrong password.", scenarios: ["failing/success-instead-of-failure.yaml"],
            printed: "it was expected to fail, but it succeeded with "),
        Explanation(
            "other-failure", .stepFailure, "The command failed as expected, but with another error than `fails` says.",
            causes: ["An earlier check of the SDK or the server refuses first."],
            advice:
                "The difference shows both errors. `fails: { code: … }` can also name `domain`, `message` and members "
                + "of the error's `userInfo`.", scenarios: ["failing/other-error.yaml"],
            printed: "it failed with another error than expected: "),
        Explanation(
            "rule-broken", .stepFailure,
            "A rule that holds for apps with a shared activation in every scenario was broken, whatever the steps expect.",
            causes: [
                "A defect of an SDK or of the lab: two holders of a lock, a counter used twice, an old state, a late answer.",
                "An app or a command has changed the shared state without the other apps' knowledge.",
            ],
            advice: "The events show it, with a column for each process. docs/stress.md lists the rules; an app with a "
                + "quirk is not judged.", printed: "of shared activations is broken: "),
        Explanation(
            "none-of-the-ways", .stepFailure, "The command ended in none of the ways that `either` lists.",
            causes: ["A further outcome was not considered.", "One of the expectations is too narrow."],
            advice: "Each way is listed with its differences.", scenarios: ["failing/none-of-the-ways.yaml"],
            printed: "it ended in none of the "),
        Explanation(
            "answers-differ", .stepFailure, "The commands of `same` did not give the same answer.",
            causes: ["One of the processes does not see what another one has written."],
            advice:
                "Each answer is printed. If it takes a moment until all agree, put `eventually` around it.",
            scenarios: ["failing/answers-differ.yaml"], printed: "the answers are not the same: "),
        Explanation(
            "check-differs", .stepFailure, "A kept value does not match `expect` of `check`.",
            causes: ["The step that kept the value returned another answer."],
            advice: "The difference shows both. The value itself is in `history.jsonl` of the scenario's directory.",
            scenarios: ["failing/value-differs.yaml"], printed: "the value is not as expected"),
        Explanation(
            "no-value", .stepFailure, "A reference has no value when its step runs.",
            causes: ["The answer did not have the member.", "A list was shorter than the reference assumes."],
            advice: "Expect the member where the answer is kept, so that the right step fails.",
            printed: "` has no value"),
        Explanation(
            "never-comes-true", .stepFailure, "The condition of `eventually` was not true within its time.",
            causes: ["It will never be true.", "The time is too short, or the machine slow."],
            advice: "The number of attempts, the first and the last value are printed. What depends on the lab's clock "
                + "needs `advance`, not a longer wait.", scenarios: ["failing/never-comes-true.yaml"],
            printed: " attempts in "),
        Explanation(
            "took-too-long", .stepFailure,
            "The command did not end, or not with success, in the time that `within` allows.",
            causes: ["It waited for a lock that another app held.", "The machine was busy."],
            advice: "The events of the step show what it waited for. `within` is real time.",
            scenarios: ["failing/took-too-long.yaml"], printed: " allowed (`within`)"),
        Explanation(
            "event-does-not-come", .stepFailure, "The event that `waitFor` names is in no trace of the process.",
            causes: ["It comes later.", "Its fields do not match `where`.", "Another process writes it."],
            advice: "The last events of the process are printed; `lab events` lists all events with their fields. Each "
                + "event satisfies one `waitFor`.", scenarios: ["failing/event-does-not-come.yaml"],
            printed: " did not come within "),
        Explanation(
            "does-not-stay", .stepFailure, "The expectation of `stays` was true at first, and later not.",
            causes: ["The rule that the scenario shows is broken.", "Something expires in that time."],
            advice: "The reason states the lab time at which it was seen.", scenarios: ["failing/does-not-stay.yaml"],
            printed: " of lab time"),
        Explanation(
            "wrong-order", .stepFailure, "An event of `order` occurred, but not after the previous one.",
            causes: ["The events before it occur at another time than assumed."],
            advice: "`trace: events` lists what was recorded, in the order of time.", printed: "came only before "),
        Explanation(
            "missing-in-order", .stepFailure, "An event of `order` has not occurred.",
            causes: ["It comes later; wait for it with `waitFor`.", "Its fields do not match `where`."],
            advice: "`trace: events` lists what was recorded, in the order of time.", printed: "did not come at all"),
        Explanation(
            "forbidden-event", .stepFailure, "An event occurred during the steps of `never`.",
            causes: ["The rule that the scenario shows is broken."],
            advice: "The trace shows what led to it; `op` of the event is the number of the step that caused it.",
            scenarios: ["failing/event-comes-that-must-not.yaml"], printed: "but must never come in these steps"),
        Explanation(
            "forbidden-answer", .stepFailure,
            "The command of `never` ended as it must not, before, between or after the steps.",
            causes: ["The rule that the scenario shows is broken."],
            advice: "The reason names the step after which it was seen.",
            printed: "` ended as it must never in these steps"),
        Explanation(
            "wrong-number-of-winners", .stepFailure, "More or fewer branches of a race succeeded than `winners` says.",
            causes: ["Nothing excludes the branches from each other.", "All of them failed for another reason."],
            advice: "The end of each branch is printed. `others` states the error of the losers.",
            scenarios: ["failing/two-winners.yaml"], printed: " branches won: "),
        Explanation(
            "loser-differs", .stepFailure, "A branch lost the race with another error than `others` says.",
            causes: ["The branch failed for a reason that has nothing to do with the race."],
            advice: "The difference shows both errors.", printed: " lost with another error than expected: "),
        Explanation(
            "no-winner", .stepFailure, "A step addresses the winner of a race without a winner.",
            causes: ["`winners: 0`, or a matcher that allows it."],
            advice: "Say `winners: 1` where a winner is needed.",
            printed: "no branch has won the race that keeps "),
        Explanation(
            "race-without-overlap", .stepFailure,
            "The branches of a race did not provably run at the same time, so that the race shows nothing. The scenario is "
                + "inconclusive.",
            causes: ["The commands are too short.", "The machine has one free core."],
            advice: "Give each branch more to do with `repeat`, or hold a process at a fault point with the action "
                + "`delay`, which makes the overlap certain.",
            scenarios: ["failing/race-without-overlap.yaml"], printed: " did not provably run at the same time"),
        Explanation(
            "order-not-kept", .stepFailure,
            "The processes of a block did not come to the places at which its `order` continues them. The scenario is "
                + "inconclusive.",
            causes: [
                "The code passes other fault points than when the order was written.",
                "A step before leaves another state behind, for example one that has to be loaded once more.",
                "A thread that no step waits for passes points, too.",
            ],
            advice: "The reason names the turn and where the processes are. `lab explore` plays all orders, and writes "
                + "the one that fails anew.", printed: " of its order could not be given: "),
        Explanation(
            "order-not-judged", .stepFailure,
            "No order that `orders` plays failed, and one could not be judged. The scenario is inconclusive.",
            causes: [
                "Something outside of the lab's control decided: the order failed once, and then it did not.",
                "An app came to no fault point, or the apps wait for each other.",
            ],
            advice: "The reason states what happened, and the records are those of the order.",
            printed: " could not be judged: "),
        Explanation(
            "orders-not-played", .stepFailure,
            "The time of the scenario was over before all orders of its block were played. The scenario is "
                + "inconclusive.",
            causes: ["The block passes many fault points.", "The machine is slow."],
            advice: "Give `orders` fewer preemptions, or a `budget` to accept what is played within it; "
                + "`--scenario-timeout` raises the limit. `lab explore` plays several orders at the same time.",
            printed: "the exploration takes longer than the limit of the scenario"),
        Explanation(
            "killed-app-not-launched", .stepFailure,
            "An app that the `order` of a block has killed could not be launched again after the block.",
            causes: [
                "The process died in the middle of a change, and left behind what the next one cannot start with.",
                "A step of another branch has uninstalled the app, or launched it.",
            ],
            advice:
                "The rest of the sentence is the error of `launch`; the log of the app is in `logs` of the scenario's "
                + "directory.", printed: " could not be launched again: "),
        Explanation(
            "branches-without-turns", .stepFailure,
            "The branches of a block cannot take turns. The scenario is inconclusive.",
            causes: ["An app of the block runs on the other host.", "The instance is already given turns."],
            advice: "Play all devices of the block on one host.", printed: "its branches cannot take turns: "),
        Explanation(
            "fault-never-fires", .stepFailure,
            "A fault was armed and hit nothing, so that the scenario shows nothing about it.",
            causes: [
                "The process never passes the point; `lab faults` says which kinds do.",
                "No such request was sent, or no such message on the link.",
                "`pass`, `skip` or `every` is too high.",
                "`chance` let all of them pass with this seed; `every` does not depend on the seed.",
                "The process that passes it is another one.",
                "The steps of `during` ended before.",
            ],
            advice: "Arm it right before the step that it is to hit, at the process that the trace names. "
                + "`server: requests` lists what was sent, with the resource of each request; the events `link.sent` "
                + "show messages on a link.",
            scenarios: [
                "failing/fault-never-fires.yaml", "failing/fault-of-a-block-never-fires.yaml",
                "failing/link-fault-hits-nothing.yaml",
            ],
            printed: " never fired, so the scenario shows nothing about it"),
        Explanation(
            "edit-not-made", .stepFailure,
            "`server: edit` met an answer that it could not edit, which left as the server had made it.",
            causes: [
                "A path of `remove` or `replace` leads to a member that the answer does not have.",
                "A path of `add` leads to one that it has.",
                "The member is in another `part` of the answer.",
                "It was another answer, such as that of an error; `skip`, `times` and `endpoint` choose.",
            ],
            advice:
                "The sentence says what stands where the path ends. `server: requests` shows each answer: `content` is "
                + "its `decryptedAnswer`, or its `answer` when nothing was encrypted.",
            scenarios: ["failing/edit-of-nothing.yaml"], printed: "an edit of this step could not be made: "),
        Explanation(
            "fault-not-counted", .stepFailure, "It is not known whether an armed fault has hit anything.",
            causes: ["What the error's name says: `lab explain NAME`."],
            advice:
                "The actor that holds the fault must still answer at the end of the steps; the last events show what it did.",
            printed: "whether the fault of this step has fired is not known: "),
        Explanation(
            "fault-not-ended", .stepFailure, "A fault that was armed for some steps could not be ended after them.",
            causes: ["What the error's name says: `lab explain NAME`."],
            advice: "The actor that holds the fault must still answer; the last events show what it was doing.",
            printed: "the fault of this step could not be ended: "),
        Explanation(
            "process-died", .stepFailure, "The process of an app died unexpectedly.",
            causes: ["It crashed.", "The machine ran out of memory."],
            advice:
                "Its log is in `logs` of the scenario's directory. A process that is meant to die is ended by `kill`, "
                + "`terminate` or a fault.", printed: " died by itself; its log is "),
        Explanation(
            "deaths-unknown", .stepFailure, "It is not known whether a process of an app died by itself.",
            causes: ["The traces cannot be read; the rest of the sentence says why."],
            advice: "Make room, or correct the permissions, and run it again.",
            printed: "whether a process died by itself is not known: "),
        Explanation(
            "event-not-as-declared", .stepFailure,
            "A trace has an event whose fields are not those that the lab declares.",
            causes: ["A defect of the lab, or a program of another version that writes traces."],
            advice: "Use programs of one version; else report it with the file that `lab bundle` packs.",
            printed: "an event of the lab is not as declared: "),
        Explanation(
            "no-reason", .stepFailure, "A step did not end as it should, and no failure was reported for it.",
            causes: ["A defect of the lab: every step that fails has a reason."],
            advice: "Report it with the file that `lab bundle` packs.",
            printed: "a step failed without a reason"),
        Explanation(
            "phase-is-over", .stepFailure, "The steps of `setup` or `tearDown` took longer than they may together.",
            causes: ["One of them waits for something that does not come."],
            advice: "`{ within: 60s, steps: [...] }` gives them more real time.",
            printed: "it did not begin, because "),
        Explanation(
            "lab-does-not-start", .stepFailure,
            "The instance of the scenario could not be started. The scenario is inconclusive.",
            causes: ["A program of the lab is missing; `LAB_BIN` names their folder.", "A port or a path is in use."],
            advice: "The reason names the process, its log is in `logs` of the scenario's directory.",
            printed: "the lab did not start: "),
        Explanation(
            "instance-not-clean", .stepFailure, "Something of the instance was left when the scenario had ended.",
            causes: ["A process could not be ended, or a file not be removed."],
            advice: "The reason names it. Nothing else is needed before the next run: each has an instance of its own.",
            printed: "the instance was not left clean: "),
    ]
}

extension Explanation {
    /// The possible results of a scenario's run.
    static let verdicts = [
        Explanation(
            "passed", .verdict, "Everything was as expected; the exit code of a run in which all pass is 0.",
            advice: "Nothing. A fault that hit nothing or a race without overlap would not have passed."),
        Explanation(
            "failed", .verdict, "Something was not as expected; the exit code is 1.",
            causes: [
                "The app, its SDK or the server does not behave as the scenario states.", "The scenario is wrong.",
            ],
            advice: "Read the failure from the top: the step as written, the difference, the last events of the "
                + "process. The command in the last line runs the same again with the same seed."),
        Explanation(
            "notRun", .verdict, "The scenario was not run; never counted as passed.",
            causes: [
                "The run ended before its turn: it was interrupted, its time was over, or `--fail-fast` stopped it.",
                "The topology lacks what the scenario `requires`.",
                "The set-up that the rows of its table share did not pass.",
            ], advice: "The remark states what the topology lacks. Without one, run it again."),
        Explanation(
            "inconclusive", .verdict,
            "The lab cannot tell; never counted as passed. Without a failed scenario the exit code is 3.",
            causes: [
                "The lab or one of its processes could not be started, or did not answer.",
                "The branches of a race did not run at the same time.", "The run was interrupted.",
            ],
            advice: "Read the reason; logs of all processes are in `logs` of the scenario's directory. On a slow "
                + "machine `LAB_TIME_FACTOR=3` stretches every limit of real time."),
    ]
}
