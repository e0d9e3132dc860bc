// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// A PowerAuth server that already runs, with devices activated through its back office, which every such server has.
final class OtherServer {
    let address: ServerAddress
    let devices: LoadDevices

    /// Activates devices of its first application, each with a token.
    init(_ address: ServerAddress, devices count: Int) throws {
        self.address = address
        let http = HTTPCall(server: address)
        let list: Answer<Applications> = try http.post("/rest/v3/application/list", Nothing())
        guard let application = list.responseObject.applications.first else {
            throw LoadFailure("\(address.url) has no application; create one first")
        }
        let detail: Answer<Application> = try http.post(
            "/rest/v3/application/detail", Request(["applicationId": application.applicationId]))
        guard let version = detail.responseObject.versions.first(where: \.supported) else {
            throw LoadFailure("application \(application.applicationId) has no supported version")
        }
        let configuration = try MobileSdkConfiguration(version.mobileSdkConfig)
        devices = LoadDevices(
            try (0..<count).map { number in
                try Self.activate(
                    ["userId": "load-\(number)", "applicationId": application.applicationId], configuration, http)
            })
    }

    private static func activate(
        _ fields: [String: String], _ configuration: MobileSdkConfiguration, _ http: HTTPCall
    ) throws -> LoadDevice {
        let created: Answer<Initiated> = try http.post("/rest/v3/activation/init", Request(fields))
        let key = try PrivateKey.generate()
        let (sealed, decryptor) = try EciesClientEncryptor(
            parameters: EciesParameters(
                version: .v3_2, sharedInfo1: .activationLayer2, applicationKey: configuration.applicationKeyText,
                activationId: nil, temporaryKeyId: nil),
            serverPublicKey: configuration.masterServerKey(),
            sharedInfo2: SharedInfo2.application(configuration.applicationSecretText)
        ).encrypt(
            JSONEncoder().encode([
                "devicePublicKey": StrictBase64.encode(key.publicKey.uncompressed), "activationName": "load",
            ]), timestamp: UInt64(Date().timeIntervalSince1970 * 1000))
        let exchanged: Answer<EciesResponse> = try http.post(
            "/rest/v3/activation/prepare",
            Request(
                try Envelope(sealed, configuration, ["activationCode": created.responseObject.activationCode]).fields))
        let layer = try JSONDecoder().decode(Layer.self, from: decryptor.decrypt(exchanged.responseObject))
        let _: Answer<Committed> = try http.post(
            "/rest/v3/activation/commit", Request(["activationId": layer.activationId]))
        var device = try LoadDevice(
            configuration: configuration, key: key, activationId: layer.activationId,
            serverPublicKey: layer.serverPublicKey, counterData: layer.ctrData)
        let (request, opener) = try device.tokenRequest()
        let token: Answer<EciesResponse> = try http.post(
            "/rest/v3/token/create",
            Request(
                try Envelope(
                    request, configuration,
                    ["activationId": layer.activationId, "signatureType": "POSSESSION_KNOWLEDGE"]
                ).fields))
        try device.take(token.responseObject, opener)
        return device
    }

    /// The fields of an encrypted message for the back office, all of them texts but the time.
    private struct Envelope {
        let fields: [String: Field]

        init(_ sealed: EciesRequest, _ configuration: MobileSdkConfiguration, _ others: [String: String]) throws {
            var fields = others.mapValues(Field.text)
            fields["applicationKey"] = .text(configuration.applicationKeyText)
            fields["protocolVersion"] = .text(ProtocolVersion.v3_2.rawValue)
            let members = try JSONDecoder().decode([String: Field].self, from: JSONEncoder().encode(sealed))
            self.fields = fields.merging(members) { $1 }
        }
    }

    private enum Field: Codable {
        case text(String)
        case number(UInt64)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(UInt64.self) {
                self = .number(number)
            } else {
                self = .text(try container.decode(String.self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .number(let number): try container.encode(number)
            }
        }
    }

    private struct Nothing: Encodable {
        let requestObject: [String: String] = [:]
    }

    private struct Request<Value: Encodable>: Encodable {
        let requestObject: [String: Value]
        init(_ fields: [String: Value]) { requestObject = fields }
    }

    private struct Answer<Value: Decodable>: Decodable {
        let responseObject: Value
    }

    private struct Applications: Decodable {
        struct Item: Decodable {
            let applicationId: String
        }
        let applications: [Item]
    }

    private struct Application: Decodable {
        struct Version: Decodable {
            let supported: Bool
            let mobileSdkConfig: String
        }
        let versions: [Version]
    }

    private struct Initiated: Decodable {
        let activationCode: String
    }

    private struct Layer: Decodable {
        let activationId: String
        let serverPublicKey: String
        let ctrData: String
    }

    private struct Committed: Decodable {
        let activated: Bool?
    }
}
