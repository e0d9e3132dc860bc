// SPDX-License-Identifier: Apache-2.0

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
    ///   - applicationSecretText: Base64 text of the application secret, or ``SymmetricSignature/offlineSecretText``.
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

    /// Lends the signed bytes; every part is written straight to its place, since this runs for every signature.
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

extension SymmetricSignature {
    /// The parameters of a GET request as the body of its signature (protocol.md, section 9.2): pairs
    /// sorted by the UTF-8 bytes of name, then value, and encoded as a form.
    public static func canonicalQuery(_ parameters: [(String, String)]) -> Data {
        FormEncoding.sorted(parameters.map { (Array($0.0.utf8), Array($0.1.utf8)) })
    }

    /// The server's way from a raw query: pieces without `=` are dropped, each side is decoded once
    /// (protocol.md, section 22, item 21).
    /// - Throws: ``ProtocolError/invalidEncoding(field:)`` for a `%` without two hexadecimal digits.
    public static func canonicalQuery(rawQuery: String) throws -> Data {
        let pieces = rawQuery.utf8.split(separator: UInt8(ascii: "&"))
        return try FormEncoding.sorted(
            pieces.compactMap { piece in
                guard let equals = piece.firstIndex(of: UInt8(ascii: "=")) else { return nil }
                return (
                    try FormEncoding.decode(piece[..<equals]),
                    try FormEncoding.decode(piece[piece.index(after: equals)...])
                )
            })
    }
}

/// `application/x-www-form-urlencoded` on bytes.
private enum FormEncoding {
    static func sorted(_ parameters: [([UInt8], [UInt8])]) -> Data {
        let sorted = parameters.sorted { left, right in
            left.0 == right.0 ? left.1.lexicographicallyPrecedes(right.1) : left.0.lexicographicallyPrecedes(right.0)
        }
        var output = Data()
        for (name, value) in sorted {
            if !output.isEmpty { output.append(UInt8(ascii: "&")) }
            encode(name, into: &output)
            output.append(UInt8(ascii: "="))
            encode(value, into: &output)
        }
        return output
    }

    private static func encode(_ bytes: [UInt8], into output: inout Data) {
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: "*"):
                output.append(byte)
            case UInt8(ascii: " "): output.append(UInt8(ascii: "+"))
            default: output.append(contentsOf: [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]])
            }
        }
    }

    static func decode(_ text: Substring.UTF8View) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var iterator = text.makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = iterator.next().flatMap(hexValue), let low = iterator.next().flatMap(hexValue) else {
                    throw ProtocolError.invalidEncoding(field: "query")
                }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    private static func hexValue(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
