import Foundation
import PowerAuthProtocol

extension ParserProperty {
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
