import Foundation
import LabKit
import LabSystem
import Synchronization

// Two hosts: `lab up` listens on one of them and joins on the other.
extension InteractiveSession {
    /// Starts the owner's instance and lets the other host's lab in.
    ///
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
        let away = instance.manifest.awayDevices.map(\.name)
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
    func join(
        _ address: JoinAddress, keyPath: String, devices: [String], labFile: String?
    ) throws -> RunOutcome {
        let guest: JoinGuest
        do {
            guest = try JoinGuest(
                address, key: try JoinKey.read(keyPath), devices: devices, interruption: interruption)
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
        let outcome = try hold(instance, keeping: records) { instance in
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
