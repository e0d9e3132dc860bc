// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabFile
import LabPoints
import ScenarioLanguage
import Synchronization

// A set-up that the rows of a table share: one run carries it out, the others begin with its state.
extension ScenarioRun {
    /// Takes over what the run of a shared set-up knows.
    func adopt(_ knowledge: SharedSetup.Knowledge) {
        knowledge.secrets.forEach(redactor.insert)
        for fault in knowledge.faults { armedFaults.add(fault) }
        record.withLock { $0.skipped = knowledge.skipped }
    }

    /// Records a shared set-up as one step, during which the instance gets its state.
    func recording(_ knowledge: SharedSetup.Knowledge, _ body: () throws -> Void) rethrows {
        let steps = scenario.setup?.steps ?? []
        let lines = steps.first.map { first in
            let begin = recordSource(of: first)
            return HistoryEvent.SourceLines(
                file: begin.file, line: begin.line, column: begin.column,
                lastLine: steps.last?.place.range.end.line ?? begin.lastLine, includedAt: nil)
        }
        let sentence =
            "the state that the set-up has left, which was carried out once for all rows; its record is in \(knowledge.record) of the run"
        history.record(
            .stepStarted(.init(title: "setup", sentence: sentence), lines), step: Phase.setupPrefix)
        var isFine = false
        defer { history.record(.stepFinished(isFine: isFine), step: Phase.setupPrefix) }
        try body()
        isFine = true
    }

    /// Carries out the set-up only, in an instance whose state rows begin with.
    /// - Parameters:
    ///   - record: The directory of this run, relative to that of the whole run.
    ///   - labVersion: The version of this lab.
    /// - Returns: The result, and the state if the set-up has passed.
    func prepare(record path: String, labVersion: String) -> (ScenarioResult, SharedSetup?) {
        var bindings: Bindings?
        var instance: LabInstance?
        let result = inInstance { own in
            try own.start()
            let kept = perform(.setup, in: own.connection, events: own.events)
            ScenarioTraffic(instance: own.connection, redactor: redactor).record(in: directory)
            guard failures.isEmpty else { return }
            guard !interruption.isSet else {
                return failures.stopped(because: interruption.reason, verdict: .inconclusive)
            }
            do {
                try InstanceSnapshots(of: own.connection, labVersion: labVersion).takeLast(SharedSetup.name)
                bindings = kept
            } catch {
                failures.fail("the state after the set-up could not be kept: \(error)", verdict: .inconclusive)
            }
        } end: { own in
            guard bindings != nil else { return own.end(isKept: record.withLock { $0.isKept }) }
            instance = own.handOver()
            return []
        }
        guard let bindings, let instance else { return (result, nil) }
        guard result.verdict == .passed, let events = storedStates(in: instance) else {
            _ = instance.stop()
            return (self.result(seconds: result.seconds, launches: result.launches), nil)
        }
        let knowledge = SharedSetup.Knowledge(
            bindings: bindings, secrets: redactor.secrets, faults: armedFaults.all,
            skipped: record.withLock { $0.skipped }, storedStates: events, record: path)
        return (result, SharedSetup(knowledge, in: instance, labVersion: labVersion))
    }

    /// The events of an instance that show which activations its apps have stored; nil with a failure if they cannot be read.
    private func storedStates(in instance: LabInstance) -> [TraceEvent]? {
        do {
            return try TraceReader.readAll(instance.manifest.tracesDirectory) { $0.name == .keychainWritten }
        } catch {
            failures.fail("the traces of the set-up cannot be read: \(error)", verdict: .inconclusive)
            return nil
        }
    }
}
