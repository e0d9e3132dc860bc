internal import LabKit

extension SharingState {
    /// The app to ask about when what apps share may explain a failure; nil when everything is at rest.
    ///
    /// - Parameter actor: who failed.
    func suspect(preferring actor: String?) -> String? {
        let suspects = devices.flatMap(\.activations).filter(\.isInMotion)
        return suspects.contains { activation in actor.map(activation.apps.contains) ?? false }
            ? actor : suspects.first?.apps.first
    }
}

extension InspectSharing.Activation {
    /// Whether an operation is pending, a lock is held or waited for longer than a task takes, or apps refuse the memory.
    fileprivate var isInMotion: Bool {
        let processes = [statusLock, queueLock, operationLock].flatMap { $0.holders + $0.waiting }
        return operation != nil || processes.contains { $0.duration ?? 0 > Self.longestTask }
            || memory.contains { [.wrongMagic, .otherInstance, .wrongVersion].contains($0.state) }
    }

    /// In milliseconds; apps that only work at the same moment are no news.
    private static var longestTask: Int { 200 }
}
