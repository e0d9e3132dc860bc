// SPDX-License-Identifier: Apache-2.0

package import LabCore
import LabFile
package import LabPoints

/// All actors that a step can address, with their commands.
package struct ActorTable: Sendable {
    private let targets: [String: [Target]]
    /// Names in the order of the topology, built-in actors last.
    package let names: [String]
    /// Names of the errors that only own apps have.
    let ownErrors: [String]
    /// The devices with a watch link, whose agents take turns in a block whose order is decided.
    let linkedDevices: [String]

    package init(_ topology: Topology) {
        var targets: [String: [Target]] = [:]
        var names: [String] = []
        var errors: Set<String> = []
        func add(_ name: String, _ routes: [(ActorKind, Target.Route)]) {
            names.append(name)
            targets[name] = routes.map { Target(actor: name, kind: $0.0, route: $0.1) }
        }
        for device in topology.devices {
            let agent = InstanceEndpoint.agent(device.name)
            for app in device.apps {
                add(
                    app.name,
                    [
                        (app.actorKind, .endpoint(.peer(app.name), about: app.name)),
                        (.process, .endpoint(agent, about: app.name)),
                    ])
                guard let own = app.own?.vocabulary else { continue }
                targets[app.name]?[0].own = own
                errors.formUnion(own.errors)
            }
            add(device.name, [(.device, .endpoint(agent, about: device.name)), (.deviceProcess, .instance)])
        }
        for link in topology.links { add(link.name, [(.link, .endpoint(.agent(link.phone), about: link.name))]) }
        for name in ReservedWords.builtInActors {
            add(
                name,
                Self.builtIn(name).map { kind in
                    (kind, kind == .server ? .endpoint(.server, about: nil) : .instance)
                })
        }
        self.targets = targets
        self.names = names
        ownErrors = errors.sorted()
        linkedDevices = topology.linkedDevices.map(\.name)
    }

    static func builtIn(_ name: String) -> [ActorKind] {
        name == "server" ? [.server, .serverProcess] : ActorKind(rawValue: name).map { [$0] } ?? []
    }

    /// The ways to address a name; nil if unknown.
    package subscript(name: String) -> [Target]? { targets[name] }

    /// The names of actors that understand a command.
    package func names(understanding command: String) -> [String] {
        names.filter { name in
            targets[name]?.contains { $0.command(named: command) != nil } ?? false
        }
    }

    /// The commands that an actor understands in any role; empty if the name is unknown.
    package func commands(of actor: String) -> [CommandDeclaration] { (targets[actor] ?? []).flatMap(\.commands) }

    package func command(named name: String, of actor: String) -> CommandDeclaration? {
        (targets[actor] ?? []).lazy.compactMap { $0.command(named: name) }.first
    }

    /// All commands of all actors, each once.
    package var commands: [CommandDeclaration] {
        var seen: [CommandDeclaration] = []
        for command in names.compactMap({ targets[$0] }).joined().flatMap(\.commands) where !seen.contains(command) {
            seen.append(command)
        }
        return seen
    }

    /// The first actor of one of some kinds; nil if not found.
    package func name(of kinds: Set<ActorKind>) -> String? {
        names.first { name in targets[name]?.contains { kinds.contains($0.kind) } ?? false }
    }

    /// The processes whose traces and faults can be named: apps, devices (their agents) and the server.
    package var processes: [String] { names.filter { owner($0) != nil } }

    /// The kind of the process with a name; nil if no process has the name.
    package func owner(_ name: String) -> FaultPoint.Owner? {
        targets[name]?.lazy.compactMap { target -> FaultPoint.Owner? in
            switch target.kind {
            case .process: .app
            case .device: .device
            case .server: .server
            default: nil
            }
        }.first
    }
}

extension ActorKind {
    /// The kind in a sentence.
    package var title: String {
        switch self {
        case .app: "an app"
        case .app2: "an app with SDK 2.0"
        case .appExtension: "an app extension"
        case .watchApp: "a watch app"
        case .server: "the server"
        case .serverProcess: "the server's process"
        case .process: "a process"
        case .device: "a device"
        case .deviceProcess: "a device's process"
        case .link: "a link"
        case .faults: "`faults`"
        case .clock: "`clock`"
        case .trace: "`trace`"
        }
    }
}
