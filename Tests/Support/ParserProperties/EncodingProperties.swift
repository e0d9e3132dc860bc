// SPDX-License-Identifier: Apache-2.0

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

    static let codes: [ParserProperty] = [
        ParserProperty(
            "activation-code",
            examples: ["W65WE-3T7VI-7FBS2-A4OYA", "W65WE-3T7VI-7FBS2-A4OYA#MEQCIDoesM8="].map(\.bytes)
        ) { data in
            guard let parsed = try? ActivationCodeParser.parse(data.text) else { return }
            let written = parsed.code.text + (parsed.signature.map { "#" + $0 } ?? "")
            try require(written == data.text, "an accepted text is the code and its signature, unchanged", data)
            try require((try? ActivationCode(raw: parsed.code.raw)) == parsed.code, "a code comes from its bytes", data)
        },
        ParserProperty(
            "recovery-code", examples: ["W65WE-3T7VI-7FBS2-A4OYA", "R:W65WE-3T7VI-7FBS2-A4OYA"].map(\.bytes)
        ) { data in
            guard let code = try? RecoveryCode(data.text) else { return }
            try require([code.text, "R:" + code.text].contains(data.text), "only the prefix R: is dropped", data)
        },
        ParserProperty("puk", examples: ["0123456789".bytes]) { data in
            guard let puk = try? RecoveryPuk(data.text) else { return }
            try require(puk.text.bytes == data && data.count == 10, "a PUK is its ten digits", data)
        },
        ParserProperty("typed-characters", examples: ["abcz019-ABC27".bytes]) { data in
            for scalar in data.text.unicodeScalars {
                let corrected = TypedCharacter.correct(scalar.value)
                try require(
                    corrected == 0 || TypedCharacter.validate(corrected), "a corrected character is valid", data)
                try require(
                    !TypedCharacter.validate(scalar) || corrected == scalar.value, "valid characters stay", data)
            }
        },
    ]

    static func keys() throws -> [ParserProperty] {
        let key = try PrivateKey.generate()
        let message = "message".bytes
        let (der, jose) = (try key.sign(message), try key.sign(message, format: .jose))
        return [
            ParserProperty("public-key", examples: [key.publicKey.compressed, key.publicKey.uncompressed]) { data in
                guard let point = try? PublicKey(encoded: data) else { return }
                try require(point.compressed == data || point.uncompressed == data, "a point has two spellings", data)
                try require((try? PublicKey(encoded: point.compressed)) == point, "both are the same point", data)
            },
            ParserProperty("private-key", examples: [try key.bigEndian, Data([0, 0, 1])]) { data in
                guard let key = try? PrivateKey(bigEndian: data) else { return }
                let digits = Data(data.drop { $0 == 0 })
                try require((try? key.bigEndian) == digits, "the scalar comes back without leading zeros", data)
            },
            ParserProperty("signature-der", examples: [der]) { data in
                if data != der, let jose = ECDSAFormat.joseFromDER(data) {
                    try require(jose.count == 64, "JOSE has 64 bytes", data)
                }
                let accepted = key.publicKey.verify(signature: data, of: message)
                try require(!accepted || data == der, "a changed signature does not verify", data)
            },
            ParserProperty("signature-jose", examples: [jose]) { data in
                if let der = ECDSAFormat.derFromJOSE(data) {
                    try require(ECDSAFormat.joseFromDER(der) == data, "JOSE to DER and back", data)
                }
                let accepted = key.publicKey.verify(signature: data, of: message, format: .jose)
                try require(!accepted || data == jose, "a changed signature does not verify", data)
            },
        ]
    }

    static func configurations() throws -> [ParserProperty] {
        let example = try MobileSdkConfiguration(
            applicationKeyText: Example.applicationKey, applicationSecretText: Example.applicationSecret,
            masterServerPublicKeyText: StrictBase64.encode(PrivateKey.generate().publicKey.uncompressed))
        return [
            ParserProperty("configuration", examples: [example.string.bytes]) { data in
                let client = try? MobileSdkConfiguration(data.text)
                if let server = try? MobileSdkConfiguration(data.text, reader: .server) {
                    try require(server == client, "what the server reads, the client reads alike", data)
                }
                guard let client else { return }
                try require((try? MobileSdkConfiguration(client.string)) == client, "it can be written again", data)
                if let point = try? client.masterServerKey() {
                    try require(point.uncompressed.count == 65, "a point has 65 bytes", data)
                }
            },
            // The same without the text around it, where damage reaches the structure at once.
            ParserProperty(
                "configuration-bytes", examples: [try StrictBase64.decode(example.string, field: "example")]
            ) { data in
                let text = StrictBase64.encode(data)
                guard let read = try? MobileSdkConfiguration(text) else { return }
                try require((try? MobileSdkConfiguration(read.string)) == read, "it can be written again", data)
            },
        ]
    }
}
