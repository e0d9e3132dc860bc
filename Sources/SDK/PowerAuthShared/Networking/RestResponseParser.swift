import Foundation
import HTTPClient

/// Turns an HTTP response into a response object or one of the documented errors (sdk.md, section 7.3).
struct RestResponseParser: Sendable {
    /// Decrypts the response of an encrypted request; nil for plain ones. Usable once.
    let decryptor: PowerAuthCoreEciesEncryptor?
    /// Whether an error that is not encrypted is understood in place of an encrypted answer.
    let readsPlainErrors: Bool
    /// The activation that the request was made with; nil where the answer is for any.
    let basis: ActivationSnapshot?

    func parse(_ response: HTTPResponse) throws(NSError) -> RestResponse {
        guard response.status == 200 else { throw .rest(response) }
        guard let decryptor else { return try parsePlain(response) }
        return try parse(response, with: decryptor)
    }

    private func parsePlain(_ response: HTTPResponse) throws(NSError) -> RestResponse {
        let json: Any
        do {
            json = try JSONSerialization.jsonObject(with: response.body)
        } catch {
            throw error as NSError
        }
        guard let body = json as? [String: Any] else { throw Self.unexpectedType }
        guard body["status"] as? String == "OK" else { throw .rest(response) }
        return RestResponse(object: body["responseObject"] as? [String: Any] ?? [:], basis: basis)
    }

    private func parse(
        _ response: HTTPResponse, with decryptor: PowerAuthCoreEciesEncryptor
    ) throws(NSError) -> RestResponse {
        let body = try object(response.body)
        if readsPlainErrors, body["status"] as? String == "ERROR" { throw .rest(response) }
        guard let cryptogram = PowerAuthCoreEciesCryptogram(responsePayload: body) else { throw Self.unexpectedType }
        guard let plain = decryptor.decryptResponse(cryptogram) else {
            throw .powerAuth(.encryption, "Failed to decrypt object data.")
        }
        return RestResponse(object: try object(plain), basis: basis)
    }

    private func object(_ data: Data) throws(NSError) -> [String: Any] {
        guard let json = try? JSONSerialization.jsonObject(with: data) else {
            throw .powerAuth(.networkError, "Cannot deserialize JSON data.")
        }
        guard let object = json as? [String: Any] else { throw Self.unexpectedType }
        return object
    }

    private static var unexpectedType: NSError { .powerAuth(.networkError, "Unexpected type of JSON data.") }
}

extension NSError {
    /// The network error for a response the server marked as failed.
    fileprivate static func rest(_ response: HTTPResponse) -> NSError {
        let body = (try? JSONSerialization.jsonObject(with: response.body)) as? [String: Any] ?? [:]
        return .powerAuth(
            .networkError,
            userInfo: [
                PowerAuthErrorDomain: PowerAuthRestApiErrorResponse(
                    httpStatusCode: UInt(clamping: response.status), body: body),
                PowerAuthErrorInfoKey_AdditionalInfo: body,
                PowerAuthErrorInfoKey_ResponseData: response.body,
            ])
    }
}
