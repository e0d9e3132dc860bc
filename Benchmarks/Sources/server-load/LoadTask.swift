import Foundation
import PowerAuthProtocol

/// A kind of request that servers are asked all day.
enum LoadTask: CaseIterable {
    case status, verify, validate

    /// What the table calls it.
    var name: String {
        switch self {
        case .status: "activation status"
        case .verify: "signature verify, 2 factors"
        case .validate: "token validate"
        }
    }

    /// Where the server answers it.
    var path: String {
        switch self {
        case .status: "/rest/v3/activation/status"
        case .verify: "/rest/v3/signature/verify"
        case .validate: "/rest/v3/token/validate"
        }
    }

    /// What stands in every answer that counts.
    var expected: String {
        switch self {
        case .status: #""activationStatus":"ACTIVE""#
        case .verify: #""signatureValid":true"#
        case .validate: #""tokenValid":true"#
        }
    }

    /// Requests of one sample.
    func requests(connections: Int) -> Int { connections == 1 ? 1000 : 4096 }

    /// The body of the next request of a device.
    func body(of device: inout LoadDevice) throws -> String {
        let fields: [(String, String)]
        switch self {
        case .status:
            fields = [
                ("activationId", device.activationId),
                ("challenge", StrictBase64.encode(Random.nonZeroBytes(16))),
            ]
        case .verify:
            let signed = try device.signature(uriId: "/login")
            fields = [
                ("activationId", device.activationId), ("applicationKey", device.configuration.applicationKeyText),
                ("data", signed.data), ("signature", signed.signature), ("signatureType", "POSSESSION_KNOWLEDGE"),
                ("signatureVersion", "3.3"),
            ]
        case .validate:
            let header = try device.tokenHeader()
            fields = [
                ("tokenId", header.tokenId), ("tokenDigest", StrictBase64.encode(header.tokenDigest)),
                ("nonce", StrictBase64.encode(header.nonce)), ("timestamp", header.timestampText),
                ("protocolVersion", header.version.rawValue),
            ]
        }
        // None of these values needs escaping.
        let object = fields.map { #""\#($0)":"\#($1)""# }.joined(separator: ",")
        return #"{"requestObject":{\#(object)}}"#
    }
}
