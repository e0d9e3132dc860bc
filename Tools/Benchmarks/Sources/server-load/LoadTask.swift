// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// A kind of request that is common in production.
enum LoadTask: CaseIterable {
    case status, verify, validate, list

    /// The name in the table.
    var name: String {
        switch self {
        case .status: "activation status"
        case .verify: "signature verify, 2 factors"
        case .validate: "token validate"
        case .list: "list of 1,000 operations"
        }
    }

    /// Its path on the server.
    var path: String {
        switch self {
        case .status: "/rest/v3/activation/status"
        case .verify: "/rest/v3/signature/verify"
        case .validate: "/rest/v3/token/validate"
        case .list: "/api/auth/token/app/operation/list"
        }
    }

    /// The text in every valid answer.
    var expected: String {
        switch self {
        case .status: #""activationStatus":"ACTIVE""#
        case .verify: #""signatureValid":true"#
        case .validate: #""tokenValid":true"#
        case .list: #""currentTimestamp":"#
        }
    }

    /// The numbers of connections. The operations belong to one user, who has one device.
    var connectionCounts: [Int] { self == .list ? [1] : ServerLoad.connectionCounts }

    /// Requests of one sample.
    func requests(connections: Int) -> Int { self == .list ? 200 : connections == 1 ? 1000 : 4096 }

    /// The next request of a device.
    func request(of device: inout LoadDevice) throws -> LoadRequest {
        let fields: [(String, String)]
        switch self {
        case .list:
            return LoadRequest(body: "{}", headers: [TokenHeader.name: try device.tokenHeader().value])
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
        return LoadRequest(body: #"{"requestObject":{\#(object)}}"#)
    }
}

/// One request as it is sent.
struct LoadRequest {
    let body: String
    var headers: [String: String] = [:]
}
