import Foundation
import PowerAuthProtocol

@testable import PowerAuthServer

extension TestDevice {
    /// Has the back office verify a signature.
    @discardableResult
    mutating func verifySignature(
        type: SignatureType = .possessionKnowledge, correct: Bool = true
    ) async throws -> Answer {
        let header = try signature(uriId: "/login", body: Data("{}".utf8), type: type, correct: correct)
        let data = [
            "POST", StrictBase64.encode(Data("/login".utf8)), header.nonce, StrictBase64.encode(Data("{}".utf8)),
        ]
        return try await client.backOffice(
            "signature/verify",
            [
                "activationId": activationId, "applicationKey": header.applicationKey,
                "data": data.joined(separator: "&"), "signature": header.signature, "signatureType": type.name,
                "signatureVersion": version.rawValue,
            ])
    }
}
