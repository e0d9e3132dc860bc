import Foundation
import LabKit
import LabSystem
import Synchronization

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

    /// - Parameters:
    ///   - instance: the instance that runs the scenario.
    ///   - directory: where the scenario is recorded.
    ///   - redactor: masks the scenario's secrets.
    /// - Returns: nil if no device has anything to report.
    init?(of instance: InstanceConnection, directory: String, redactor: Redactor) {
        guard !State.devices(of: instance.manifest.topology).isEmpty else { return nil }
        self.instance = instance
        self.redactor = redactor
        path = "\(directory)/\(State.fileName)"
    }

    /// Records the state at the first call: the first failure is the one to explain.
    ///
    /// - Returns: The recorded state; nil if nothing could be recorded.
    func take() -> State? {
        taken.withLock { taken in
            if let taken { return taken.state }
            // Uses connections of its own: those of the steps may just be ending.
            let state = State(in: instance, clients: ControlClients(instance.layout))
            let isWritten =
                state.isKnown && (try? Files.write(Data(redactor.redact(state.document()).utf8), to: path)) != nil
            taken = Picture(state: isWritten ? state : nil)
            return isWritten ? state : nil
        }
    }
}

/// Everything that a failing scenario records about its devices.
struct FailureRecords: Sendable {
    private let sharing: FailureRecord<SharingState>?
    private let link: FailureRecord<LinkState>?

    /// - Parameters:
    ///   - instance: the instance that runs the scenario.
    ///   - directory: where the scenario is recorded.
    ///   - redactor: masks the scenario's secrets.
    init(of instance: InstanceConnection, directory: String, redactor: Redactor) {
        sharing = FailureRecord(of: instance, directory: directory, redactor: redactor)
        link = FailureRecord(of: instance, directory: directory, redactor: redactor)
    }

    /// Records all states, at the first call.
    ///
    /// - Returns: The state shared by apps, and the state of the links; nil where there is nothing to report.
    @discardableResult
    func take() -> (sharing: SharingState?, link: LinkState?) {
        (sharing?.take(), link?.take())
    }
}
