// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import LabHTTP
import PowerAuthProtocol
import PowerAuthShared
import Synchronization
import TestSupport

/// A transport whose other end is a server made of the protocol's mathematics, in this process.
final class FakeServer: HTTPTransport {
    /// What a test may order for the next requests of a path.
    enum Order: Sendable {
        case answer(status: Int, body: String)
        case fail(URLError.Code)
        /// Keeps the request until ``release(_:)``.
        case hold

        var isHold: Bool {
            if case .hold = self { true } else { false }
        }
    }

    struct State {
        var activationId: String?
        var keys: DerivedKeys?
        var devicePublicKey: PublicKey?
        var counter = CounterData.random()
        var counterNumber = 0
        var status = ActivationState.active
        var failedAttempts: UInt8 = 0
        var temporaryKeys: [String: PrivateKey] = [:]
        var keyLifetime: UInt64 = 300_000
        /// What the server says instead of its own public key.
        var announcedServerKey: Data?
        var tokens: [String: String] = [:]
        var requests: [HTTPRequest] = []
        var orders: [String: [Order]] = [:]
        var held: [String: @Sendable () -> Void] = [:]
        /// Tests that wait for so many requests of a path.
        var waiting: [(path: String, count: Int, resume: CheckedContinuation<Void, Never>)] = []
        var signedInFlight = 0
        var mostSignedInFlight = 0
    }

    static let baseURL = "http://127.0.0.1/enrollment-server"
    static let applicationKey = Data(0..<16)
    static let applicationSecret = Data(16..<32)
    static let maxFailedAttempts: UInt8 = 5

    let masterKey: PrivateKey
    let serverKey: PrivateKey
    let state = Mutex(State())
    private let queue = DispatchQueue(label: "fake-server", attributes: .concurrent)

    init() throws {
        masterKey = try .generate()
        serverKey = try .generate()
    }

    var configuration: PowerAuthConfiguration {
        get throws {
            PowerAuthConfiguration(
                instanceId: "com.example.instance", baseEndpointUrl: Self.baseURL + "/",
                configuration: try MobileSdkConfiguration(
                    applicationKey: Self.applicationKey, applicationSecret: Self.applicationSecret,
                    masterServerPublicKey: masterKey.publicKey.uncompressed
                ).string)
        }
    }

    /// Paths behind the base URL, in the order the requests arrived.
    var paths: [String] { state.withLock { $0.requests.map { $0.url.path.replacing("/enrollment-server", with: "") } } }

    /// Public key of the activation's device.
    var devicePublicKey: PublicKey? { state.withLock { $0.devicePublicKey } }

    func order(_ orders: Order..., for path: String) { state.withLock { $0.orders[path, default: []] += orders } }

    /// Waits until the server has received `count` requests of a path.
    func arrival(of path: String, count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                let arrived = state.requests.count { $0.url.path.hasSuffix(path) }
                if arrived < count { state.waiting.append((path, count, continuation)) }
                return arrived >= count
            }
            if isThere { continuation.resume() }
        }
    }

    /// Releases a held request of a path, now or as soon as it arrives.
    func release(_ path: String) {
        let resume = state.withLock { state -> (@Sendable () -> Void)? in
            if let resume = state.held.removeValue(forKey: path) { return resume }
            if state.orders[path]?.first?.isHold == true { state.orders[path]?.removeFirst() }
            return nil
        }
        resume?()
    }

    // MARK: Transport

    private final class Exchange: HTTPExchange {
        private let completion: @Sendable (Result<HTTPResponse, NSError>) -> Void
        private let isFinished = Atomic(false)
        let url: URL

        init(_ url: URL, _ completion: @escaping @Sendable (Result<HTTPResponse, NSError>) -> Void) {
            self.url = url
            self.completion = completion
        }

        func finish(_ result: Result<HTTPResponse, NSError>) {
            guard !isFinished.exchange(true, ordering: .acquiringAndReleasing) else { return }
            completion(result)
        }

        func cancel() { finish(.failure(CurlError.error(.cancelled, "cancelled", url: url))) }
    }

    func send(
        _ request: HTTPRequest, completion: @escaping @Sendable (Result<HTTPResponse, NSError>) -> Void
    ) -> any HTTPExchange {
        let exchange = Exchange(request.url, completion)
        let path = request.url.path.replacing("/enrollment-server", with: "")
        let order = state.withLock { state -> Order? in
            state.requests.append(request)
            var order: Order?
            if state.orders[path]?.isEmpty == false { order = state.orders[path]?.removeFirst() }
            // Before a test learns of the arrival: it may release the request at once.
            if order?.isHold == true { state.held[path] = { [self] in answer(request, path, exchange) } }
            let arrived = state.requests.count { $0.url.path.hasSuffix(path) }
            for test in state.waiting where test.path == path && test.count <= arrived { test.resume.resume() }
            state.waiting.removeAll { $0.path == path && $0.count <= arrived }
            return order
        }
        switch order {
        case .answer(let status, let body):
            queue.async { exchange.finish(.success(HTTPResponse(status: status, body: Data(body.utf8)))) }
        case .fail(let code):
            queue.async { exchange.finish(.failure(CurlError.error(code, "ordered", url: request.url))) }
        case .hold: break
        case nil: answer(request, path, exchange)
        }
        return exchange
    }

    private func answer(_ request: HTTPRequest, _ path: String, _ exchange: Exchange) {
        queue.async { [self] in
            let isSigned = request.header("X-PowerAuth-Authorization") != nil
            if isSigned {
                state.withLock {
                    $0.signedInFlight += 1
                    $0.mostSignedInFlight = max($0.mostSignedInFlight, $0.signedInFlight)
                }
            }
            let response = (try? respond(request, path)) ?? Self.error(400, "ERR_REQUEST")
            if isSigned { state.withLock { $0.signedInFlight -= 1 } }
            exchange.finish(.success(response))
        }
    }

    // MARK: Endpoints

    private func respond(_ request: HTTPRequest, _ path: String) throws -> HTTPResponse {
        switch path {
        case "/pa/v3/status": return Self.ok(["serverTime": Self.now])
        case "/pa/v3/keystore/create": return try createTemporaryKey(request)
        case "/pa/v3/activation/create": return try createActivation(request)
        case "/pa/v3/activation/status": return try status(request)
        case "/pa/v3/signature/validate":
            return try verify(request, "/pa/signature/validate") ? Self.ok([:]) : Self.unauthorized
        case "/pa/v3/activation/remove":
            guard try verify(request, "/pa/activation/remove") else { return Self.unauthorized }
            state.withLock { $0.status = .removed }
            return Self.ok([:])
        case "/pa/v3/token/create":
            guard try verify(request, "/pa/token/create") else { return Self.unauthorized }
            let id = UUID().uuidString.lowercased()
            let secret = StrictBase64.encode(Random.bytes(16))
            state.withLock { $0.tokens[id] = secret }
            return try encrypted(request, .createToken) { _ in ["tokenId": id, "tokenSecret": secret] }
        case "/pa/v3/token/remove":
            guard try verify(request, "/pa/token/remove") else { return Self.unauthorized }
            let id = try Self.requestObject(request)["tokenId"] as? String
            state.withLock { state in _ = id.map { state.tokens.removeValue(forKey: $0) } }
            return Self.ok([:])
        case "/pa/v3/vault/unlock":
            guard try verify(request, "/pa/vault/unlock") else { return Self.unauthorized }
            let keys = try required(state.withLock { $0.keys })
            let wrapped = StrictBase64.encode(try Vault.wrap(keys.vault, transportKey: keys.transport))
            return try encrypted(request, .vaultUnlock) { _ in ["encryptedVaultEncryptionKey": wrapped] }
        case "/pa/v3/user/info":
            return try encrypted(request, .activationGeneric) { _ in ["sub": "eva"] }
        default: return Self.error(404, "ERR_PATH")
        }
    }

    private func createTemporaryKey(_ request: HTTPRequest) throws -> HTTPResponse {
        let jwt = try required(Self.requestObject(request)["jwt"] as? String)
        let (asked, token) = try TemporaryKeyRequest.parse(jwt: jwt)
        let secret = try ApplicationSecretKey(Self.applicationSecret)
        let isActivation = asked.activationId != nil
        let signingKey =
            isActivation
            ? try TemporaryKeyRequest.signingKey(secret, transportKey: required(state.withLock { $0.keys }).transport)
            : TemporaryKeyRequest.signingKey(secret)
        guard token.isAuthentic(key: signingKey) else { return Self.error(400, "ERR_TEMPORARY_KEY") }
        let key = try PrivateKey.generate()
        let id = UUID().uuidString.lowercased()
        let lifetime = state.withLock { state in
            state.temporaryKeys[id] = key
            return state.keyLifetime
        }
        let response = TemporaryKeyResponse(
            to: asked, keyId: id, publicKey: key.publicKey, issuedAt: Self.now, expiresAt: Self.now + lifetime)
        return Self.ok(["jwt": try response.jwt(key: isActivation ? serverKey : masterKey)])
    }

    private func createActivation(_ request: HTTPRequest) throws -> HTTPResponse {
        try encrypted(request, .applicationGeneric) { outer in
            let layer2 = try JSONSerialization.data(withJSONObject: required(outer["activationData"]))
            let sealed = try decryptAndAnswer(layer2, .activationLayer2, activationId: nil) { inner in
                let id = UUID().uuidString.lowercased()
                let exchange = try ActivationKeyExchange(
                    serverKey: serverKey, activationId: id,
                    devicePublicKey: StrictBase64.decode(required(inner["devicePublicKey"] as? String), field: ""))
                state.withLock {
                    $0.activationId = id
                    $0.keys = exchange.keys
                    $0.devicePublicKey = exchange.peerPublicKey
                    $0.counter = exchange.counter
                    $0.counterNumber = 0
                    $0.status = .active
                    $0.failedAttempts = 0
                }
                let announced = state.withLock { $0.announcedServerKey } ?? serverKey.publicKey.uncompressed
                return [
                    "activationId": id, "serverPublicKey": StrictBase64.encode(announced),
                    "ctrData": StrictBase64.encode(exchange.counter.rawData),
                ]
            }
            return [
                "activationData": try JSONSerialization.jsonObject(with: sealed), "userInfo": ["sub": "eva"],
                "customAttributes": outer["customAttributes"] as? [String: Any] ?? [:],
            ]
        }
    }

    private func status(_ request: HTTPRequest) throws -> HTTPResponse {
        let challenge = try required(Self.requestObject(request)["challenge"] as? String)
        let nonce = Random.bytes(16)
        let exchange = try StatusBlob.Exchange(
            challenge: StrictBase64.decode(challenge, field: "challenge"), nonce: nonce)
        let now = state.withLock {
            ($0.activationId, $0.keys, $0.counter, $0.counterNumber, $0.status, $0.failedAttempts)
        }
        let transport = try required(now.1).transport
        let blob = StatusBlob(
            state: now.4, failedAttempts: now.5, maxFailedAttempts: Self.maxFailedAttempts,
            counter: .init(
                byte: UInt8(truncatingIfNeeded: now.3), lookAhead: 20,
                dataHash: StatusBlob.counterDataHash(transportKey: transport, counter: now.2)))
        return Self.ok([
            "activationId": try required(now.0), "nonce": StrictBase64.encode(nonce),
            "encryptedStatusBlob": StrictBase64.encode(try blob.encrypted(transportKey: transport, exchange: exchange)),
            "customObject": ["lang": "cs"],
        ])
    }

    /// Verifies a signature as a server does; the signed bytes are those received.
    private func verify(_ request: HTTPRequest, _ uriId: String) throws -> Bool {
        let header = try SignatureHeader(parsing: request.header("X-PowerAuth-Authorization"))
        let data = SymmetricSignature.normalize(
            method: request.method, uriId: uriId, nonce: header.nonce, body: request.body,
            applicationSecretText: StrictBase64.encode(Self.applicationSecret))
        return try state.withLock { state in
            guard let keys = state.keys, state.status == .active, header.activationId == state.activationId else {
                return false
            }
            let match = try ServerSignatureVerification.match(
                signature: header.signature, version: header.version,
                keys: SignatureKeys(keys, factors: header.signatureType.factors), data: data, counter: state.counter,
                lookAhead: 20)
            guard let match else {
                if header.signatureType != .possession { state.failedAttempts += 1 }
                if state.failedAttempts >= Self.maxFailedAttempts { state.status = .blocked }
                return false
            }
            state.counter = match.nextCounter
            state.counterNumber += match.distance + 1
            if header.signatureType != .possession { state.failedAttempts = 0 }
            return true
        }
    }

    // MARK: Encryption

    private func encrypted(
        _ request: HTTPRequest, _ sharedInfo: EciesSharedInfo1, _ answer: ([String: Any]) throws -> [String: Any]
    ) throws -> HTTPResponse {
        let activationId = sharedInfo.scope == .activation ? state.withLock { $0.activationId } : nil
        if request.header("X-PowerAuth-Authorization") == nil {
            let header = try EncryptionHeader(
                parsing: request.header("X-PowerAuth-Encryption"), scope: sharedInfo.scope ?? .application)
            guard header.activationId == activationId else { return Self.error(400, "ERR_ENCRYPTION") }
        }
        return HTTPResponse(
            status: 200, body: try decryptAndAnswer(request.body, sharedInfo, activationId: activationId, answer))
    }

    private func decryptAndAnswer(
        _ body: Data, _ sharedInfo: EciesSharedInfo1, activationId: String?,
        _ answer: ([String: Any]) throws -> [String: Any]
    ) throws -> Data {
        let request = try JSONDecoder().decode(EciesRequest.self, from: body)
        let (key, keys) = state.withLock { state in
            (request.temporaryKeyId.flatMap { state.temporaryKeys[$0] }, state.keys)
        }
        let secret = StrictBase64.encode(Self.applicationSecret)
        let decryptor = EciesServerDecryptor(
            parameters: EciesParameters(
                version: .v3_3, sharedInfo1: sharedInfo, applicationKey: StrictBase64.encode(Self.applicationKey),
                activationId: activationId, temporaryKeyId: request.temporaryKeyId),
            serverPrivateKey: try required(key),
            sharedInfo2: activationId == nil
                ? SharedInfo2.application(secret) : SharedInfo2.activation(try required(keys).transport, secret))
        let (plain, responder) = try decryptor.decrypt(request)
        let object = try JSONSerialization.jsonObject(with: plain) as? [String: Any] ?? [:]
        let response = try responder.encrypt(
            JSONSerialization.data(withJSONObject: answer(object)), timestamp: Self.now)
        return try JSONEncoder().encode(response)
    }

    // MARK: Shapes

    private struct Missing: Error {}

    private func required<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw Missing() }
        return value
    }

    private static var now: UInt64 { UInt64(Date().timeIntervalSince1970 * 1000) }

    private static func requestObject(_ request: HTTPRequest) throws -> [String: Any] {
        let body = try JSONSerialization.jsonObject(with: request.body) as? [String: Any]
        return body?["requestObject"] as? [String: Any] ?? [:]
    }

    private static func ok(_ object: [String: Any]) -> HTTPResponse {
        let body = try? JSONSerialization.data(withJSONObject: ["status": "OK", "responseObject": object])
        return HTTPResponse(status: 200, body: body ?? Data())
    }

    static func error(_ status: Int, _ code: String) -> HTTPResponse {
        HTTPResponse(status: status, body: Data(errorBody(code).utf8))
    }

    static func errorBody(_ code: String) -> String {
        #"{"status":"ERROR","responseObject":{"code":"\#(code)","message":"text","currentRecoveryPukIndex":3}}"#
    }

    private static var unauthorized: HTTPResponse { error(401, "ERR_AUTHENTICATION") }
}

extension HTTPRequest {
    /// The value of a header.
    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}
