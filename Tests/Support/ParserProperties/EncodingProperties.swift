import Foundation
import PowerAuthProtocol

extension ParserProperty {
    static let encodings: [ParserProperty] = [
        ParserProperty("base32", examples: ["MZXW6YTBOI".bytes, Data(0..<10)]) { data in
            try require(Base32.decode(Base32.encode(data)) == data, "bytes come back", data)
            guard let bytes = Base32.decode(data.text) else { return }
            try require(Base32.encode(bytes) == data.text, "every value has one spelling", data)
        },
        ParserProperty("base64", examples: ["AB==".bytes, Example.nonce.bytes]) { data in
            try require(StrictBase64.decode(StrictBase64.encode(data)) == data, "bytes come back", data)
            guard let bytes = StrictBase64.decode(data.text) else { return }
            try require(StrictBase64.encode(bytes).utf8.count == data.count, "nothing is skipped", data)
            try require(Data(base64Encoded: data.text) == bytes, "Foundation reads the same", data)
        },
        ParserProperty("base64url", examples: ["-_8".bytes, "AAAA".bytes]) { data in
            try require(Base64URL.decode(Base64URL.encode(data)) == data, "bytes come back", data)
            _ = Base64URL.decode(data.text)
        },
        ParserProperty("counts", examples: [Data([0, 0x80, 0x80, 0xC0, 0, 0x40, 0, 3, 1, 2, 3])]) { data in
            var reader = CountedReader(data)
            var last = reader.remaining
            while let count = reader.count() {
                try require((0...CountEncoding.maximum).contains(count), "a count is in range", data)
                try require(reader.remaining < last, "reading moves on", data)
                last = reader.remaining
                guard let written = CountEncoding.encode(count) else {
                    throw Violation(rule: "what was read can be written", input: data)
                }
                var again = CountedReader(written)
                try require(again.count() == count && again.remaining == 0, "a count comes back", data)
            }
            reader = CountedReader(data)
            while reader.counted() != nil {}
            try require(!CRC16.validates(data) || data.count >= 2, "a checksum has two bytes", data)
        },
        ParserProperty("query", examples: ["b=x+y&a=1*2&c&%41=%C5%99".bytes]) { data in
            guard let canonical = try? SymmetricSignature.canonicalQuery(rawQuery: data.text) else { return }
            let again = try? SymmetricSignature.canonicalQuery(rawQuery: canonical.text)
            try require(again == canonical, "the canonical form is canonical", data)
        },
        ParserProperty("uuid", examples: [Example.activationId.bytes]) { data in
            if UUIDText.isValid(data.text) {
                try require(UUID(uuidString: data.text) != nil, "Foundation agrees that it is a UUID", data)
            }
        },
    ]
}
