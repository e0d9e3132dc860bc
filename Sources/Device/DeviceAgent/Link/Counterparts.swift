import LabKit

/// Which app talks to which over a link.
enum Counterparts {
    /// For each app of `device` that has a counterpart on the other device: the counterpart's name.
    ///
    /// A watch app accompanies the phone app that it names as its host, or else the phone's first app.
    static func of(device: String, link: LinkSpec, topology: Topology) -> [String: String] {
        guard let phone = topology.device(named: link.phone), let watch = topology.device(named: link.watch) else {
            return [:]
        }
        let phoneApps = phone.apps.filter { $0.kind == .app }
        var pairs: [String: String] = [:]
        for watchApp in watch.apps where watchApp.kind == .watchApp {
            let host = watchApp.host.map { host in phoneApps.first { $0.name == host } } ?? phoneApps.first
            guard let host else { continue }
            if device == link.watch {
                pairs[watchApp.name] = host.name
            } else if pairs[host.name] == nil {
                pairs[host.name] = watchApp.name
            }
        }
        return pairs
    }
}
