// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PowerAuthCore
import PowerAuthProtocol
import PowerAuthShared

/// Encrypts one request of the application and decrypts its response (protocol-4.md, section 7). Make another one for the
/// next request.
///
/// Thread rule: any thread; of several concurrent calls one succeeds.
public final class PowerAuthEncryptor: Sendable {
    private enum Implementation: Sendable {
        case version3(PowerAuthCoreEciesEncryptor)
        case version4(RequestEncryptorV4)
    }

    /// Name of the header of a request that has no authentication code, `X-PowerAuth-Encryption`.
    public let headerName: String
    /// Value of that header.
    public let headerValue: String
    private let implementation: Implementation

    init(_ encryptor: RequestEncryptorV4) {
        headerName = EncryptionHeader.name
        headerValue = encryptor.headerValue
        implementation = .version4(encryptor)
    }

    init(_ encryptor: PowerAuthCoreEciesEncryptor) {
        headerName = EncryptionHeader.name
        // Encryptors of an SDK object have the data of their header.
        headerValue = encryptor.associatedMetaData?.httpHeaderValue ?? ""
        implementation = .version3(encryptor)
    }

    /// Encrypts the request.
    /// - Parameter data: the plain body, may be empty.
    /// - Returns: the body to send, JSON; an authentication code covers these bytes.
    /// - Throws: `encryption`, also for a second call.
    public func encryptRequest(_ data: Data) throws -> Data {
        do {
            switch implementation {
            case .version3(let encryptor):
                guard let cryptogram = encryptor.encryptRequest(data) else { throw PowerAuthCoreErrorCode.encryption }
                return try JSONSerialization.data(withJSONObject: cryptogram.requestPayload(), options: .sortedKeys)
            case .version4(let encryptor):
                return try JSONEncoder().encode(encryptor.encryptRequest(data))
            }
        } catch {
            throw NSError.powerAuth(.encryption, "The request cannot be encrypted.", underlying: error)
        }
    }

    /// Decrypts the response.
    /// - Parameter data: the body as it was received.
    /// - Returns: the plain body.
    /// - Throws: `encryption` for a body that was not made for the request, before the request was encrypted, and for a
    ///   second call.
    public func decryptResponse(_ data: Data) throws -> Data {
        do {
            switch implementation {
            case .version3(let encryptor):
                let payload = try JSONSerialization.jsonObject(with: data)
                guard let cryptogram = PowerAuthCoreEciesCryptogram(responsePayload: payload),
                    let plain = encryptor.decryptResponse(cryptogram)
                else { throw PowerAuthCoreErrorCode.encryption }
                return plain
            case .version4(let encryptor):
                return try encryptor.decryptResponse(JSONDecoder().decode(AeadResponse.self, from: data))
            }
        } catch {
            throw NSError.powerAuth(.encryption, "The response cannot be decrypted.", underlying: error)
        }
    }
}
