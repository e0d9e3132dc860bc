import Foundation
import FoundationNetworking
import LabKit
import LabPeer
import PowerAuth2

/// A request of the app's own to its server, made the way the SDK's manual describes: signed first, then encrypted,
/// sent by the app's own HTTP client.
///
/// Main queue until the request is sent; the reply comes from a queue of the HTTP client.
struct ApplicationRequest {
    typealias Reply = @Sendable (Result<SendRequest.Result, any Error>) -> Void

    private let arguments: SendRequest
    private let sdk: PowerAuthSDK
    private let request: URLRequest
    private let reply: Reply

    /// - Throws: `ControlError` for a path that makes no URL.
    init(_ arguments: SendRequest, sdk: PowerAuthSDK, reply: @escaping Reply) throws {
        self.arguments = arguments
        self.sdk = sdk
        self.reply = reply
        request = try URLRequest(arguments.path, at: sdk.configuration.baseEndpointUrl)
    }

    private var method: String { arguments.method.rawValue }

    private var body: Data? { arguments.body.map { JSONValue.object($0).encoded() } }

    /// Adds what was asked for and sends.
    func send() throws {
        var request = request
        request.httpMethod = method
        if let uriId = arguments.uriId {
            let header = try sdk.requestSignature(
                with: .signing(with: arguments.password), method: method, uriId: uriId, body: body)
            request.setValue(header.value, forHTTPHeaderField: header.key)
        }
        guard let name = arguments.token else { return encrypt(request) }
        guard sdk.tokenStore.hasLocalToken(withName: name) else {
            throw NSError.powerAuth(.invalidToken, "There is no token named '\(name)' in the app's store.")
        }
        sdk.tokenStore.generateAuthorizationHeader(withName: name) { header, error in
            guard let header else { return reply(.failure(error ?? NSError.powerAuth(.invalidToken))) }
            request.setValue(header.value, forHTTPHeaderField: header.key)
            encrypt(request)
        }
    }

    private func encrypt(_ request: URLRequest) {
        let then = { (encryptor: PowerAuthCoreEciesEncryptor?, error: NSError?) in
            guard let encryptor else { return reply(.failure(error ?? NSError.powerAuth(.encryption))) }
            perform(request, encryptedBy: encryptor)
        }
        switch arguments.encryption {
        case .application: sdk.eciesEncryptorForApplicationScope(callback: then)
        case .activation: sdk.eciesEncryptorForActivationScope(callback: then)
        case nil: perform(request, body: body, decryptedBy: nil)
        }
    }

    private func perform(_ request: URLRequest, encryptedBy encryptor: PowerAuthCoreEciesEncryptor) {
        var request = request
        encryptor.encryptRequest(body) { cryptogram, decryptor in
            guard let cryptogram, let decryptor, let metaData = decryptor.associatedMetaData,
                let body = try? JSONSerialization.data(withJSONObject: cryptogram.requestPayload())
            else { return reply(.failure(NSError.powerAuth(.encryption, "The request cannot be encrypted."))) }
            request.setValue(metaData.httpHeaderValue, forHTTPHeaderField: metaData.httpHeaderKey)
            perform(request, body: body, decryptedBy: decryptor)
        }
    }

    private func perform(_ request: URLRequest, body: Data?, decryptedBy decryptor: PowerAuthCoreEciesEncryptor?) {
        var request = request
        request.httpBody = body
        let reply = reply
        URLSession.shared.answer(to: request) { answer in
            reply(answer.flatMap { plain($0.status, $0.body, decryptedBy: decryptor) })
        }
    }

    /// The answer as the server meant it: the one of a failure is never encrypted.
    private func plain(
        _ status: Int, _ body: Data, decryptedBy decryptor: PowerAuthCoreEciesEncryptor?
    ) -> Result<SendRequest.Result, any Error> {
        guard status == 200, let decryptor else { return .success(SendRequest.Result(status: status, body: body)) }
        guard let payload = try? JSONSerialization.jsonObject(with: body),
            let cryptogram = PowerAuthCoreEciesCryptogram(responsePayload: payload),
            let plaintext = decryptor.decryptResponse(cryptogram)
        else { return .failure(NSError.powerAuth(.encryption, "The answer cannot be decrypted.")) }
        return .success(SendRequest.Result(status: status, body: plaintext))
    }
}
