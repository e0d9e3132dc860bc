import LabKit

// The state of a new instance once it has settled.
extension LinkState {
    /// Whether both ends of a link are up, and every app's session shows whether its counterpart is reachable.
    ///
    /// The devices of a new instance are unlocked, so a watch app with an activated session in the foreground and its
    /// phone app reach each other (watch.md, section 9.3).
    ///
    /// - Parameters:
    ///   - link: A link whose devices are in range.
    ///   - told: The last reports of the apps' processes about it.
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
    /// Whether the app uses its watch session.
    fileprivate var isUsed: Bool { isActivated && isForeground && isCounterpartInstalled }

    /// Whether the app's own process shows the state that its device reports. An app without a session shows nothing.
    fileprivate func hasTold(_ told: [String: Bool]) -> Bool {
        !isActivated || told[app] == isReachable
    }
}

extension [TraceEvent] {
    /// The last reachability shown by each app's session.
    var lastReachability: [String: Bool] {
        reduce(into: [:]) { told, event in
            guard event.name == .sessionState else { return }
            told[event.process] = event.fields["reachable"] == .bool(true)
        }
    }
}

extension Topology {
    /// The links whose devices are in range when an instance starts, and which their phones use: the first one of
    /// several watches.
    var linksInUse: [LinkSpec] {
        links.filter { link in link.up && links(of: link.phone).first?.name == link.name }
    }
}
