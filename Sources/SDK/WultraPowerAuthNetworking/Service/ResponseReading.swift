// SPDX-License-Identifier: Apache-2.0

public import Foundation
import FoundationNetworking
import LabHTTP
import PowerAuthCore
import PowerAuthShared

/// The content of an answer (networking.md, sections 6.4 and 10.4).
struct ResponseReading<Response: WPNResponseBase> {
    private enum Finding {
        case envelope(Response)
        case unreadable(any Error)
    }

    private let finding: Finding
    private let status: Int
    private let httpUrlResponse: HTTPURLResponse?
    /// The content of an encrypted answer; nil if it was not encrypted, or could not be decrypted.
    let decrypted: Data?

    /// - Parameters:
    ///   - response: the answer as it came.
    ///   - url: the URL of the request.
    ///   - decoder: reads the envelope.
    ///   - decryptor: opens an encrypted answer; nil for a request that was not encrypted.
    ///   - readsPlainErrors: whether an error in the clear is understood where no encrypted answer came at all.
    init(
        _ response: HTTPResponse, from url: URL, decoder: JSONDecoder, decryptor: PowerAuthCoreEciesEncryptor?,
        readsPlainErrors: Bool
    ) {
        status = response.status
        httpUrlResponse = HTTPURLResponse(
            url: url, statusCode: response.status, httpVersion: "HTTP/1.1",
            headerFields: Dictionary(
                response.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { "\($0), \($1)" }))
        (finding, decrypted) =
            if let decryptor {
                Self.open(response.body, decoder, decryptor, readsPlainErrors)
            } else {
                (Self.read(response.body, decoder), nil)
            }
        switch finding {
        case .envelope:
            if let decrypted { TrafficLog.writeDecrypted(decrypted, from: url) }
        case .unreadable(let error): TrafficLog.writeUnreadable(response.body, from: url, error)
        }
    }

    private static func read(_ body: Data, _ decoder: JSONDecoder) -> Finding {
        do {
            return .envelope(try decoder.decode(Response.self, from: body))
        } catch {
            return .unreadable(error)
        }
    }

    private static func open(
        _ body: Data, _ decoder: JSONDecoder, _ decryptor: PowerAuthCoreEciesEncryptor, _ readsPlainErrors: Bool
    ) -> (Finding, Data?) {
        let json = (try? JSONSerialization.jsonObject(with: body)) as? [String: Any]
        let isSealed = json?["timestamp"] is NSNumber
        if let json, let cryptogram = PowerAuthCoreEciesCryptogram(responsePayload: json),
            let plain = decryptor.decryptResponse(cryptogram)
        {
            let finding = read(plain, decoder)
            if case .envelope = finding { return (finding, plain) }
            return (finding, nil)
        }
        // Only an error may come unencrypted: anything else could be forged.
        if isSealed || readsPlainErrors, case .envelope(let envelope) = read(body, decoder), envelope.status == .Error {
            return (.envelope(envelope), nil)
        }
        return (.unreadable(NotDecrypted()), nil)
    }

    /// Whether the server reports that it could not open the envelope of the request, for instance because it no longer
    /// has the temporary key. Some servers have the code of temporary keys for that.
    var refusesEnvelope: Bool {
        guard case .envelope(let envelope) = finding, let code = envelope.responseError?.errorCode else { return false }
        return code == .encryptionError || code == .temporaryKeyError
    }

    /// Whether the server reports that a signature is wrong. It says so, too, when it could not open the envelope of a
    /// signed request (rest-api.md, section 7.3).
    var refusesAuthority: Bool { status == 401 }

    /// What the caller gets.
    /// - Parameter keepsDecodingError: whether the error states why the answer cannot be read.
    func result(keepsDecodingError: Bool) -> Result<Response, WPNError> {
        switch finding {
        case .envelope(let envelope) where envelope.status == .Ok:
            if !(200..<300).contains(status) {
                WPNLogger.warning("A successful answer has the HTTP status \(status).")
            }
            return .success(envelope)
        case .envelope(let envelope): return .failure(error(.network_generic, nil, envelope.responseError))
        case .unreadable(let cause):
            return .failure(
                error(
                    status == 200 ? .network_invalidResponseObject : .network_errorStatusCode,
                    keepsDecodingError ? (cause as? WPNError)?.nestedError ?? cause : nil, nil))
        }
    }

    private func error(_ reason: WPNErrorReason, _ cause: (any Error)?, _ restApiError: WPNRestApiError?) -> WPNError {
        WPNError(reason: reason, error: cause, httpUrlResponse: httpUrlResponse, restApiError: restApiError)
    }
}

/// Why an answer cannot be read.
private struct NotDecrypted: LocalizedError {
    var errorDescription: String? { "failed to decrypt response" }
}

/// A request's body in its encrypted form (networking.md, section 6.2).
struct EncryptedBody {
    let json: Data
    /// Opens the answer. One for each request, so that one encryptor may serve several at a time.
    let decryptor: PowerAuthCoreEciesEncryptor

    /// - Returns: nil when the encryptor cannot encrypt.
    init?(_ body: Data, with encryptor: PowerAuthCoreEciesEncryptor) {
        var sealed: (PowerAuthCoreEciesCryptogram, PowerAuthCoreEciesEncryptor)?
        encryptor.encryptRequest(body) { cryptogram, decryptor in
            if let cryptogram, let decryptor { sealed = (cryptogram, decryptor) }
        }
        guard let (cryptogram, decryptor) = sealed,
            let json = try? JSONSerialization.data(withJSONObject: cryptogram.requestPayload(), options: .sortedKeys)
        else { return nil }
        self.json = json
        self.decryptor = decryptor
    }
}

/// Sees the answers as they came (networking.md, section 2.8). Called on the main thread, before the completion of the
/// request.
public protocol WPNResponseDelegate: AnyObject {
    /// Takes an answer that was not decrypted: one to a request in the clear, an error, or one that cannot be read.
    /// - Parameters:
    ///   - url: the URL of the request.
    ///   - statusCode: the HTTP status.
    ///   - body: the bytes that came; may be empty.
    func responseReceived(from url: URL, statusCode: Int?, body: Data)

    /// Takes an answer that was decrypted and understood.
    /// - Parameters:
    ///   - url: the URL of the request.
    ///   - statusCode: the HTTP status.
    ///   - body: the bytes that came.
    ///   - decrypted: their decrypted content.
    func encryptedResponseReceived(from url: URL, statusCode: Int?, body: Data, decrypted: Data)
}
