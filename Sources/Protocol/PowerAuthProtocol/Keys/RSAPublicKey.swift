import COpenSSL
public import Foundation

/// An RSA public key for foreign tokens; the protocol itself has no RSA keys (RFC 7518, section 6.3).
public struct RSAPublicKey: Sendable {
    private let key: EVPKey

    /// The sizes that are accepted, in bits: smaller ones are broken, larger ones only cost time.
    private static let bits = 2048...8192

    /// - Parameters:
    ///   - modulus: the bytes of `n`, most significant first.
    ///   - exponent: the bytes of `e`, most significant first, at most 8.
    /// - Throws: ``ProtocolError/invalidKey(_:)`` for sizes that are not accepted.
    public init(modulus: Data, exponent: Data) throws {
        let failure = ProtocolError.invalidKey("rsaPublicKey")
        let modulus = Data(modulus.drop { $0 == 0 })
        let exponent = Data(exponent.drop { $0 == 0 })
        guard Self.bits.contains(modulus.count * 8), (1...8).contains(exponent.count) else { throw failure }
        // OpenSSL takes numbers in the machine's byte order, which is least significant first on all we build for.
        var nativeModulus = Array(modulus.reversed())
        var nativeExponent = Array(exponent.reversed())
        let context = OpenSSL.fetched(EVP_PKEY_CTX_new_from_name(nil, "RSA", nil), "RSA")
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        try nativeModulus.withUnsafeMutableBufferPointer { modulus in
            try nativeExponent.withUnsafeMutableBufferPointer { exponent in
                var parameters = [
                    OSSL_PARAM_construct_BN(cString("n"), modulus.baseAddress, modulus.count),
                    OSSL_PARAM_construct_BN(cString("e"), exponent.baseAddress, exponent.count),
                    OSSL_PARAM_construct_end(),
                ]
                try OpenSSL.check(EVP_PKEY_fromdata_init(context), or: failure)
                try OpenSSL.check(
                    EVP_PKEY_fromdata(context, &key, EVP_PKEY_SELECT_PUBLIC_KEY, &parameters), or: failure)
            }
        }
        guard let key else { throw failure }
        self.key = EVPKey(key)
    }

    /// Checks an RSASSA-PKCS1-v1_5 signature with SHA-256 (RFC 8017, section 8.2); anything malformed does not verify.
    public func verify(signature: Data, of message: Data) -> Bool {
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit_ex(context, nil, "SHA256", nil, nil, key.pointer, nil) == 1 else {
            ERR_clear_error()
            return false
        }
        let result = signature.withUnsafeBytes { signature in
            message.withUnsafeBytes { message in
                EVP_DigestVerify(
                    context, signature.baseAddress?.assumingMemoryBound(to: UInt8.self), signature.count,
                    message.baseAddress?.assumingMemoryBound(to: UInt8.self), message.count)
            }
        }
        if result != 1 { ERR_clear_error() }
        return result == 1
    }
}
