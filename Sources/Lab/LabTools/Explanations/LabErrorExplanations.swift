// SPDX-License-Identifier: Apache-2.0

extension Explanation {
    /// The errors of the lab itself.
    static let labErrors = [
        Explanation(
            "badArgument", .labError, "The arguments do not fit the command, and nothing was done.",
            causes: ["A value that is known only in the run has another type, or lies outside of a limit."],
            advice: "The message names the parameter; `lab steps` lists all of them.",
            scenarios: ["sharing/inspection-of-damaged-memory.yaml"]),
        Explanation(
            "badReply", .labError, "A program answered, and the answer breaks the protocol or its own vocabulary.",
            causes: [
                "A user's own program in another language does not follow the page about own apps.",
                "Its vocabulary declares another `result` than the program has.",
            ],
            advice: "The message shows the answer. docs/own-app.md describes the messages."),
        Explanation(
            "badRequest", .labError, "A message on a control socket is not a valid request.",
            causes: ["A program other than the lab wrote to the socket, or one of another version."],
            advice: "Build all programs of the lab from one version."),
        Explanation(
            "cancelled", .labError,
            "`cancelRequest` has cancelled the request that the command waited for. Its completion is not called.",
            causes: ["A step did so, or a person at the prompt of the process."],
            advice: "Nothing, if intended. Ask the server whether it has carried out the request.",
            references: ["sharing.md, section 7.9"], scenarios: ["sharing/cancelled-request-blocks-no-other.yaml"]),
        Explanation(
            "failed", .labError, "The command failed, and its error has no name of its own.",
            causes: ["An error of the system, such as a full disk.", "An error of a library below the SDK."],
            advice: "Match `message`."),
        Explanation(
            "interrupted", .labError, "The wait was ended before the answer came.",
            causes: ["Ctrl-C.", "The instance is ending."], advice: "Run it again."),
        Explanation(
            "notHere", .labError, "The actor belongs to the lab that this one has joined.",
            causes: ["A command for it was given to the lab of the other host."],
            advice: "Give the command to the lab that owns the topology."),
        Explanation(
            "notJoined", .labError, "The actor is played on another host, whose lab has not joined.",
            causes: ["That lab was not started, or has ended."], advice: "`lab up --join` on the other host joins it."),
        Explanation(
            "notRunning", .labError, "The app has no process that could carry the command out.",
            causes: ["It was ended or uninstalled, or has `autostart: false`."],
            advice: "`launch` an app before; `switchOn` starts a device.",
            scenarios: ["watch/devices-crash-and-start-again.yaml"]),
        Explanation(
            "peerDied", .labError,
            "The process died before it answered. It is unknown how much of the command was carried out.",
            causes: ["A fault with `action: kill`, or a command that kills it.", "It crashed."],
            advice:
                "Its log is in `logs` of the scenario's directory, its last events are in its trace. `relaunch` starts an "
                + "app again, `switchOn` a device, `restart` the server.",
            scenarios: ["faults/server-dies-before-a-commit.yaml"]),
        Explanation(
            "suspended", .labError, "The process is suspended, and answers nothing until it is resumed.",
            causes: ["A step suspended it, or the device did."], advice: "`resume` it before."),
        Explanation(
            "timedOut", .labError, "The process is running, and did not answer in time.",
            causes: [
                "It is suspended, or held by a fault with `action: delay`.",
                "It waits for a lock that another app holds.",
                "It waits for the owner to answer a dialog.", "The machine is slow.",
            ],
            advice: "`lock.requested` without `lock.taken` in the trace shows a lock, `biometry.prompted` a dialog. "
                + "`LAB_TIME_FACTOR` stretches the limit."),
        Explanation(
            "unknownCommand", .labError, "The process has no such command.",
            causes: ["A command for another kind of actor was sent by hand."],
            advice: "`lab steps` lists the commands of each kind of actor."),
    ]

    /// The errors of a device's agent.
    static let deviceErrors = [
        Explanation(
            "BadDeviceToken", .deviceError, "The device token of a push is that of the other push service.",
            causes: [
                "`pushEnvironment` of the app in lab.yaml, `production` by default, is neither that of the registration "
                    + "nor, where the registration names none, that of the server."
            ],
            advice: "Register the token with its environment, or set `pushEnvironment` of the server.",
            scenarios: ["push/token-of-the-other-push-service.yaml"]),
        Explanation(
            "internal", .deviceError, "The agent of the device is in an invalid state.",
            causes: .unreachable("no scenario causes it. It would be a defect of the lab."),
            advice: "Report it with the trace and the log of the agent."),
        Explanation(
            "launchFailed", .deviceError, "The process of an app could not be started, or ended while starting.",
            causes: ["The app is not installed.", "A fault killed it while it started.", "Its program is missing."],
            advice: "The message contains its last output; the rest is in its log.",
            scenarios: ["sdk/reinstallation-and-reboot.yaml"]),
        Explanation(
            "unknownActor", .deviceError, "The device has no such app or link.",
            causes: .unreachable("the lab sends a device the commands of its own actors only."),
            advice: "The message lists the actors of the device."),
        Explanation(
            "unknownDeviceToken", .deviceError, "No app on the device has the device token of a push.",
            causes: ["The app was uninstalled or installed anew.", "The device was erased.", "Another device has it."],
            advice: "`registerForRemoteNotifications` of the app returns its current token.",
            scenarios: ["push/reinstalled-app-has-another-token.yaml"]),
        Explanation(
            "wrongState", .deviceError, "The device or the app is in a state that does not allow the command.",
            causes: [
                "Installing an installed app, resuming a running one, answering a dialog that is not open, opening a "
                    + "notification that is not shown."
            ],
            advice: "The message names the state; `processes` of the device lists all of them.",
            scenarios: ["push/opened-notification-launches-the-app.yaml"]),
    ]
}
