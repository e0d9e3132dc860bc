internal import Foundation
internal import LabKit
internal import LabSystem
internal import Synchronization

/// Writes down what apps share at the moment when a scenario fails, before anything ends.
///
/// Thread rule: any thread; blocks for as long as the devices take to answer.
final class SharingRecord: Sendable {
    /// The file, in the directory of the scenario.
    static let fileName = "sharing.json"

    private let instance: InstanceConnection
    private let path: String
    private let redactor: Redactor
    private let taken = Mutex<Picture?>(nil)

    private struct Picture {
        /// Nil when nobody could be asked, or nothing could be written.
        let state: SharingState?
    }

    /// - Parameters:
    ///   - instance: the instance that runs the scenario.
    ///   - directory: where the scenario is recorded.
    ///   - redactor: masks the scenario's secrets.
    /// - Returns: nil when no app shares anything.
    init?(of instance: InstanceConnection, directory: String, redactor: Redactor) {
        guard !SharingState.devices(of: instance.manifest.topology).isEmpty else { return nil }
        self.instance = instance
        self.redactor = redactor
        path = "\(directory)/\(Self.fileName)"
    }

    /// Takes the picture, at the first call; the first failure is the one to explain.
    ///
    /// - Returns: What was written down; nil when nothing could be.
    func take() -> SharingState? {
        taken.withLock { taken in
            if let taken { return taken.state }
            // Connections of its own: those of the steps may just be ended.
            let state = SharingState(in: instance, clients: ControlClients(instance.layout))
            let isKnown = state.devices.contains { $0.problem == nil }
            let isWritten = isKnown && (try? Files.write(Data(redactor.redact(state.rendered()).utf8), to: path)) != nil
            taken = Picture(state: isWritten ? state : nil)
            return isWritten ? state : nil
        }
    }
}
