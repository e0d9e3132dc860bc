import Foundation
public import LabKit
import LabSystem

/// The part of a topology that `lab up` plays.
public enum LabPart: Sendable {
    /// All of it.
    case whole
    /// The server and some devices; the lab of another host joins with the rest.
    case owner(devices: [String], listen: JoinAddress, keyPath: String?)
    /// The devices that an owner on another host leaves, or some of them.
    case guest(devices: [String], join: JoinAddress, keyPath: String)

    /// Reads the options of `lab up`.
    ///
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

    /// The owner's part of a topology, and the topology with the links between the hosts over TCP.
    ///
    /// - Parameters:
    ///   - devices: the devices that it plays.
    ///   - listen: the listening address; each link between the hosts uses one of the following ports.
    /// - Throws: ``BadUsage`` for an unknown device, or one that another host cannot play.
    static func share(
        of topology: Topology, devices: [String], listen: JoinAddress
    ) throws -> (Topology, HostAssignment) {
        let known = topology.devices.map(\.name)
        for name in devices where !known.contains(name) {
            let advice = nearest(name, among: known).map { "; did you mean `\($0)`?" } ?? ""
            throw BadUsage(
                sentence: "the topology has no device `\(name)`\(advice); there are \(JoinHost.list(known))")
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
