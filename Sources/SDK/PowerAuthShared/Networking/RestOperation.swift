// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabHTTP
import LabPoints
import PowerAuthProtocol
import SimulatedDevice
import Synchronization

/// One call on its way: waits for its prerequisite, is built and signed when it has its turn, and ends with the processed
/// response.
///
/// Thread rule: any thread.
final class RestOperation: SerialOperation, PowerAuthOperationTask {
    private struct State {
        var isCancelled = false
        var isReported = false
        /// Whether the request is made for the second time, with another temporary key.
        var isRepeated = false
        var prerequisite: UncheckedTransfer<any PowerAuthOperationTask>?
        var exchange: (any HTTPExchange)?
        /// What the request was signed with, so that its repetition opens no second dialog. It is only read.
        var signing: UncheckedTransfer<SigningKeys>?

        var isUnderWay: Bool { !isCancelled && !isReported }

        /// Releases the parts that the call has started. Each part holds the call until its own end, so an ended call
        /// must not hold them, nor take a part that was ready before it could be stored.
        mutating func takeParts() -> (UncheckedTransfer<any PowerAuthOperationTask>?, (any HTTPExchange)?) {
            defer { (prerequisite, exchange, signing) = (nil, nil, nil) }
            return (prerequisite, exchange)
        }
    }

    private let request: RestRequest
    /// The lab operation that caused the call; follows it from thread to thread.
    private let labOperation = Sandbox.operation
    private let client: RestClient
    private let completion: @Sendable (TaskResult<RestResponse>) -> Void
    private let state = Mutex(State())

    init(
        _ request: RestRequest, client: RestClient, completion: @escaping @Sendable (TaskResult<RestResponse>) -> Void
    ) {
        self.request = request
        self.client = client
        self.completion = completion
    }

    var endpoint: RestEndpoint { request.endpoint }
    var isSerialized: Bool { request.endpoint.isSerialized }

    // MARK: Task

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func cancel() {
        let parts = state.withLock { state -> (UncheckedTransfer<any PowerAuthOperationTask>?, (any HTTPExchange)?) in
            guard !state.isCancelled, !state.isReported else { return (nil, nil) }
            state.isCancelled = true
            return state.takeParts()
        }
        parts.0?.value.cancel()
        parts.1?.cancel()
        ended()
    }

    /// Stops the call, before or during its request.
    /// - Returns: what stops the request and reports `operationCancelled`; nil for a call that has ended.
    func abort() -> (() -> Void)? {
        let parts = state.withLock { state -> (UncheckedTransfer<any PowerAuthOperationTask>?, (any HTTPExchange)?)? in
            guard state.isUnderWay else { return nil }
            state.isReported = true
            return state.takeParts()
        }
        guard let parts else { return nil }
        return { [self] in
            parts.0?.value.cancel()
            parts.1?.cancel()
            ended()
            completion(.failure(.powerAuth(.operationCancelled)))
        }
    }

    /// True for a call that makes no sense without the activation it was made for, or that makes one.
    var belongsToActivation: Bool { request.endpoint.belongsToActivation }

    /// Meets a prerequisite, then takes its turn.
    /// - Parameter prerequisite: starts the work that comes first and reports its end on a background queue.
    func start(after prerequisite: (@escaping @Sendable (TaskResult<Void>) -> Void) -> any PowerAuthOperationTask) {
        let task = UncheckedTransfer(
            prerequisite { [self] result in
                switch result {
                case .success: client.enqueue(self)
                case .failure(let error): report(.failure(error))
                }
            })
        let isTooLate = state.withLock { state in
            if state.isUnderWay { state.prerequisite = task }
            return !state.isUnderWay
        }
        if isTooLate { task.value.cancel() }
    }

    // MARK: Turn

    func run(finished: @escaping @Sendable () -> Void) {
        Sandbox.$operation.withValue(labOperation) { takeTurn(finished) }
    }

    func refuse(_ error: NSError) { report(.failure(error)) }

    private func takeTurn(_ finished: @escaping @Sendable () -> Void) {
        guard state.withLock({ $0.isUnderWay }) else { return finished() }
        do throws(NSError) {
            guard request.isStillNeeded() else {
                let basis = try nsError { try client.session.read { core in self.basis(in: core) } }
                report(.success(RestResponse(object: [:], basis: basis, wasSent: false)))
                return finished()
            }
            let (httpRequest, parser) = try build()
            // Not in the task: the interceptors are the application's, and may take their time.
            send(client.settings.intercepted(httpRequest), parser, finished)
        } catch {
            report(.failure(error))
            finished()
        }
    }

    /// Makes the request, inside one session task.
    private func build() throws(NSError) -> (HTTPRequest, RestResponseParser) {
        let endpoint = request.endpoint
        guard let url = URL(string: client.settings.baseURL + endpoint.path) else {
            throw CurlError.error(.badURL, "The base URL is not a URL.", path: client.settings.baseURL)
        }
        // Keys are read before the task is entered: a dialog must not be open while the session is locked.
        var signing = state.withLock { $0.signing }?.value
        if endpoint.signatureUriId != nil, signing == nil {
            guard let authentication = request.authentication else {
                throw .powerAuth(.networkError, "Authentication object is missing.")
            }
            // No biometric dialog opens if the request cannot be signed anyway.
            if authentication.useBiometry {
                try nsError { try client.session.read { core in try requireSigning(core) } }
            }
            let keys = try client.factorKeys.keys(for: authentication)
            if endpoint.encryption != nil {
                let kept = UncheckedTransfer(keys)
                state.withLock { state in
                    if state.isUnderWay { state.signing = kept }
                }
            }
            signing = keys
        }
        let possessionKeys = endpoint.encryption?.scope == .activation ? try client.factorKeys.possessionKeys() : nil
        return try nsError {
            try client.session.read { core in
                var headers: [(name: String, value: String)] = []
                var decryptor: ResponseDecryptor?
                let object = try request.object(core)
                let body: Data
                if let encryption = endpoint.encryption {
                    let sealed = try seal(object, encryption, keys: possessionKeys, core)
                    body = sealed.body
                    decryptor = sealed.decryptor
                    if signing == nil || endpoint.hasBothHeaders { headers.append(sealed.header) }
                } else {
                    body = try json(object.isEmpty ? [:] : ["requestObject": object])
                }
                if let uriId = endpoint.signatureUriId, let signing {
                    headers.append(try authorization(uriId, body: body, signing, core))
                }
                headers += [("Content-Type", "application/json"), ("Accept", "application/json")]
                if let userAgent = client.settings.userAgent { headers.append(("User-Agent", userAgent)) }
                return (
                    HTTPRequest(url: url, headers: headers, body: body, timeout: client.settings.timeout),
                    RestResponseParser(
                        decryptor: decryptor,
                        readsPlainErrors: !client.sandbox.keeps(.plainErrorIsNotRead), basis: basis(in: core))
                )
            }
        }
    }

    /// The state that the answer refers to. The original does not compare (sharing.md, D30).
    private func basis(in core: PowerAuthCoreSession) -> ActivationSnapshot? {
        belongsToActivation ? client.basis(in: core) : nil
    }

    private func seal(
        _ object: [String: Any], _ encryption: RestEndpoint.Encryption, keys: PowerAuthCoreSignatureUnlockKeys?,
        _ core: PowerAuthCoreSession
    ) throws(NSError) -> (body: Data, decryptor: ResponseDecryptor, header: (name: String, value: String)) {
        if encryption.scope == .activation, !core.hasValidActivation {
            throw .powerAuth(core.hasPendingActivation ? .activationPending : .missingActivation)
        }
        if let purpose = encryption.purpose { return try seal(object, purpose, keys: keys, core) }
        guard core.hasPublicKey(forEciesScope: encryption.scope) else {
            throw .powerAuth(.encryption, "Temporary key for ECIES is not set")
        }
        guard
            let encryptor = core.eciesEncryptor(for: encryption.scope, keys: keys, sharedInfo1: encryption.sharedInfo),
            let metaData = encryptor.associatedMetaData
        else { throw .powerAuth(.encryption, "Failed to create ECIES encryptor") }
        guard let cryptogram = encryptor.encryptRequest(try json(object)) else {
            throw .powerAuth(.encryption, "Failed to encrypt object data.")
        }
        return (
            try json(cryptogram.requestPayload()), .version3(encryptor),
            (metaData.httpHeaderKey, metaData.httpHeaderValue)
        )
    }

    private func seal(
        _ object: [String: Any], _ purpose: AeadPurpose, keys: PowerAuthCoreSignatureUnlockKeys?,
        _ core: PowerAuthCoreSession
    ) throws(NSError) -> (body: Data, decryptor: ResponseDecryptor, header: (name: String, value: String)) {
        let plain = try json(object)
        do {
            let encryptor = try core.requestEncryptorV4(for: purpose, keys: keys)
            let body = try JSONEncoder().encode(encryptor.encryptRequest(plain))
            return (body, .version4(encryptor), (EncryptionHeader.name, encryptor.headerValue))
        } catch {
            throw .powerAuth(.encryption, "Failed to encrypt object data.")
        }
    }

    private func authorization(
        _ uriId: String, body: Data, _ signing: SigningKeys, _ core: PowerAuthCoreSession
    ) throws(NSError) -> (name: String, value: String) {
        try requireSigning(core)
        let data = PowerAuthCoreHTTPRequestData(method: "POST", uri: uriId, body: body)
        let (signer, keys) = (client.signer, signing.unlockKeys)
        let value =
            switch endpoint.code {
            case .signature: try signer.sign(data, with: signing).authHeaderValue
            case .authenticationCode:
                try signer.code(with: signing) { core throws(PowerAuthCoreErrorCode) in
                    try core.authenticationCode(data, keys: keys, factor: signing.factor)
                }.headerValue
            case .activationConfirmation:
                try signer.code(with: signing) { core throws(PowerAuthCoreErrorCode) in
                    try core.activationConfirmationCode(body: body, keys: keys)
                }.headerValue
            case .upgradeConfirmation:
                try signer.code(with: signing) { core throws(PowerAuthCoreErrorCode) in
                    try core.upgradeConfirmationCode(body: body, keys: keys)
                }.headerValue
            }
        return ("X-PowerAuth-Authorization", value)
    }

    private func requireSigning(_ core: PowerAuthCoreSession) throws(NSError) {
        if case .activationConfirmation = endpoint.code {
            guard core.hasPendingActivation else { throw .powerAuth(.invalidActivationState) }
            return
        }
        if !request.endpoint.isAllowedDuringUpgrade,
            core.hasPendingProtocolUpgrade || core.hasProtocolUpgradeAvailable
        {
            throw .powerAuth(.pendingProtocolUpgrade)
        }
        guard core.hasValidActivation else { throw .powerAuth(.missingActivation) }
    }

    private func json(_ object: [AnyHashable: Any]) throws(NSError) -> Data {
        // `data(withJSONObject:)` ends the process for anything that is not JSON.
        guard JSONSerialization.isValidJSONObject(object) else {
            throw .powerAuth(.wrongParameter, "The request object cannot be written as JSON.")
        }
        return try nsError {
            try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
        }
    }

    private func send(
        _ request: HTTPRequest, _ parser: RestResponseParser, _ finished: @escaping @Sendable () -> Void
    ) {
        HTTPLog.write(request, isEncrypted: parser.decryptor != nil)
        let url = request.url
        let (path, judge) = (self.request.endpoint.path, client.settings.judge(for: url))
        let isRepeated = state.withLock { $0.isRepeated }
        let exchange = client.network.send(request, to: path, judge: judge) { [self] result in
            switch result {
            case .success(let response): HTTPLog.write(response, to: url, isEncrypted: parser.decryptor != nil)
            case .failure(let error): HTTPLog.write(error, to: url)
            }
            let outcome = result.flatMap { response in
                Result { () throws(NSError) in try parser.parse(response) }
            }
            if !repeats(after: outcome, parser.decryptor) { report(outcome) }
            finished()
        }
        let isTooLate = state.withLock { state in
            // The answer may have come already, and the request be on its way again.
            if state.isUnderWay, state.isRepeated == isRepeated { state.exchange = exchange }
            return !state.isUnderWay
        }
        if isTooLate { exchange.cancel() }
    }

    /// Makes the request again, once, when the server no longer has the temporary key that it was encrypted with. The
    /// original reports the error, and uses the key on until its time is over (sdk.md, section 15, item 30).
    /// - Returns: false when the outcome is final.
    private func repeats(
        after outcome: TaskResult<RestResponse>, _ decryptor: ResponseDecryptor?
    ) -> Bool {
        guard case .failure(let error) = outcome, let encryption = endpoint.encryption,
            let keyId = decryptor?.temporaryKeyId, !keyId.isEmpty,
            !client.sandbox.keeps(.unknownKeyIsUsedOn), encryption.isRefused(by: error)
        else { return false }
        switch encryption.refusal {
        case .code:
            client.forgetTemporaryKey(keyId, encryption.key)
            guard beginsRepetition() else { return false }
            client.admit(self)
        case .wrongSignature:
            guard beginsRepetition() else { return false }
            start(after: { done in
                client.replaceTemporaryKeyIfUnknown(keyId, encryption.key) { isReplaced in
                    done(isReplaced ? .success(()) : .failure(error))
                }
            })
        case .anyReason:
            client.forgetTemporaryKey(keyId, encryption.key)
            return false
        }
        return true
    }

    /// - Returns: false for a request that was repeated already, or is no longer under way.
    private func beginsRepetition() -> Bool {
        state.withLock { state in
            guard state.isUnderWay, !state.isRepeated else { return false }
            (state.isRepeated, state.exchange) = (true, nil)
            return true
        }
    }

    private func report(_ result: TaskResult<RestResponse>) {
        let reports = state.withLock { state in
            guard !state.isCancelled, !state.isReported else { return false }
            state.isReported = true
            _ = state.takeParts()
            return true
        }
        guard reports else { return }
        ended()
        completion(result)
    }

    private func ended() { client.running.remove(self) }
}

/// The calls of a client that have not ended. Thread rule: any thread.
final class RunningOperations: Sendable {
    private let operations = Mutex<[ObjectIdentifier: RestOperation]>([:])

    /// A copy of the list; calls may end meanwhile.
    var all: [RestOperation] { operations.withLock { Array($0.values) } }

    func add(_ operation: RestOperation) { operations.withLock { $0[ObjectIdentifier(operation)] = operation } }

    func remove(_ operation: RestOperation) {
        operations.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(operation)) }
    }
}
