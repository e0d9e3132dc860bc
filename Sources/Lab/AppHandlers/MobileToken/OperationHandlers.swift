import Foundation
import LabKit
import LabPeer
import PowerAuth2
import WultraMobileTokenSDK

/// The commands about operations that wait for the user.
enum OperationHandlers {
    static func register(on peer: Peer, app: MobileTokenApp) {
        registerReading(on: peer, app: app)
        registerDeciding(on: peer, app: app)
        registerWaiting(on: peer, app: app)
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
