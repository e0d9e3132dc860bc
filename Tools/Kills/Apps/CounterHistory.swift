// SPDX-License-Identifier: Apache-2.0

package import LabCore
import LabPoints

/// The traces of both apps about counters and the keychain.
package enum CounterHistory {
    /// A rule that the traces break, and when it was broken.
    package struct Offence: Sendable {
        /// When, on `MonotonicClock`.
        let time: UInt64
        let breach: Breach
    }

    private struct Process: Hashable {
        let name: String
        let incarnation: Int
    }

    private struct Counter: Hashable {
        let activationId: String?
        let value: String?
    }

    /// The first broken rule, in the order of time.
    package static func firstOffence(in events: [TraceEvent]) -> Offence? {
        var used: Set<Counter> = []
        // A process that dies during its task has wasted its counter: the signature never left the process.
        var inTask: [Process: [Counter]] = [:]
        var lastChange: Int64 = 0
        for event in events {
            let process = Process(name: event.process, incarnation: event.incarnation)
            func offence(_ expected: String) -> Offence {
                Offence(time: event.time, breach: Breach(expected: expected))
            }
            switch event.name {
            case .counterUsed:
                let counter = Counter(
                    activationId: event.fields["activationId"]?.stringValue,
                    value: event.fields["counter"]?.stringValue)
                inTask[process, default: []].append(counter)
            case .lockReleased where event.fields["lock"]?.stringValue == "status":
                for counter in inTask.removeValue(forKey: process) ?? [] where !used.insert(counter).inserted {
                    return offence(
                        "no counter of a signature is used twice, but \(process.name) has used "
                            + "\(counter.value ?? "?") of the activation \(counter.activationId ?? "?") again")
                }
            case .memoryCreated: lastChange = 0
            case .memoryRepaired where ["noSize", "noContent"].contains(event.fields["cause"]?.stringValue):
                lastChange = 0
            case .counterBumped:
                let change = event.fields["counter"]?.integerValue ?? 0
                guard change > lastChange else {
                    return offence("the change counter only grows, but \(change) came after \(lastChange)")
                }
                lastChange = change
            case .keychainCorrupted: return offence("every item of the keychain is read as it was written")
            default: break
            }
        }
        return nil
    }
}
