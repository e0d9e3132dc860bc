internal import LabKit

// What holds when a new instance is at rest.
extension LinkState {
    /// Whether both ends of a link are up, and the session of every app shows whether its counterpart can be reached.
    ///
    /// The devices of a new instance are open, so a watch app that has activated its session and is in the foreground is
    /// reached by its phone app, and reaches it (watch.md, section 9.3).
    ///
    /// - Parameters:
    ///   - link: A link whose devices are in range.
    ///   - told: What the apps' processes have told last about it.
    func isSettledAtStart(_ link: LinkSpec, told: [String: Bool]) -> Bool {
        guard let phone = end(of: link, at: link.phone), let watch = end(of: link, at: link.watch), phone.isUp,
            watch.isUp
        else { return false }
        return watch.apps.allSatisfy { $0.isReachable == $0.isUsed && $0.hasTold(told) }
            && phone.apps.allSatisfy { app in
                let counterpart = watch.apps.first { $0.app == app.counterpart }
                return app.isReachable == (app.isActivated && counterpart?.isUsed == true) && app.hasTold(told)
            }
    }

    private func end(of link: LinkSpec, at device: String) -> InspectLink.End? {
        devices.first { $0.name == device }?.links.first { $0.link == link.name }
    }
}

extension InspectLink.App {
    /// Whether the app looks at its watch session.
    fileprivate var isUsed: Bool { isActivated && isForeground && isCounterpartInstalled }

    /// Whether the app's own process shows what its device says. One without a session shows nothing.
    fileprivate func hasTold(_ told: [String: Bool]) -> Bool {
        !isActivated || told[app] == isReachable
    }
}

extension [TraceEvent] {
    /// What each app's session has shown last about the reach of its counterpart.
    var lastReachability: [String: Bool] {
        reduce(into: [:]) { told, event in
            guard event.name == .sessionState else { return }
            told[event.process] = event.fields["reachable"] == .bool(true)
        }
    }
}

extension Topology {
    /// The links whose devices are in range when an instance starts, and which their phones use: of several watches the
    /// first one.
    var linksInUse: [LinkSpec] {
        links.filter { link in link.up && links(of: link.phone).first?.name == link.name }
    }
}
