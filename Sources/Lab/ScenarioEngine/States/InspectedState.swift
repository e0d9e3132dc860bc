// SPDX-License-Identifier: Apache-2.0

package import Foundation
import LabControl
package import LabCore
import LabSystem
import LabVocabulary
import ScenarioLanguage
import Synchronization

/// The state of an instance's devices at one moment, as they report it: printed by `lab inspect`, and kept when a
/// scenario fails.
package protocol InspectedState: Codable, Sendable {
    /// What one device reports.
    associatedtype Device: InspectedDevice

    /// The file that keeps it, in the directory of a failed scenario.
    static var fileName: String { get }
    /// What has such a state, as an error names it.
    static var subject: String { get }
    /// The devices that have something to report.
    var devices: [Device] { get }
    /// The lines for people.
    var lines: [String] { get }

    /// The devices of a topology that have something to report.
    static func devices(of topology: Topology) -> [DeviceSpec]

    /// Asks the devices.
    /// - Parameter clients: connections that stay open when those of the steps end.
    init(in connection: InstanceConnection, clients: ControlClients)
}

/// The state of one device.
package protocol InspectedDevice: Codable, Sendable {
    /// Why the state is unknown; nil if the device has answered.
    var problem: String? { get }
}

extension InspectedState {
    /// Asks the devices of an instance. No app is asked, and no lock is taken, so it works even if the apps hang.
    ///
    /// Thread rule: any thread; blocks.
    package init(in connection: InstanceConnection) { self.init(in: connection, clients: connection.clients) }

    /// Whether any device has answered.
    package var isKnown: Bool { devices.contains { $0.problem == nil } }

    /// Reads the output of ``rendered()``.
    package init(reading data: Data) throws { self = try JSONDecoder().decode(Self.self, from: data) }

    /// The document for programs, with sorted keys.
    package func rendered() throws -> String {
        try JSONTextEncoder.document(self) + "\n"
    }
}

/// The answer of a device, or why there is no answer.
enum DeviceAnswer<Result: Sendable>: Sendable {
    case told(Result)
    case silent(String)

    /// How long a device may take to answer, in real time.
    private static var patience: LabDuration { .milliseconds(500).stretched }

    /// Asks a device; no app is asked.
    init<C: Command>(to command: C.Type, of device: String, in connection: InstanceConnection, clients: ControlClients)
    where C.Result == Result {
        do {
            let reply = try connection.ask(
                .agent(device), ControlRequest(command: C.name, actor: device), timeout: Self.patience, over: clients)
            self = .told(try reply.get().decode())
        } catch let error as ControlError {
            self = .silent(error.message)
        } catch {
            self = .silent(String(describing: error))
        }
    }
}

/// Records the state that devices report when a scenario fails, before anything ends.
///
/// Thread rule: any thread; blocks for as long as the devices take to answer.
final class FailureRecord<State: InspectedState>: Sendable {
    private let instance: InstanceConnection
    private let path: String
    private let redactor: Redactor
    private let taken = Mutex<Picture?>(nil)

    private struct Picture {
        /// Nil when no device could be asked, or nothing could be written.
        let state: State?
    }

    /// Nil if no device has anything to report.
    init?(of instance: InstanceConnection, directory: String, redactor: Redactor) {
        guard !State.devices(of: instance.manifest.topology).isEmpty else { return nil }
        self.instance = instance
        self.redactor = redactor
        path = "\(directory)/\(State.fileName)"
    }

    /// Records the state at the first call: the first failure is the one to explain. Nil if nothing could be recorded.
    package func take() -> State? {
        taken.withLock { taken in
            if let taken { return taken.state }
            // Uses connections of its own: those of the steps may just be ending.
            let state = State(in: instance, clients: ControlClients(instance.layout))
            let isWritten =
                state.isKnown && (try? Files.write(Data(redactor.redact(state.rendered()).utf8), to: path)) != nil
            taken = Picture(state: isWritten ? state : nil)
            return isWritten ? state : nil
        }
    }
}

/// Everything that a failing scenario records about its devices.
struct FailureRecords: Sendable {
    private let sharing: FailureRecord<SharingState>?
    private let link: FailureRecord<LinkState>?

    init(of instance: InstanceConnection, directory: String, redactor: Redactor) {
        sharing = FailureRecord(of: instance, directory: directory, redactor: redactor)
        link = FailureRecord(of: instance, directory: directory, redactor: redactor)
    }

    /// Records all states at the first call; gives the shared activation and the link that may explain the failure of a
    /// step of `actor`, as `lab inspect` names them.
    func suspects(preferring actor: String?) -> (sharing: String?, link: String?) {
        (sharing?.take()?.suspect(preferring: actor), link?.take()?.suspect())
    }
}

/// The layout of what `lab inspect` prints: lines under headings.
package enum InspectionText {
    package static func rows(_ heading: String, _ lines: [String]) -> [String] {
        zip([heading] + Array(repeating: "", count: max(0, lines.count - 1)), lines).map(row)
    }

    package static func row(_ heading: String, _ text: String) -> String {
        "  \(heading.padding(toLength: 16, withPad: " ", startingAt: 0))\(text)"
    }

    /// A length of time, given in milliseconds.
    package static func time(_ milliseconds: Int) -> String {
        abs(milliseconds) < 1000 ? "\(milliseconds) ms" : String(format: "%.1f s", Double(milliseconds) / 1000)
    }
}
