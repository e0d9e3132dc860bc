// SPDX-License-Identifier: Apache-2.0

import Foundation
public import LabControl
import LabCore
import LabReports
import LabSystem
import ScenarioEngine
import ScenarioLanguage
import Synchronization

/// The part of a topology that `lab up` plays.
public enum LabPart: Sendable {
    /// All of it.
    case whole
    /// The server and some devices; the lab of another host joins with the rest.
    case owner(devices: [String], listen: JoinAddress, keyPath: String?)
    /// The devices that an owner on another host leaves, or some of them.
    case guest(devices: [String], join: JoinAddress, keyPath: String)

    /// Reads the options of `lab up`.
    /// - Throws: ``BadUsage`` if they exclude each other.
    public static func read(only devices: [String], listen: String?, join: String?, key: String?) throws -> LabPart {
        switch (listen, join) {
        case (nil, nil):
            guard devices.isEmpty, key == nil else {
                throw BadUsage(
                    sentence: "--only and --key belong to a lab of two hosts: add --listen HOST:PORT on the one with "
                        + "the phone, --join tcp://HOST:PORT on the other")
            }
            return .whole
        case (let listen?, nil):
            guard !devices.isEmpty else {
                throw BadUsage(
                    sentence: "--listen needs to know what is played here: add --only with the name of each phone")
            }
            return .owner(devices: devices, listen: try address(listen, of: "--listen"), keyPath: key)
        case (nil, let join?):
            guard let key else {
                throw BadUsage(sentence: "--join needs --key with the file that `lab up --listen` has named")
            }
            let address = try address(join, of: "--join")
            guard address.port != 0 else { throw BadUsage(sentence: "--join needs a port, tcp://HOST:PORT") }
            return .guest(devices: devices, join: address, keyPath: key)
        case (_?, _?):
            throw BadUsage(sentence: "a lab listens or joins, not both: write --listen or --join")
        }
    }

    private static func address(_ text: String, of option: String) throws -> JoinAddress {
        guard let address = JoinAddress(text) else {
            throw BadUsage(sentence: "\(option) takes an address such as tcp://192.0.2.7:7700, not `\(text)`")
        }
        return address
    }

    /// Does the work of `lab up` for this part.
    func play(in session: InteractiveSession) throws -> RunOutcome {
        switch self {
        case .whole:
            return try session.holdOwn { own in
                try own.instance.start()
                session.introduce(own.instance, end: "Ctrl-C ends it.")
                return {}
            }
        case .owner(_, let address, let keyPath):
            return try session.holdOwn { own in
                let path = keyPath ?? "\(Files.directory(of: own.labFile))/.lab/join.key"
                return try session.listen(at: address, keyPath: Files.absolute(path), for: own.instance)
            }
        case .guest(let devices, let address, let keyPath):
            guard session.topology == nil, session.seed == nil else {
                throw BadUsage(sentence: "topology and seed are set by the lab that is joined; specify them there")
            }
            return try session.join(address, keyPath: keyPath, devices: devices)
        }
    }

    /// The topology to start, and what is played here; nil for all of it. An owner's links to the other host are over
    /// TCP, each at one of the ports after the one where it listens.
    /// - Throws: ``BadUsage`` for an unknown device, or one that another host cannot play.
    func arranged(_ topology: Topology) throws -> (Topology, HostAssignment?) {
        guard case .owner(let devices, let listen, _) = self else { return (topology, nil) }
        let known = topology.devices.map(\.name)
        for name in devices where !known.contains(name) {
            throw BadUsage(
                sentence: "the topology has no device `\(name)`\(suggestion(for: name, among: known)); there are "
                    + JoinHost.list(known))
        }
        guard !topology.devices.allSatisfy({ devices.contains($0.name) }) else {
            throw BadUsage(sentence: "--only names every device, so that nothing is left to another host")
        }
        if let phone = topology.devices.first(where: { $0.kind == .phone && !devices.contains($0.name) }) {
            throw BadUsage(
                sentence: "the phone `\(phone.name)` must be played where the server is: add --only \(phone.name), and "
                    + "leave watches to the other host")
        }
        var (topology, addresses) = (topology, [String: String]())
        for index in topology.links.indices where !devices.contains(topology.links[index].watch) {
            topology.links[index].transport = .tcp
            addresses[topology.links[index].name] = "\(listen.next(addresses.count + 1))"
        }
        return (topology, HostAssignment(side: .owner, devices: devices, linkAddresses: addresses))
    }
}

// Two hosts: `lab up` listens on one of them and joins on the other.
extension InteractiveSession {
    /// Starts the owner's instance and lets the other host's lab in.
    /// - Returns: the action to perform before the instance is stopped.
    func listen(
        at address: JoinAddress, keyPath: String, for instance: LabInstance
    ) throws -> @Sendable () -> Void {
        try Files.createDirectory(Files.directory(of: keyPath), mode: 0o755)
        let host = try JoinHost(at: address, keyPath: keyPath, instance: instance.connection, notify: printError)
        let end: @Sendable () -> Void = {
            host.close()
            // The key can no longer be used for joining.
            try? Files.remove(keyPath)
        }
        do {
            try instance.start()
        } catch {
            end()
            throw error
        }
        let away = instance.connection.host.awayDevices.map(\.name)
        introduce(instance, end: "Ctrl-C ends it.")
        let links = (instance.manifest.share?.linkAddresses ?? [:]).sorted { $0.key < $1.key }
        print(
            "Listening at \(host.address) for the lab of \(JoinHost.list(away)), encrypted, for holders of the key only:"
        )
        for (link, address) in links {
            print("  the link \(link) at \(address.hasSuffix("*") ? "a free port beside it" : address)")
        }
        let shownHost = ["0.0.0.0", "*"].contains(address.host) ? ProcessInfo.processInfo.hostName : address.host
        let shown = JoinAddress(host: shownHost, port: host.address.port)
        let only = away.map { "--only \($0)" }.joined(separator: " ")
        print("Copy \(ScenarioPath.shortened(keyPath)) to the other host, and join there:")
        print("  lab up \(only) --join \(shown) --key \(Files.name(of: keyPath))")
        host.open()
        return end
    }

    /// Joins an owner's lab, and plays a part of it until one of them ends.
    func join(_ address: JoinAddress, keyPath: String, devices: [String]) throws -> RunOutcome {
        let guest: JoinGuest
        do {
            guest = try JoinGuest(address, key: try JoinKey.read(keyPath), devices: devices, interruption: interruption)
        } catch let error as JoinError {
            if interruption.isSet { return .interrupted }
            printError("error: \(error)")
            return .inconclusive
        }
        let found = labFile ?? SuiteReader.findLabFile(near: ".")
        let path = found.map(Files.absolute)
        let base = path.map { Files.directory(of: $0) } ?? Files.absolute(".")
        let ownerEnd = Mutex<JoinGuest.End?>(nil)
        let welcome = guest.welcome
        let records = try RunDirectory.create(in: "\(base)/.lab", keeping: RunOptions(paths: []).keptRuns)
        let instance = try LabInstance(
            topology: welcome.topology, runDirectory: records.path, seed: welcome.seed,
            executables: try Executables.find(), labFile: path,
            share: HostAssignment(side: .guest, devices: welcome.devices, bootsBefore: welcome.bootsBefore))
        let outcome = try hold(instance, keeping: records) {
            do {
                try guest.prepare(instance.connection)
                try instance.start()
            } catch {
                guest.close()
                throw error
            }
            print("Joined the lab \(welcome.instance) at \(address)")
            introduce(instance, end: "Ctrl-C ends this part.")
            try guest.serve(notify: printError) { [interruption] end in
                ownerEnd.withLock { $0 = end }
                interruption.set(because: "the lab that was joined has ended")
            }
            return { guest.close() }
        }
        switch ownerEnd.withLock({ $0 }) {
        case nil: return outcome
        case .farewell(let reason):
            printError("The lab at \(address) has ended this one: \(reason)")
            return outcome
        case .gone(let reason):
            printError("error: lost the lab at \(address): \(reason)")
            return .inconclusive
        }
    }
}
