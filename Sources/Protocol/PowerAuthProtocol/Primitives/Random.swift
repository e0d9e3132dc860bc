import COpenSSL
public import Foundation

/// Random bytes from OpenSSL's generator (protocol.md, section 2.8).
public enum Random {
    /// `count` random bytes.
    ///
    /// A generator that cannot be seeded ends the process, which cannot continue without it.
    public static func bytes(_ count: Int) -> Data {
        var data = Data(count: max(0, count))
        data.withUnsafeMutableBytes { fill($0) }
        return data
    }

    /// `count` random bytes that are not all zero, as keys, salts and nonces require.
    public static func nonZeroBytes(_ count: Int) -> Data {
        var data = Data(count: max(0, count))
        data.withUnsafeMutableBytes { fillNonZero($0) }
        return data
    }

    /// Base64 text of `count` random bytes that are not all zero, such as a nonce of 16.
    public static func nonZeroText(_ count: Int) -> String {
        withUnsafeTemporaryAllocation(byteCount: max(0, count), alignment: 8) { bytes in
            fillNonZero(bytes)
            return StrictBase64.encode(UnsafeRawBufferPointer(bytes))
        }
    }

    static func secret(_ count: Int) -> SecretBytes {
        while true {
            let secret = SecretBytes(count: count) { buffer in
                OpenSSL.must(RAND_priv_bytes(buffer.baseAddress, Int32(count)), "RAND_priv_bytes")
            }
            if !secret.isAllZero { return secret }
        }
    }

    private static func fillNonZero(_ buffer: UnsafeMutableRawBufferPointer) {
        repeat { fill(buffer) } while !buffer.isEmpty && buffer.allSatisfy { $0 == 0 }
    }

    private static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        guard buffer.count > 0 else { return }
        OpenSSL.must(RAND_bytes(buffer.baseAddress, Int32(clamping: buffer.count)), "RAND_bytes")
    }
}

extension SecretBytes {
    var isAllZero: Bool { withUnsafeBytes { $0.reduce(0) { $0 | $1 } == 0 } }
}
