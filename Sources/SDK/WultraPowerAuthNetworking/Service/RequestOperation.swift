// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import LabHTTP
import LabPoints
import PowerAuth2
import PowerAuthCore
import PowerAuthShared
import SimulatedDevice
import Synchronization

/// One request from its turn to its completion (networking.md, section 7.3): encryptor, signature or token, encryption,
/// exchange, answer.
///
/// Thread rule: any thread. Unchecked: the plan, the decoder and the completion are constants that one step at a time uses;
/// what changes is behind a mutex.
final class RequestOperation<Response: WPNResponseBase>: QueuedOperation, @unchecked Sendable {
    private struct State {
        /// What is under way: a prerequisite, or the exchange.
        var part: UncheckedTransfer<any PowerAuthOperationTask>?
        var exchange: (any HTTPExchange)?
    }

    private let plan: RequestPlan
    private let headers: HTTPHeaders
    private let service: WPNNetworkingService
    private let url: URL
    private let decoder: JSONDecoder
    private let completion: Callback<(Response?, WPNError?)>
    /// The lab operation that caused the request; follows it from thread to thread.
    private let labOperation = Sandbox.operation
    private let state = Mutex(State())

    private var powerAuth: PowerAuthSDK { service.powerAuth }

    /// - Parameters:
    ///   - headers: the headers that are known now.
    ///   - service: whose request it is; kept until the request has ended.
    ///   - completion: takes the result on the completion queue, also that of a cancel.
    init(
        _ plan: RequestPlan, headers: HTTPHeaders, service: WPNNetworkingService, decoder: JSONDecoder,
        completion: @escaping (Response?, WPNError?) -> Void
    ) {
        self.plan = plan
        self.headers = headers
        self.service = service
        self.decoder = decoder
        self.completion = Callback { completion($0.0, $0.1) }
        url = service.config.buildURL(plan.path)
        super.init(isSigned: plan.isSigned)
    }

    // MARK: Ends

    override func canceled() {
        let (part, exchange) = state.withLock { state in
            defer { state = State() }
            return (state.part, state.exchange)
        }
        part?.value.cancel()
        exchange?.cancel()
        // A request that is cancelled before its turn gets none: the waiters for its end are notified now.
        start()
        let completion = completion
        (completionQueue ?? .main).async { completion((nil, WPNError(reason: .canceled))) }
    }

    override func refuse(_ error: any Error) {
        fail(.network_signError, error)
        start()
    }

    private func fail(_ reason: WPNErrorReason, _ error: (any Error)? = nil) {
        finish(nil, WPNError(reason: reason, error: error))
    }

    private func finish(_ response: Response?, _ error: WPNError?) {
        guard !isFinished else { return }
        state.withLock { $0 = State() }
        markFinished { [completion] in completion((response, error)) }
    }

    // MARK: Before the exchange

    override func started() {
        guard let body = plan.body else { return fail(.network_invalidRequestObject) }
        attempt(body, isRepeated: false)
    }

    /// Prepares and sends the request. The encryptor comes first: no counter is spent for a request that cannot be
    /// encrypted (networking.md, section 17, item 7).
    private func attempt(_ body: Data, isRepeated: Bool) {
        inLabOperation {
            withEncryptor { [self] encryptor in
                withAuthorization(of: body) { [self] authorization in
                    guard let request = sealed(body, authorization, encryptor) else { return }
                    send(request.http, body, request.decryptor, isRepeated: isRepeated)
                }
            }
        }
    }

    private func withEncryptor(_ next: @escaping @Sendable (PowerAuthCoreEciesEncryptor?) -> Void) {
        switch plan.encryption {
        case .none: next(nil)
        case .given(let encryptor): next(encryptor)
        case .scope(let scope):
            wait { [self] in
                powerAuth.encryptor(for: scope, queue: RestClient.concurrentQueue) { [self] encryptor, error in
                    guard let encryptor else { return fail(.network_generic, error) }
                    inLabOperation { next(encryptor) }
                }
            }
        }
    }

    private func withAuthorization(
        of body: Data, _ next: @escaping @Sendable (PowerAuthAuthorizationHttpHeader?) -> Void
    ) {
        guard !isFinished else { return }
        switch plan.authorization {
        case .none: next(nil)
        case .signature(let uriId, let authentication):
            do {
                next(try powerAuth.requestSignature(with: authentication, method: "POST", uriId: uriId, body: body))
            } catch {
                fail(.network_signError, error)
            }
        case .token(let name, let authentication):
            wait { [self] in
                powerAuth.tokenStore.requestAccessToken(withName: name, authentication: authentication) {
                    [self] token, error in
                    guard let token else { return fail(error == nil ? .network_unknown : .network_generic, error) }
                    offMainQueue { [self] in withHeader(of: token, next) }
                }
            }
        }
    }

    /// The header is made with the server's time, which has to be known (networking.md, section 17, item 8).
    private func withHeader(
        of token: PowerAuthToken, _ next: @escaping @Sendable (PowerAuthAuthorizationHttpHeader?) -> Void
    ) {
        if powerAuth.sandbox.keeps(.tokenTimeIsNotSynchronized) {
            guard let header = token.generateHeader() else { return fail(.network_signError) }
            return next(header)
        }
        wait { [self] in
            powerAuth.tokenStore.generateAuthorizationHeader(withName: token.tokenName) { [self] header, error in
                if let header { return offMainQueue { next(header) } }
                // The token was removed with its activation.
                if error?.powerAuthErrorCode == .invalidToken { return fail(.network_signError) }
                fail(.network_generic, error)
            }
        }
    }

    /// Continues from a callback on the main queue, which must not wait for the encryption and sending of the request.
    private func offMainQueue(_ body: @escaping @Sendable () -> Void) {
        RestClient.concurrentQueue.async { [self] in inLabOperation(body) }
    }

    /// The request as it is sent, and the decryptor of the answer; nil when the operation has failed meanwhile.
    private func sealed(
        _ body: Data, _ authorization: PowerAuthAuthorizationHttpHeader?, _ encryptor: PowerAuthCoreEciesEncryptor?
    ) -> (http: HTTPRequest, decryptor: PowerAuthCoreEciesEncryptor?)? {
        var headers = headers
        if let authorization { headers.set(authorization.key, authorization.value) }
        headers.setDefault("Accept", "application/json")
        headers.setDefault("Content-Type", "application/json")
        var (body, decryptor) = (body, PowerAuthCoreEciesEncryptor?.none)
        if let encryptor {
            guard let metaData = encryptor.associatedMetaData, let sealed = EncryptedBody(body, with: encryptor) else {
                // Nothing is sent in the clear that was to be encrypted (networking.md, section 17, item 1).
                WPNLogger.error("Failed to encrypt request with encryptor.")
                fail(.network_generic, NSError.powerAuth(.encryption, "Failed to encrypt request with encryptor."))
                return nil
            }
            (body, decryptor) = (sealed.json, sealed.decryptor)
            // The header of a signature has the same content.
            if !plan.isSigned { headers.set(metaData.httpHeaderKey, metaData.httpHeaderValue) }
        }
        let timeout = plan.timeout ?? service.config.timeoutIntervalForRequest
        return (HTTPRequest(url: url, headers: headers.fields, body: body, timeout: timeout), decryptor)
    }

    // MARK: The exchange

    private func send(
        _ request: HTTPRequest, _ body: Data, _ decryptor: PowerAuthCoreEciesEncryptor?, isRepeated: Bool
    ) {
        guard !isFinished else { return }
        var request = request
        if let progress = plan.progress.map({ Callback($0) }) { request.progress = { progress($0) } }
        TrafficLog.write(request, baseURL: service.config.baseUrl)
        let refusal: ServerTrustDecision = powerAuth.sandbox.keeps(.pinningRefusalIsCancel) ? .cancel : .reject
        let judge = service.config.sslValidation.judge(of: url, refusal: refusal)
        let exchange = powerAuth.client.network.send(request, to: plan.path, judge: judge) { [self] result in
            switch result {
            case .success(let response): receive(response, to: body, decryptor, isRepeated: isRepeated)
            case .failure(let error): fail(error)
            }
        }
        hold {
            $0.exchange = exchange
        } orElse: {
            exchange.cancel()
        }
    }

    private func fail(_ error: NSError) {
        guard !isFinished else { return }
        TrafficLog.write(error, to: url)
        // As the platform has it, so that an application can catch it by its type.
        let known = error.domain == NSURLErrorDomain ? URLError.Code(rawValue: error.code) : nil
        let nested: (any Error)? = known.map { URLError($0, userInfo: error.userInfo) } ?? error
        fail(WPNErrorReason(exchangeFailedWith: error), nested)
    }

    private func receive(
        _ response: HTTPResponse, to body: Data, _ decryptor: PowerAuthCoreEciesEncryptor?, isRepeated: Bool
    ) {
        guard !isFinished else { return }
        TrafficLog.write(response, to: url)
        let sandbox = powerAuth.sandbox
        let reading = ResponseReading<Response>(
            response, from: url, decoder: decoder, decryptor: decryptor,
            readsPlainErrors: !sandbox.keeps(.encryptedCallLosesError))
        let (carried, keyId) = (UncheckedTransfer(reading), decryptor?.associatedMetaData?.temporaryKeyId)
        tellDelegate(reading, response) { [self] in
            let end = { @Sendable [self] in
                switch carried.value.result(keepsDecodingError: !sandbox.keeps(.decodingErrorIsDropped)) {
                case .success(let answer): finish(answer, nil)
                case .failure(let error): finish(nil, error)
                }
            }
            guard !isRepeated, case .scope(let scope) = plan.encryption, let keyId, !keyId.isEmpty,
                !sandbox.keeps(.temporaryKeyIsNotRenewed)
            else { return end() }
            if carried.value.refusesEnvelope {
                // Another request may have got a new key meanwhile.
                powerAuth.client.forgetTemporaryKey(keyId, for: scope)
                attempt(body, isRepeated: true)
            } else if carried.value.refusesAuthority, plan.isSigned, scope == .activation {
                wait {
                    powerAuth.client.replaceTemporaryKeyIfUnknown(keyId) { [self] isReplaced in
                        if isReplaced { attempt(body, isRepeated: true) } else { end() }
                    }
                }
            } else {
                end()
            }
        }
    }

    /// Shows an answer to the delegate, on the main thread, before anything else happens with it.
    private func tellDelegate(
        _ reading: ResponseReading<Response>, _ response: HTTPResponse, then next: @escaping @Sendable () -> Void
    ) {
        guard service.responseDelegate != nil else { return next() }
        let (decrypted, url) = (reading.decrypted, url)
        DispatchQueue.main.async { [self] in
            // A released delegate is not notified, and no delegate is notified of a cancelled request.
            if !isFinished, let delegate = service.responseDelegate {
                if let decrypted {
                    delegate.encryptedResponseReceived(
                        from: url, statusCode: response.status, body: response.body, decrypted: decrypted)
                } else {
                    delegate.responseReceived(from: url, statusCode: response.status, body: response.body)
                }
            }
            RestClient.concurrentQueue.async { next() }
        }
    }

    // MARK: Cancel

    /// Starts a prerequisite, which a cancel of the request cancels.
    private func wait(for start: () -> (any PowerAuthOperationTask)?) {
        guard !isFinished, let task = start() else { return }
        let part = UncheckedTransfer(task)
        hold {
            $0.part = part
        } orElse: {
            part.value.cancel()
        }
    }

    /// Remembers what is under way, unless the request has ended meanwhile.
    private func hold(_ remember: (inout State) -> Void, orElse giveUp: () -> Void) {
        state.withLock { remember(&$0) }
        if isFinished {
            state.withLock { $0 = State() }
            giveUp()
        }
    }

    private func inLabOperation(_ body: () -> Void) { Sandbox.$operation.withValue(labOperation, operation: body) }
}
