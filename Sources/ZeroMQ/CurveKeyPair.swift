import CZeroMQ
public import Foundation

/// A long-term CURVE key pair; exchanging the public halves is the pairing of two devices.
public struct CurveKeyPair: Sendable {
    /// 32 bytes, given to the other side.
    public let publicKey: Data
    /// 32 bytes, kept private.
    public let secretKey: Data

    /// Makes a new pair; fails with `ENOTSUP` when libzmq was built without CURVE.
    public init() throws {
        var publicText = [CChar](repeating: 0, count: 41)
        var secretText = [CChar](repeating: 0, count: 41)
        guard zmq_curve_keypair(&publicText, &secretText) == 0 else { throw ZeroMQError.last("zmq_curve_keypair") }
        publicKey = Self.decode(&publicText)
        secretKey = Self.decode(&secretText)
        _ = secretText.withUnsafeMutableBytes { $0.initializeMemory(as: UInt8.self, repeating: 0) }
    }

    /// Decodes the 40 characters (Z85) libzmq makes keys in.
    private static func decode(_ text: inout [CChar]) -> Data {
        var bytes = [UInt8](repeating: 0, count: 32)
        zmq_z85_decode(&bytes, text)
        return Data(bytes)
    }
}
