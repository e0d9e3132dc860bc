import LabKit

extension SharingState {
    /// The app to inspect if the shared state may explain a failure; nil if everything is idle.
    ///
    /// - Parameter actor: the actor that failed.
    func suspect(preferring actor: String?) -> String? {
        let suspects = devices.flatMap(\.activations).filter(\.isInMotion)
        return suspects.contains { activation in actor.map(activation.apps.contains) ?? false }
            ? actor : suspects.first?.apps.first
    }
}

extension InspectSharing.Activation {
    /// Whether an operation is pending, a lock is held or waited for longer than a task takes, or apps reject the
    /// memory.
    fileprivate var isInMotion: Bool {
        let processes = [statusLock, queueLock, operationLock].flatMap { $0.holders + $0.waiting }
        return operation != nil || processes.contains { $0.duration ?? 0 > Self.longestTask }
            || memory.contains { [.wrongMagic, .otherInstance, .wrongVersion].contains($0.state) }
    }

    /// In milliseconds; apps that merely work at the same time are not reported.
    private static var longestTask: Int { 200 }
}
