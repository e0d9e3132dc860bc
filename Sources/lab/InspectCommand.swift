import ArgumentParser
import LabRunner

/// `lab inspect`: looks into an instance without disturbing it.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Looks into a running instance, or into the moment of a failure.",
        subcommands: [Sharing.self])

    /// `lab inspect sharing main`.
    struct Sharing: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows what apps share: memory, locks, a pending operation, keychain items without values.",
            discussion:
                "No lock is taken and no app is asked, so it answers while they wait or sleep. docs/sharing.md tells what it means."
        )

        @Argument(help: "An app that shares its activation, or an app group.")
        var target: String

        @OptionGroup var options: InstanceOptions

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
            if failure != nil, options.instance != nil {
                throw ValidationError("--failure and --instance are different moments; ask for one")
            }
        }

        func run() throws {
            try ImmediateEnd.onSignals()
            guard let failure else { return try show(SharingState(in: options.find()).about(target)) }
            let recorded = try RecordedRuns(labFile: lab, near: failure)
                .sharing(atFailureOf: failure, run: runIdentifier)
            if !json { Console.print("when \(recorded.scenario) failed in run \(recorded.run):") }
            try show(recorded.state.about(target))
        }

        private func show(_ state: SharingState) throws {
            guard !json else { return Console.write(try state.rendered(), to: 1) }
            for line in state.lines { Console.print(line) }
        }
    }
}
