import CZeroMQ
public import Foundation

/// An option of a socket, set before `bind` or `connect`.
public enum ZeroMQOption: Sendable {
    /// How long unsent messages keep the context from ending after the socket was closed, in milliseconds. Sockets
    /// of this module start with 0: an absent peer never delays an end.
    case linger(milliseconds: Int32)
    /// Sends only over completed connections, so that nothing piles up for a peer that is not there.
    case immediate(Bool)
    /// Makes a ROUTER refuse a message for an unknown peer (`send` returns false) instead of dropping it silently.
    case routerMandatory(Bool)
    /// The name a ROUTER at the other end knows this socket by: 1 to 255 bytes, the first not zero.
    case routingID(Data)
    /// Messages queued for sending per peer; 0 means no limit.
    case sendHighWaterMark(Int32)
    /// Messages queued after receiving per peer; 0 means no limit.
    case receiveHighWaterMark(Int32)
    /// The largest message part accepted, in bytes; a peer that sends a larger one is disconnected. -1: no limit.
    case maxMessageSize(Int64)
    /// First and largest pause between attempts to reconnect, in milliseconds.
    case reconnectInterval(first: Int32, maximum: Int32)
    /// Asks the other side on every connection whether it is there, and closes one that has not answered for so long; in
    /// milliseconds.
    case heartbeat(interval: Int32, timeout: Int32)
    /// The listening side of an encrypted connection. The domain is what ``CurveGate`` decides by; it must not be empty.
    case curveServer(CurveSecretKey, domain: String)
    /// The connecting side: the key of the listening one, and its own.
    case curveClient(of: CurvePublicKey, CurveKeyPair)

    func apply(to socket: UnsafeMutableRawPointer) throws {
        switch self {
        case .linger(let milliseconds): try set(socket, ZMQ_LINGER, milliseconds)
        case .immediate(let value): try set(socket, ZMQ_IMMEDIATE, Int32(value ? 1 : 0))
        case .routerMandatory(let value): try set(socket, ZMQ_ROUTER_MANDATORY, Int32(value ? 1 : 0))
        case .routingID(let name): try set(socket, ZMQ_ROUTING_ID, name)
        case .sendHighWaterMark(let count): try set(socket, ZMQ_SNDHWM, count)
        case .receiveHighWaterMark(let count): try set(socket, ZMQ_RCVHWM, count)
        case .maxMessageSize(let size): try set(socket, ZMQ_MAXMSGSIZE, size)
        case .reconnectInterval(let first, let maximum):
            try set(socket, ZMQ_RECONNECT_IVL, first)
            try set(socket, ZMQ_RECONNECT_IVL_MAX, maximum)
        case .heartbeat(let interval, let timeout):
            try set(socket, ZMQ_HEARTBEAT_IVL, interval)
            try set(socket, ZMQ_HEARTBEAT_TIMEOUT, timeout)
        case .curveServer(let secret, let domain):
            try set(socket, ZMQ_CURVE_SERVER, Int32(1))
            try set(socket, ZMQ_CURVE_SECRETKEY, text: secret.text)
            try set(socket, ZMQ_ZAP_DOMAIN, Data(domain.utf8))
        case .curveClient(let server, let own):
            try set(socket, ZMQ_CURVE_SERVERKEY, text: server.text)
            try set(socket, ZMQ_CURVE_PUBLICKEY, text: own.publicKey.text)
            try set(socket, ZMQ_CURVE_SECRETKEY, text: own.secretKey.text)
        }
    }

    private func set<Value: FixedWidthInteger>(
        _ socket: UnsafeMutableRawPointer, _ option: Int32, _ value: Value
    ) throws {
        var value = value
        guard zmq_setsockopt(socket, option, &value, MemoryLayout<Value>.size) == 0 else { throw failure }
    }

    private func set(_ socket: UnsafeMutableRawPointer, _ option: Int32, _ value: Data) throws {
        let result = value.withUnsafeBytes { zmq_setsockopt(socket, option, $0.baseAddress, $0.count) }
        guard result == 0 else { throw failure }
    }

    /// A key in Z85, which the library knows by its length with the zero behind it.
    private func set(_ socket: UnsafeMutableRawPointer, _ option: Int32, text: String) throws {
        let result = text.withCString { zmq_setsockopt(socket, option, $0, text.utf8.count + 1) }
        guard result == 0 else { throw failure }
    }

    /// Names the option by its case only: the payload may be large, or not text.
    private var failure: ZeroMQError {
        let label = Mirror(reflecting: self).children.first?.label ?? "option"
        return ZeroMQError.last("zmq_setsockopt", label)
    }
}
