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
