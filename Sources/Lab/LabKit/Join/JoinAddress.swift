/// Where an owner listens: `tcp://host:port`, or without `tcp://`.
public struct JoinAddress: Hashable, Sendable, CustomStringConvertible {
    /// A name, an IPv4 address, or the name of an interface to listen at.
    public var host: String
    /// 0 to listen at a free one.
    public var port: Int

    /// An address.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Reads an address; nil if the text is not an address.
    public init?(_ text: String) {
        let rest = text.hasPrefix("tcp://") ? text.dropFirst(6) : text[...]
        guard let colon = rest.lastIndex(of: ":"), colon != rest.startIndex,
            let port = Int(rest[rest.index(after: colon)...]), (0...65_535).contains(port)
        else { return nil }
        host = String(rest[..<colon])
        guard host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x2F && $0 != 0x3A }) else { return nil }
        self.port = port
    }

    /// The address for ZeroMQ; a port that the system shall choose is `*`.
    public var description: String { "tcp://\(host):\(port == 0 ? "*" : "\(port)")" }

    /// The address of the n-th port after this one.
    public func next(_ count: Int) -> JoinAddress { JoinAddress(host: host, port: port == 0 ? 0 : port + count) }
}
