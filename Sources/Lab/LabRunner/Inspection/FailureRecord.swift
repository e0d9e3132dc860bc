internal import Foundation
internal import LabKit
internal import LabSystem
internal import Synchronization

/// Writes down what devices tell at the moment when a scenario fails, before anything ends.
///
/// Thread rule: any thread; blocks for as long as the devices take to answer.
final class FailureRecord<State: InspectedState>: Sendable {
    private let instance: InstanceConnection
    private let path: String
    private let redactor: Redactor
    private let taken = Mutex<Picture?>(nil)

    private struct Picture {
        /// Nil when nobody could be asked, or nothing could be written.
        let state: State?
    }

    /// - Parameters:
    ///   - instance: the instance that runs the scenario.
    ///   - directory: where the scenario is recorded.
    ///   - redactor: masks the scenario's secrets.
    /// - Returns: nil when no device has anything to tell.
    init?(of instance: InstanceConnection, directory: String, redactor: Redactor) {
        guard !State.devices(of: instance.manifest.topology).isEmpty else { return nil }
        self.instance = instance
        self.redactor = redactor
        path = "\(directory)/\(State.fileName)"
    }

    /// Takes the picture, at the first call; the first failure is the one to explain.
    ///
    /// - Returns: What was written down; nil when nothing could be.
    func take() -> State? {
        taken.withLock { taken in
            if let taken { return taken.state }
            // Connections of its own: those of the steps may just be ended.
            let state = State(in: instance, clients: ControlClients(instance.layout))
            let isWritten =
                state.isKnown && (try? Files.write(Data(redactor.redact(state.document()).utf8), to: path)) != nil
            taken = Picture(state: isWritten ? state : nil)
            return isWritten ? state : nil
        }
    }
}

/// Everything that a scenario that fails writes down about its devices.
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

    /// Takes all pictures, at the first call.
    ///
    /// - Returns: What apps shared, and how the links were; nil for what has nothing to tell.
    @discardableResult
    func take() -> (sharing: SharingState?, link: LinkState?) {
        (sharing?.take(), link?.take())
    }
}
