// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Who can reach a server, and how it is protected.
public struct ListenPolicy: Sendable {
    /// A server that would be open to the network.
    public struct Refusal: Error, CustomStringConvertible {
        /// Where it would listen.
        public let host: String
        /// The missing command-line options.
        public let missing: [String]

        public var description: String {
            """
            listening on \(host) opens the server to other machines, and \(missing.joined(separator: " and ")) \
            \(missing.count == 1 ? "is" : "are") missing. Add \(missing.count == 1 ? "it" : "them"), or --insecure \
            (in a settings file `insecure: true`) if everybody there may see and change everything, or listen on \
            127.0.0.1.
            """
        }
    }

    /// Who can reach the server and with which access, in one line.
    public let summary: String
    /// Its addresses and names for other machines; without loopback.
    let hosts: [HostName]
    private let host: HostName
    private let scheme: String

    /// Decides whether a configuration may be started.
    /// - Throws: ``Refusal``.
    public init(_ configuration: ServerConfiguration) throws {
        let host = HostName(configuration.host)
        self.host = host
        let (isEncrypted, isRestricted) = (
            configuration.certificate != nil, configuration.policy.isBackOfficeRestricted
        )
        scheme = isEncrypted ? "https" : "http"
        let names = configuration.hostNames.map(HostName.init)
        guard !host.isLoopback else {
            summary = "this machine"
            hosts = names
            return
        }
        let missing = (isRestricted ? [] : ["--restrict-access"]) + (isEncrypted ? [] : ["--tls"])
        guard missing.isEmpty || configuration.isInsecureAllowed else {
            throw Refusal(host: configuration.host, missing: missing)
        }
        hosts = names + (host.isEveryAddress ? Self.addressesOfThisMachine : [host])
        let tools = configuration.hasLabPowers ? "back office and /lab" : "back office"
        summary = """
            other machines, \(isEncrypted ? "over TLS" : "in the clear"); \
            \(tools) \(isRestricted ? "to integrations only" : "to everybody")
            """
    }

    /// The root of all services as this machine reaches it.
    func url(port: Int) -> String {
        let local = host.isEveryAddress ? HostName(host.text == "::" ? "::1" : "127.0.0.1") : host
        return "\(scheme)://\(local.inURL):\(port)"
    }

    /// The root of all services as other machines reach it; empty when they do not.
    public func addresses(port: Int) -> [String] {
        host.isLoopback ? [] : hosts.map { "\(scheme)://\($0.inURL):\(port)" }
    }

    /// Those of its interfaces, without loopback and without those that lead to one link only.
    private static var addressesOfThisMachine: [HostName] {
        let devices = (try? System.enumerateDevices()) ?? []
        return devices.compactMap(\.address?.ipAddress).map(HostName.init)
            .filter { !$0.isLoopback && !$0.text.hasPrefix("fe80:") }
    }
}
