public import Foundation

/// What the signature of a request covers (protocol.md, section 9.1).
public struct SignedRequest: Sendable {
    /// HTTP method, in upper case.
    public let method: String
    /// The agreed constant, not the URL.
    public let uriId: String
    /// Base64 text of 16 bytes, exactly as in the header.
    public let nonce: String
    /// The final body; empty for none.
    public let body: Data
    private let applicationSecretText: String

    /// Takes the parts.
    /// - Parameters:
    ///   - method: upper-cased here.
    ///   - body: for GET see ``SymmetricSignature/canonicalQuery(_:)``.
    ///   - applicationSecretText: Base64 text of the application secret, or
    ///     ``SymmetricSignature/offlineSecretText``.
    public init(method: String, uriId: String, nonce: String, body: Data, applicationSecretText: String) {
        // Nearly every method is in upper case already, and looking is cheaper than making a new text.
        self.method = method.utf8.allSatisfy { (0x41...0x5A).contains($0) } ? method : method.uppercased()
        self.uriId = uriId
        self.nonce = nonce
        self.body = body
        self.applicationSecretText = applicationSecretText
    }

    /// The bytes that are signed: `METHOD & B64(uriId) & nonce & B64(body) & secret`.
    public var normalizedData: Data { withNormalizedBytes { Data($0) } }

    /// Lends the signed bytes; every part is written straight to its place, since this runs for every
    /// signature.
    func withNormalizedBytes<Result>(_ use: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        // Local names, because a closure that captures `self` copies all of it.
        var (method, uriId, nonce, secret) = (method, uriId, nonce, applicationSecretText)
        let body = body
        let encodedCount = StrictBase64.encodedCount(uriId.utf8.count) + StrictBase64.encodedCount(body.count)
        let count = method.utf8.count + nonce.utf8.count + secret.utf8.count + encodedCount + 4
        return try withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { output in
            var writer = NormalizedWriter(output)
            method.withUTF8 { writer.copy(UnsafeRawBufferPointer($0)) }
            writer.separate()
            uriId.withUTF8 { writer.encode(UnsafeRawBufferPointer($0)) }
            writer.separate()
            nonce.withUTF8 { writer.copy(UnsafeRawBufferPointer($0)) }
            writer.separate()
            body.withUnsafeBytes { writer.encode($0) }
            writer.separate()
            secret.withUTF8 { writer.copy(UnsafeRawBufferPointer($0)) }
            return try use(UnsafeRawBufferPointer(output))
        }
    }
}

/// Fills a buffer whose size was computed before.
private struct NormalizedWriter {
    private var rest: UnsafeMutableRawBufferPointer

    init(_ buffer: UnsafeMutableRawBufferPointer) { rest = buffer }

    mutating func copy(_ part: UnsafeRawBufferPointer) {
        rest.copyMemory(from: part)
        advance(part.count)
    }

    /// The encoder's terminating NUL falls on the separator that follows.
    mutating func encode(_ part: UnsafeRawBufferPointer) { advance(StrictBase64.encode(part, into: rest)) }

    mutating func separate() {
        rest[0] = UInt8(ascii: "&")
        advance(1)
    }

    private mutating func advance(_ count: Int) { rest = UnsafeMutableRawBufferPointer(rebasing: rest[count...]) }
}
