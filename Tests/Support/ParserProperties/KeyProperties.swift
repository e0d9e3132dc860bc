import Foundation
import PowerAuthProtocol

extension ParserProperty {
    static func keys() throws -> [ParserProperty] {
        let key = try PrivateKey.generate()
        let message = "message".bytes
        let (der, jose) = (try key.sign(message), try key.sign(message, format: .jose))
        return [
            ParserProperty("public-key", examples: [key.publicKey.compressed, key.publicKey.uncompressed]) { data in
                guard let point = try? PublicKey(encoded: data) else { return }
                try require(
                    point.compressed == data || point.uncompressed == data, "a point has two spellings", data)
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
}
