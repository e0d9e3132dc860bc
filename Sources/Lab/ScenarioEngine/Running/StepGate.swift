// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabFile
import LabPoints
import LabSystem
package import ScenarioLanguage
import Synchronization

/// Pauses a run before its steps until a person continues it.
///
/// During a pause lab time stands still, so that nothing expires. The person sees the next step, tries other steps, and
/// inspects the instance from other terminals.
///
/// Thread rule: any thread that may block; one run at a time.
package final class StepGate: Sendable {
    private let points: PausePoints
    private let printer: ProgressPrinter
    private let input: ConsoleInput
    private let interruption: Interruption
    private let state: Mutex<State>

    private struct State {
        /// Whether to stop before the next step.
        var isStepping: Bool
        /// The time of the last event that was checked.
        var looked: UInt64 = 0
        /// The instance whose first stop was announced.
        var announced = ""
    }

    /// - Parameter interruption: Ends the waiting; set when the person ends the run.
    package init(_ points: PausePoints, printer: ProgressPrinter, input: Int32, interruption: Interruption) {
        self.points = points
        self.printer = printer
        self.input = ConsoleInput(input)
        self.interruption = interruption
        state = Mutex(State(isStepping: points.everyStep))
    }

    /// Waits until the run may continue with a step.
    package func pass(before step: Step, of run: ScenarioRun, in instance: InstanceConnection) {
        guard !interruption.isSet else { return }
        let event = newEvent(in: instance)
        guard event != nil || points.include(step) || state.withLock({ $0.isStepping }) else { return }
        instance.clock.whileFrozen {
            printer.whileAsking {
                announce(step, after: event, of: run, in: instance)
                waitForWord(in: instance, of: run)
            }
        }
    }

    /// The first event to stop at that has occurred since the last check.
    private func newEvent(in instance: InstanceConnection) -> TraceEvent? {
        guard !points.events.isEmpty else { return nil }
        let all = (try? TraceReader.readAll(instance.manifest.tracesDirectory)) ?? []
        return state.withLock { state in
            defer { state.looked = max(state.looked, all.last?.time ?? 0) }
            return all.first { $0.time > state.looked && points.events.contains($0.name.rawValue) }
        }
    }

    private func announce(_ step: Step, after event: TraceEvent?, of run: ScenarioRun, in instance: InstanceConnection)
    {
        let isFirst = state.withLock { state in
            defer { state.announced = instance.manifest.id }
            return state.announced != instance.manifest.id
        }
        let cause = event.map { "after \($0.name.rawValue) of \($0.process), " } ?? ""
        let actor = instance.manifest.topology.apps.first?.name ?? "server"
        let advice = """
              Enter: this step. c: on to the next stop. q: end. Or a step to try now, as in `lab shell`: \(actor) hasValidActivation
              From another terminal: lab exec --instance \(instance.manifest.id) \(actor) hasValidActivation

            """
        printer.print(
            """
            paused \(cause)before step \(step.path) at \(step.place.label)
              \(run.redactor.redact(step.sentence(knowing: run.known) ?? step.title))

            """ + (isFirst ? advice : ""))
    }

    /// Reads lines until one continues the run.
    private func waitForWord(in instance: InstanceConnection, of run: ScenarioRun) {
        var tried: LiveSteps?
        defer { tried?.stop() }
        while let line = input.line(interruption: interruption) {
            switch line.trimmed {
            case "": return state.withLock { $0.isStepping = true }
            case "c": return state.withLock { $0.isStepping = false }
            case "q": return interruption.set(because: "ended at a stop")
            case let text:
                do {
                    let steps = try tried ?? run.liveSteps(in: instance)
                    tried = steps
                    printer.print(run.redactor.redact(try steps.answer(to: text)) + "\n")
                } catch {
                    printer.print("error: \(run.redactor.redact("\(error)"))\n")
                }
            }
        }
        // The input has ended, so no line can continue the run.
        interruption.set(because: "the input ended at a stop")
    }
}

extension LiveSteps {
    /// Carries out a line as `lab shell` does, and prints the result.
    fileprivate func answer(to line: String) throws -> String {
        switch try perform(try yaml(line)) {
        case .refused(let complaints): redactor.redact(complaints.trimmed)
        case .done(_, let answer): answer.map { redactor.redact($0).prettyPrinted() } ?? "done"
        case .failed(let failures, _, _):
            failures.map { FailureText(isColoured: false).render($0).trimmed }.joined(separator: "\n")
        }
    }
}

/// Lines typed by a person. Thread rule: one thread at a time.
final class ConsoleInput: Sendable {
    private let descriptor: Int32
    private let buffer = Mutex<[UInt8]>([])

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// The next line; nil at the end of the input, or if the run was interrupted.
    package func line(interruption: Interruption) -> String? {
        guard let bell = try? EventDescriptor() else { return nil }
        return interruption.reaching({ bell.signal() }) {
            while true {
                if let line = takeLine() { return line }
                guard let readable = try? Polling.waitReadable([descriptor, bell.rawDescriptor]), !readable[1] else {
                    return nil
                }
                var bytes = [UInt8](repeating: 0, count: 4096)
                let count = read(descriptor, &bytes, bytes.count)
                guard count > 0 else { return nil }
                buffer.withLock { $0 += bytes[..<count] }
            }
        }
    }

    private func takeLine() -> String? {
        buffer.withLock { buffer in
            guard let end = buffer.firstIndex(of: 0x0A) else { return nil }
            defer { buffer.removeFirst(end + 1) }
            return String(decoding: buffer[..<end], as: UTF8.self)
        }
    }
}
