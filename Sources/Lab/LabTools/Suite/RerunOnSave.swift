// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LabFile
import LabSystem
public import ScenarioEngine
import ScenarioLanguage

/// Runs scenarios, and reruns those of which a file is saved: `lab run --watch`.
///
/// Thread rule: `run` is called once, on a thread that may block.
public final class RerunOnSave: Sendable {
    private let options: RunOptions
    private let environment: [String: String]
    private let printer: ProgressPrinter
    private let interruption: Interruption
    private let keyboard: Int32?
    private let writeErrors: @Sendable (String) -> Void

    /// A session.
    /// - Parameters:
    ///   - interruption: Ends the session when set.
    ///   - keyboard: A terminal that returns each key at once; nil without a keyboard.
    public init(
        options: RunOptions, environment: [String: String] = ProcessInfo.processInfo.environment,
        printer: ProgressPrinter, interruption: Interruption, keyboard: Int32?,
        writeErrors: @escaping @Sendable (String) -> Void
    ) {
        self.options = options
        self.environment = environment
        self.printer = printer
        self.interruption = interruption
        self.keyboard = keyboard
        self.writeErrors = writeErrors
    }

    /// The event that ends the wait between two runs.
    private enum Wish {
        case end
        case everything
        case files(Set<String>)
    }

    /// Runs until the session is ended.
    /// - Returns: The outcome of the last run; ``RunOutcome/interrupted`` after an interruption.
    public func run() throws -> RunOutcome {
        let bell = try EventDescriptor()
        return try interruption.reaching({ bell.signal() }) {
            // The first run covers everything; a run that an error has prevented is made up for.
            var due: Set<String>?
            var fixed: RunOptions?
            while true {
                fixed = fixed ?? fixedOptions
                let options = fixed ?? options
                // Before the files are read, so that changes made meanwhile are not missed.
                let watches = try directories(of: options).map(DirectoryWatch.init)
                let outcome = SuiteRunner(
                    options: options, environment: environment, changes: due.map(ChangedFiles.init), printer: printer,
                    interruption: interruption, writeErrors: writeErrors
                ).run()
                if interruption.isSet { return .interrupted }
                if outcome != .badInput { due = [] }
                let keys = keyboard == nil ? "Ctrl-C ends" : "Enter runs all again, q ends"
                printer.print("\nwatching for changes; \(keys)\n")
                switch try wait(for: watches, bell: bell) {
                case .end: return interruption.isSet ? .interrupted : outcome
                case .everything: due = nil
                case .files(let files): due?.formUnion(files)
                }
            }
        }
    }

    /// The options, with the scenarios selected from records given by name: each run writes a record, which would
    /// change the selection of the next one. Nil while nothing can be selected.
    private var fixedOptions: RunOptions? {
        guard options.lastFailed || options.slowest != nil || options.neverPlayed else { return options }
        // The first run reports the error.
        let search = SuiteSearch(options: options, environment: environment, print: { _ in }, writeErrors: { _ in })
        guard let found = search.find(), !found.scenarios.isEmpty else { return nil }
        var fixed = options
        (fixed.lastFailed, fixed.slowest, fixed.neverPlayed) = (false, nil, false)
        // These filters are applied already; the remaining scenarios need not match every tag.
        (fixed.filter, fixed.tags) = (nil, [])
        let root = Files.directory(of: found.labFile)
        fixed.paths = found.scenarios.map { ScenarioPath.path(ofScenario: $0.id, inProject: root) }
        return fixed
    }

    /// The folders of all files of the scenarios.
    private func directories(of options: RunOptions) -> [String] {
        let suite = SuiteReader(
            labPath: options.labFile, environment: environment, settings: options.settings
        ).read(options.paths)
        let files = suite.inputs + suite.scenarios.flatMap(\.includes)
        let given = options.paths.filter(Files.isDirectory)
        return Set((files.map(Files.directory) + given).map { IncludedFiles.identity(of: $0) }).sorted()
    }

    private func wait(for watches: [DirectoryWatch], bell: EventDescriptor) throws -> Wish {
        var saved: Set<String> = []
        while true {
            // An editor writes a file in several steps, and people save several files at once.
            let patience: Int64? = saved.isEmpty ? nil : 50_000_000
            let readable = try Polling.waitReadable(
                [bell.rawDescriptor, keyboard ?? -1] + watches.map(\.rawDescriptor), timeoutNanoseconds: patience)
            if readable[0] { return .end }
            if readable[1], let wish = readKey() { return wish }
            if !readable.contains(true) { return .files(saved) }
            for (watch, hasChanges) in zip(watches, readable.dropFirst(2)) where hasChanges {
                // After an overflow it is unknown which files were saved.
                guard let names = try watch.changes() else { return .everything }
                saved.formUnion(names.filter { $0.hasSuffix(".yaml") }.map { "\(watch.path)/\($0)" })
            }
        }
    }

    private func readKey() -> Wish? {
        var key: UInt8 = 0
        // A closed terminal reads as the end of the input.
        guard let keyboard, read(keyboard, &key, 1) == 1 else { return .end }
        switch key {
        case UInt8(ascii: "q"): return .end
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return .everything
        default: return nil
        }
    }
}
