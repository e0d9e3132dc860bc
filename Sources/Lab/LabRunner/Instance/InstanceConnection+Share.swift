import LabKit
import LabSystem

// Differences when the labs of two hosts play a topology together.
extension InstanceConnection {
    /// Maximum real time for a guest to acknowledge a state.
    private static let settlePatience = LabDuration.seconds(5).stretched

    /// The destination of a command. Commands that only the runner of a device's host can carry out go there.
    func route(of target: Target) -> Target.Route {
        guard target.kind == .deviceProcess, !manifest.isGuest, !manifest.plays(target.actor) else {
            return target.route
        }
        return .endpoint(.agent(target.actor), about: target.actor)
    }

    /// Why an actor cannot be addressed here; nil when it can. Only a guest refuses: every actor can be addressed at
    /// the owner.
    func refusal(of target: Target) -> ControlError? {
        guard manifest.isGuest else { return nil }
        let isHere =
            switch target.kind {
            case .trace: true
            case .clock, .faults, .server, .serverProcess: false
            case .device, .deviceProcess: manifest.plays(target.actor)
            case .app, .appExtension, .watchApp, .process:
                manifest.topology.app(named: target.actor).map { manifest.plays($0.device.name) } ?? false
            case .link: manifest.topology.link(named: target.actor).map { manifest.plays($0.phone) } ?? false
            }
        return isHere
            ? nil
            : ControlError(
                .notHere,
                message: "`\(target.actor)` belongs to the lab that this one has joined; give the command there")
    }

    /// Waits until the joined lab has applied the changes made here.
    func settleGuest() {
        guard manifest.share?.side == .owner else { return }
        // A guest that does not answer gets the state when it reconnects.
        _ = try? clients[.join].call(ControlRequest(command: "settle"), timeout: Self.settlePatience)
    }
}
