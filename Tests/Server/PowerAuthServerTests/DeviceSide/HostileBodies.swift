// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// Bodies that are no request, and fields that are no values.
enum HostileBodies {
    /// Bodies that no endpoint which reads its body accepts.
    static let malformed: [(what: String, body: Data)] =
        [
            ("nothing", ""), ("a brace", "{"), ("a list", "[]"), ("null", "null"), ("a text", "\"text\""),
            ("a number", "7"), ("an empty object", "{}"), ("text behind the object", "{} x"),
            ("no request object", #"{"requestObject":null}"#),
            ("a list for the request object", #"{"requestObject":[]}"#),
            ("a text for the request object", #"{"requestObject":"x"}"#),
            ("an empty request object", #"{"requestObject":{}}"#), ("a comment", "{/* */}"),
            ("single quotes", "{'a':1}"),
            ("a lonely surrogate", #"{"requestObject":{"activationId":"\ud800","jwt":"\ud800","tokenId":7}}"#),
            ("an invalid escape", #"{"requestObject":"\x"}"#), ("a number beyond all", #"{"timestamp":1e999}"#),
            ("NaN", #"{"timestamp":NaN}"#), ("a form", "a=1&b=2"), ("markup", "<?xml version=\"1.0\"?><a/>"),
            ("lists in lists", String(repeating: "[", count: 100_000)),
            ("objects in objects", String(repeating: "{\"a\":", count: 100_000)),
            ("closed lists in lists", String(repeating: "[", count: 50_000) + String(repeating: "]", count: 50_000)),
            (
                "depth where an object belongs",
                "{\"requestObject\":" + String(repeating: "[", count: 50_000) + String(repeating: "]", count: 50_000)
                    + "}"
            ),
            (
                "depth where text belongs",
                "{\"encryptedData\":" + String(repeating: "{\"a\":", count: 400) + "1"
                    + String(repeating: "}", count: 401)
            ),
            ("spaces only", String(repeating: " ", count: 100_000)),
        ].map { ($0.0, Data($0.1.utf8)) } + [
            ("NUL bytes", Data(count: 64)),
            ("bytes that are no UTF-8", Data([0x7B, 0x22, 0xFF, 0xFE, 0x22, 0x3A, 0x31, 0x7D])),
            (
                "a text that is no UTF-8",
                Data("{\"requestObject\":{\"activationId\":\"".utf8) + [0xC3, 0x28] + Data("\"}}".utf8)
            ),
            ("an overlong encoding", Data("{\"requestObject\":{\"jwt\":\"".utf8) + [0xC0, 0xAF] + Data("\"}}".utf8)),
            ("UTF-16 without content", Data([0xFF, 0xFE, 0x7B, 0x00, 0x7D, 0x00])),
            ("a NUL behind the object", Data("{}\0".utf8)),
        ]

    /// JSON values that are no Base64 text of any protocol field.
    static let noText: [(what: String, value: any Sendable)] = [
        ("a number", 7), ("a negative number", -1), ("a fraction", 0.5), ("a truth value", true),
        ("a list", ["x"]), ("an object", ["x": "y"]), ("an empty text", ""), ("no Base64", "%%%"),
        ("Base64 without padding", "AAAAA"), ("Base64 with a line break", "AAAA\r\nAAAA"),
        ("Base64 for URLs", "-_-_"), ("a NUL", "AAA\0"),
        ("much text", String(repeating: "A", count: 16_384)),
    ]

    /// Encodings that are no point of P-256.
    static func noPoints() throws -> [(what: String, point: Data)] {
        let uncompressed = try PrivateKey.generate().publicKey.uncompressed
        var offCurve = uncompressed
        offCurve[64] ^= 1
        var hybrid = uncompressed
        hybrid[0] = 6 + (uncompressed[64] & 1)
        return [
            ("nothing", Data()), ("the point at infinity", Data([0])), ("infinity, padded", Data(count: 33)),
            ("infinity, padded to 65 bytes", Data(count: 65)),
            ("an x beyond the field", Data([2] + [UInt8](repeating: 0xFF, count: 32))),
            ("a point off the curve", offCurve), ("a hybrid encoding", hybrid),
            ("zero coordinates", Data([4]) + Data(count: 64)), ("a bare x", Data(uncompressed[1..<33])),
            ("one byte less", Data(uncompressed.dropLast())), ("one byte more", uncompressed + [0]),
            ("an unknown form", Data([5]) + uncompressed[1..<33]),
            ("a point of P-384", Data([2]) + Random.bytes(48)),
        ]
    }
}
