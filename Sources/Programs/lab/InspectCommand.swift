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

        func run() throws {
            try ImmediateEnd.onSignals()
            guard let failure = moment.failure else { return try show(SharingState(in: moment.instance.find())) }
            let recorded = try moment.runs(of: failure).sharing(atFailureOf: failure, run: moment.runIdentifier)
            moment.announce(recorded)
            try show(recorded.state)
        }

        private func show(_ state: SharingState) throws {
            let part = try state.about(target)
            moment.show(part.lines, document: try part.rendered())
        }
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

        func run() throws {
            try ImmediateEnd.onSignals()
            guard let failure = moment.failure else { return try show(LinkState(in: moment.instance.find())) }
            let recorded = try moment.runs(of: failure).link(atFailureOf: failure, run: moment.runIdentifier)
            moment.announce(recorded)
            try show(recorded.state)
        }

        private func show(_ state: LinkState) throws {
            let part = try state.about(target)
            moment.show(part.lines, document: try part.rendered())
        }
    }

    /// `lab inspect moment login.yaml --at 3`.
    struct Moment: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Shows what held after a step of a recorded scenario: processes, activations, keychain, locks, links.",
            discussion:
                "It is built from the trace, so it shows what the processes have recorded by then. docs/running.md shows an example."
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

    /// The recorded runs beside a scenario.
    func runs(of failure: String) throws -> RecordedRuns { try RecordedRuns(labFile: lab, near: failure) }

    /// Says which failure is shown.
    func announce(_ recorded: RecordedState<some Sendable>) {
        if !json { Console.print("when \(recorded.scenario) failed in run \(recorded.run):") }
    }

    /// Prints the lines for people, or the document for programs.
    func show(_ lines: [String], document: String) {
        guard !json else { return Console.write(document, to: 1) }
        for line in lines { Console.print(line) }
    }
}
