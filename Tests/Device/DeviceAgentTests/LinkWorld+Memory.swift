import SimulatedDevice

@testable import DeviceAgent

/// Sees what happens in a ``LinkWorld``, in order.
protocol LinkWorldObserver: AnyObject {
    /// A change is on the disk of an end.
    func stored(_ change: LinkChange, at end: LinkWorld.End)
    /// Something is being done for an end.
    func carriedOut(_ effect: LinkEffect, at end: LinkWorld.End)
}

/// How devices and apps lose their memory. Each does what the agent does, in the same order.
extension LinkWorld {
    /// The app is taken off its device, or put back.
    func setInstalled(_ isInstalled: Bool, at end: End) throws {
        if !isInstalled { try killApp(of: end) }
        end.isInstalled = isInstalled
        try input(.installationChanged(end.app, isInstalled: isInstalled), at: end)
    }

    /// The device becomes as new; the apps of the topology are on it.
    ///
    /// - Parameter epoch: With which the outbox begins, and on a phone the next pairing.
    func erase(_ end: End, epoch: UInt64, crashesAfterStore: Bool = false) throws {
        try killApp(of: end)
        end.role = .active
        end.isInstalled = true
        try input(.erased(epoch: epoch), at: end, crashesAfterStore: crashesAfterStore)
        try input(.role(.active), at: end)
        try input(.installationChanged(end.app, isInstalled: true), at: end)
    }

    /// The phone ends the pairing.
    func unpair(epoch: UInt64, crashesAfterStore: Bool = false) throws {
        phone.role = .unpaired
        try input(.unpaired(epoch: epoch), at: phone, crashesAfterStore: crashesAfterStore)
    }

    /// The phone uses the watch from now on, pairs it anew, or stops using it.
    func play(_ role: LinkRole) throws {
        phone.role = role
        try input(.role(role), at: phone)
    }
}
