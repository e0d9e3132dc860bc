import LabChecks
import LabKit
import LabSystem

/// The record of a stress run, which may have ended long ago or have been killed.
public struct RecordedStress: Sendable {
    /// Absolute path of the record.
    private let root: String
    /// Absolute paths of the traces, one for each round.
    private let traces: [String]

    /// The record at a path.
    ///
    /// - Parameter path: The run's directory, or that of a round.
    /// - Returns: nil if no stress run is recorded there.
    public init?(at path: String) {
        let root = Files.absolute(path)
        guard Files.isDirectory(root), let names = try? Files.list(root) else { return nil }
        let rounds = names.filter { $0.wholeMatch(of: #/round-\d+/#) != nil }
        let directories = ["\(root)/traces"] + rounds.map { "\(root)/\($0)/traces" }
        self.root = root
        traces = directories.filter { Files.exists("\($0)/\(StressRound.driver)#1.jsonl") }
        if traces.isEmpty { return nil }
    }

    /// Checks the record against the rules again. A damaged record makes the verdict inconclusive.
    ///
    /// - Parameters:
    ///   - look: The style of the output.
    ///   - print: Takes pieces of text, in order.
    public func check(look: OutputStyle, print: (String) -> Void) throws -> RunOutcome {
        var verdict = Examination.Verdict.passed
        do {
            // The checksums lie beside the rounds.
            for directory in [root, Files.directory(of: root)] { try RecordChecksums.verify(directory) }
        } catch let damage as DamagedRecord {
            print("inconclusive: \(damage)\n")
            verdict = .inconclusive
        }
        for directory in traces {
            let outcome = try StressRound.examine(traces: directory)
            verdict = max(verdict, outcome.examination.verdict)
            print(
                StressReport(isColoured: look.isColoured).render(
                    outcome, title: Files.name(of: Files.directory(of: directory)), isQuiet: look.isQuiet))
        }
        return RunOutcome(verdict)
    }
}
