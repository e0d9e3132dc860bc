// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// Decrypts the response of an encrypted request, once.
enum ResponseDecryptor: Sendable {
    case version3(PowerAuthCoreEciesEncryptor)
    case version4(RequestEncryptorV4)

    /// Identifier of the temporary key; empty when it is not known.
    var temporaryKeyId: String {
        switch self {
        case .version3(let encryptor): encryptor.associatedMetaData?.temporaryKeyId ?? ""
        case .version4(let encryptor): encryptor.temporaryKeyId
        }
    }

    /// Decrypts the members of a response.
    /// - Returns: nil for members of another shape.
    /// - Throws: `encryption` for a response that was not made for the request.
    func decrypt(_ body: [String: Any]) throws(NSError) -> Data? {
        switch self {
        case .version3(let encryptor):
            guard let cryptogram = PowerAuthCoreEciesCryptogram(responsePayload: body) else { return nil }
            guard let plain = encryptor.decryptResponse(cryptogram) else { throw Self.failure }
            return plain
        case .version4(let encryptor):
            guard let data = try? JSONSerialization.data(withJSONObject: body),
                let response = try? JSONDecoder().decode(AeadResponse.self, from: data)
            else { return nil }
            guard let plain = try? encryptor.decryptResponse(response) else { throw Self.failure }
            return plain
        }
    }

    private static var failure: NSError { .powerAuth(.encryption, "Failed to decrypt object data.") }
}
