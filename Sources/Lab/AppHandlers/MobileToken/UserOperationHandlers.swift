// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabPeer
import LabVocabulary
import PowerAuth2
import WultraMobileTokenSDK

enum UserOperationHandlers {
    static func register(on peer: Peer, app: MobileTokenApp, sdk: @escaping () throws -> PowerAuthSDK) {
        registerReading(on: peer, app: app)
        registerDeciding(on: peer, app: app)
        registerWaiting(on: peer, app: app)
        registerOffline(on: peer, app: app, sdk: sdk)
    }

    private static func registerReading(on peer: Peer, app: MobileTokenApp) {
        peer.handle(GetOperations.self) { arguments, reply in
            let task = try app.ready().operations.getOperations { result in
                app.remember(result.operations)
                reply(result.map { $0.map(UserOperation.init) }.mapError { $0 })
            }
            guard arguments.cancel else { return }
            task.cancel()
            reply(.success(nil))
        }
        peer.handleSync(LastFetchResult.self) { _ in
            try app.ready().operations.lastFetchResult?.get().map(UserOperation.init)
        }
        peer.handle(GetHistory.self) { arguments, reply in
            let factors = PowerAuthAuthentication.approving(with: arguments.password, biometry: arguments.biometry)
            try app.ready().operations.getHistory(authentication: factors) { result in
                reply(result.map { $0.map(UserOperation.init) }.mapError { $0 })
            }
        }
        peer.handle(GetDetail.self) { arguments, reply in
            try app.ready().operations.getDetail(operationId: arguments.operationId) { result in
                reply(app.remembered(result))
            }
        }
        peer.handle(ClaimOperation.self) { arguments, reply in
            try app.ready().operations.claim(operationId: arguments.operationId) { result in
                reply(app.remembered(result))
            }
        }
    }

    private static func registerDeciding(on peer: Peer, app: MobileTokenApp) {
        peer.handle(AuthorizeOperation.self) { arguments, reply in
            let operation = try app.operation(arguments.operationId, data: arguments.data)
            let proof = arguments.totp.map { WMTProximityCheck(totp: $0, type: .init(arguments.totpType)) }
            if let fetched = operation as? WMTUserOperation {
                // Also when nil: the one of an earlier attempt must not be sent again.
                fetched.proximityCheck = proof
            } else if proof != nil {
                throw ControlError.badArgument("`totp` goes with an operation that was fetched; leave out `data`.")
            }
            try app.ready().operations.authorize(
                operation: operation, with: .approving(with: arguments.password, biometry: arguments.biometry)
            ) { reply($0.done) }
        }
        peer.handle(RejectOperation.self) { arguments, reply in
            try app.ready().operations.reject(
                operation: app.operationToReject(arguments.operationId), with: WMTRejectionReason(arguments.reason)
            ) { reply($0.done) }
        }
    }

    private static func registerWaiting(on peer: Peer, app: MobileTokenApp) {
        peer.handleSync(StartPollingOperations.self) { arguments in
            try app.ready().operations.startPollingOperations(
                interval: arguments.interval?.seconds ?? 7, delayStart: arguments.delayStart)
        }
        peer.handleSync(StopPollingOperations.self) { _ in try app.ready().operations.stopPollingOperations() }
        peer.handleSync(IsPollingOperations.self) { _ in try app.ready().operations.isPollingOperations }
        peer.handleSync(WatchExpiration.self) { _ in
            let services = try app.ready()
            let pending = services.operations.lastFetchResult?.operations ?? []
            return services.watcher.add(pending).compactMap { ($0 as? WMTUserOperation)?.id }
        }
        peer.handleSync(ParseProximityCode.self) { arguments in
            switch (arguments.deeplink, arguments.qrCode) {
            case (let link?, nil):
                guard let url = URL(string: link) else { return nil }
                return WMTPACUtils.parseDeeplink(url: url).map(ParseProximityCode.Code.init)
            case (nil, let code?): return WMTPACUtils.parseQRCode(code: code).map(ParseProximityCode.Code.init)
            default: throw ControlError.badArgument("`parseProximityCode` needs either `deeplink` or `qrCode`.")
            }
        }
    }

    /// The commands about operations that are scanned and approved without a network.
    private static func registerOffline(
        on peer: Peer, app: MobileTokenApp, sdk: @escaping () throws -> PowerAuthSDK
    ) {
        peer.handleSync(ParseQROperation.self) { arguments in
            try ParseQROperation.Result(scan(arguments.payload, with: sdk()))
        }
        peer.handle(AuthorizeQROperation.self) { arguments, reply in
            try app.ready().operations.authorize(
                qrOperation: scan(arguments.payload, with: sdk()), uriId: arguments.uriId,
                authentication: .approving(with: arguments.password, biometry: arguments.biometry)
            ) { reply($0.mapError { $0 }) }
        }
    }

    /// Reads and verifies a code, as the SDK's manual requires before an app shows anything.
    private static func scan(_ payload: String, with sdk: PowerAuthSDK) throws -> WMTQROperation {
        switch WMTQROperationParser().parse(string: payload) {
        case .failure(let error):
            throw ControlError(
                domain: "WMTQROperationParserError", name: String(describing: error),
                message: "The code is not an operation: \(error).")
        case .success(let operation):
            guard
                sdk.verifyServerSignedData(
                    operation.signedData, signature: operation.signature.signature,
                    masterKey: operation.signature.signingKey == .master)
            else {
                throw ControlError(
                    domain: "WMTQROperationParserError", name: "signatureNotTrusted",
                    message: "The code was not signed by the server that the app is activated with.")
            }
            return operation
        }
    }
}

extension MobileTokenApp {
    /// Keeps an operation that was fetched alone, and gives it as a command answers it.
    fileprivate func remembered(_ result: Result<WMTUserOperation, WMTError>) -> Result<UserOperation, any Error> {
        if case .success(let operation) = result { remember([operation]) }
        return result.map(UserOperation.init).mapError { $0 }
    }
}

extension Result where Success == Void, Failure == WMTError {
    /// The outcome as a command without an answer gives it.
    var done: Result<NoResult, any Error> { map { NoResult() }.mapError { $0 } }
}

extension PowerAuthAuthentication {
    /// Possession with the factors that a command names.
    static func approving(with password: Secret?, biometry: Bool) -> PowerAuthAuthentication {
        biometry ? .possessionWithBiometry(prompt: "Approve") : .signing(with: password)
    }
}

extension WMTProximityCheckType {
    fileprivate init(_ type: AuthorizeOperation.ProximityCheckType) {
        self =
            switch type {
            case .qrCode: .qrCode
            case .deeplink: .deeplink
            }
    }
}

extension WMTRejectionReason {
    /// The reason with a name as it travels.
    fileprivate init(_ name: String) {
        self = [.unknown, .incorrectData, .unexpectedOperation].first { $0.serialized == name } ?? .custom(name)
    }
}

extension ParseProximityCode.Code {
    fileprivate init(_ data: WMTPACData) {
        self.init {
            $0.operationId = data.operationId
            $0.totp = data.totp
        }
    }
}

extension ParseQROperation.Result {
    fileprivate init(_ operation: WMTQROperation) {
        self.init {
            $0.operationId = operation.operationId
            $0.title = operation.title
            $0.message = operation.message
            $0.templateId = operation.operationData.templateId
            $0.fields = operation.operationData.fields.map(\.members)
            $0.allowBiometryFactor = operation.flags.allowBiometryFactor
            $0.flipButtons = operation.flags.flipButtons
            $0.fraudWarning = operation.flags.fraudWarning
            $0.blockWhenOnCall = operation.flags.blockWhenOnCall
            $0.totp = operation.totp
            $0.isNewerFormat = operation.isNewerFormat
            $0.signingKey = operation.signature.signingKey == .master ? .master : .personalized
        }
    }
}

extension WMTQROperationData.Field {
    /// The field with its type and what it holds.
    fileprivate var members: [String: JSONValue] {
        let members: [String: String?] =
            switch self {
            case .amount(let amount, let currency):
                ["type": "amount", "amount": amount.description, "currency": currency]
            case .account(let iban, let bic): ["type": "account", "iban": iban, "bic": bic]
            case .anyAccount(let account): ["type": "anyAccount", "account": account]
            case .date: ["type": "date", "date": plainDate.map(Self.text)]
            case .reference(let text): ["type": "reference", "text": text]
            case .note(let text): ["type": "note", "text": text]
            case .text(let text): ["type": "text", "text": text]
            case .fallback(let text, let fieldType):
                ["type": "fallback", "text": text, "fieldType": String(fieldType)]
            case .empty: ["type": "empty"]
            }
        return members.compactMapValues { $0 }.mapValues { .string($0) }
    }

    private static func text(_ date: DateComponents) -> String {
        String(format: "%04d-%02d-%02d", date.year ?? 0, date.month ?? 0, date.day ?? 0)
    }
}
