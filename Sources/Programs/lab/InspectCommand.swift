// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LabReports
import ScenarioEngine

/// `lab inspect`: looks into an instance without disturbing it.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Looks into a running instance, or into a moment of a recorded scenario.",
        subcommands: [Sharing.self, Link.self, Moment.self])

    /// `lab inspect sharing main`.
    struct Sharing: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows what apps share: memory, locks, a pending operation, keychain items without values.",
            discussion:
                "No lock is taken and no app is asked, so it answers while they wait or sleep. docs/sharing.md explains the output."
        )

        @Argument(help: "An app that shares its activation, or an app group.")
        var target: String

        @OptionGroup var moment: MomentOptions

        func run() throws { try moment.show { (state: SharingState) in try state.about(target) } }
    }

    /// `lab inspect link phone`.
    struct Link: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the link between phone and watch as both see it: queues, messages, conditions.",
            discussion:
                "Contents are never shown, and no app is asked, so it answers while they sleep. docs/watch-link.md explains the output."
        )

        @Argument(help: "A device, or a link; everything when left out.")
        var target: String?

        @OptionGroup var moment: MomentOptions

        func run() throws { try moment.show { (state: LinkState) in try state.about(target) } }
    }

    /// `lab inspect moment login.yaml --at 3`.
    struct Moment: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Shows what held after a step of a recorded scenario: processes, activations, keychain, locks, links.",
            discussion:
                "It is built from the trace and the answers to commands, so it shows what was recorded by then. docs/running.md shows an example."
        )

        @Argument(help: "The scenario's file, or a row as in login.yaml[wrong-pin].")
        var scenario: String

        @Option(
            help:
                "After which step, as reports number them, or how long after the beginning, such as 150ms; the step that failed, or the last one, when left out."
        )
        var at: String?

        @Option(name: .customLong("run"), help: "Identifier of the run; otherwise the last one with the scenario.")
        var runIdentifier: String?

        @Option(help: "The lab file; otherwise lab.yaml is looked for upwards from the scenario.")
        var lab: String?

        @Flag(help: "Print JSON with a version, for programs.")
        var json = false

        func run() throws {
            try ImmediateEnd.onSignals()
            let moment = try RecordedRuns(labFile: lab, near: scenario).moment(
                of: scenario, at: at, run: runIdentifier)
            guard !json else { return Console.write(try moment.rendered(), to: 1) }
            for line in moment.lines { Console.print(line) }
        }
    }
}

/// Which moment is looked at, and for whom it is printed.
struct MomentOptions: ParsableArguments {
    @OptionGroup var instance: InstanceOptions

    @Option(help: "What was recorded when this scenario failed, instead of a running instance.")
    var failure: String?

    @Option(
        name: .customLong("run"),
        help: "With --failure: identifier of the run; otherwise the last one with such a failure.")
    var runIdentifier: String?

    @Option(help: "With --failure: the lab file; otherwise lab.yaml is looked for upwards from the scenario.")
    var lab: String?

    @Flag(help: "Print JSON with a version, for programs.")
    var json = false

    func validate() throws {
        if failure == nil, runIdentifier != nil || lab != nil {
            throw ValidationError("--run and --lab belong to --failure, which names the scenario")
        }
        if failure != nil, instance.instance != nil {
            throw ValidationError("--failure and --instance are different moments; ask for one")
        }
    }

    /// Prints a part of the state: its lines for people, or its document for programs.
    func show<State: InspectedState>(_ part: (State) throws -> State) throws {
        try ImmediateEnd.onSignals()
        let shown = try part(state())
        guard !json else { return Console.write(try shown.rendered(), to: 1) }
        for line in shown.lines { Console.print(line) }
    }

    /// The state of the instance, or the recorded one.
    private func state<State: InspectedState>() throws -> State {
        guard let failure else { return try State(in: instance.find()) }
        let recorded: RecordedState<State> = try RecordedRuns(labFile: lab, near: failure).state(
            atFailureOf: failure, run: runIdentifier)
        if !json { Console.print("when \(recorded.scenario) failed in run \(recorded.run):") }
        return recorded.state
    }
}
