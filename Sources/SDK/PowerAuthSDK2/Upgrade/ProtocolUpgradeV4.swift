// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
import PowerAuthCore
import PowerAuthProtocol
import PowerAuthShared

/// One upgrade to protocol 4: start and confirmation, and what follows a lost answer (protocol-4.md, section 14).
///
/// The state has the progress, so that a later upgrade, or that of another application, continues. Thread rule: any thread.
struct ProtocolUpgradeV4: Sendable {
    let base: PowerAuth2.PowerAuthSDK
    let task: OperationTask<Void>
    let password: PowerAuthCorePassword
    /// 16 bytes in place of the device's key, if the application keeps one.
    let possessionKey: Data?
    /// The key of the biometry factor, if the factor is kept.
    let biometryKey: Data?

    func begin() { begin(attempt: 1) }

    private func begin(attempt: Int) {
        if base.session.readBoolTask(session: { $0.hasPendingUpgradeV4 || $0.hasVersion4Activation }) {
            look(attempt: attempt)
        } else {
            start(attempt: attempt)
        }
    }

    private func look(attempt: Int) {
        task.add(
            Self.look(base) { result in
                switch result {
                case .success(.nothing): task.complete(.success(()))
                case .success(.start): start(attempt: attempt)
                case .success(.confirm): confirm(attempt: attempt)
                case .success(.finish): finish()
                // The server has other keys than the state: a later start has replaced them, and its answer was lost.
                case .failure(let error) where error.isRefusal: start(attempt: attempt)
                case .failure(let error): retry(after: error, attempt: attempt)
                }
            })
    }

    private func start(attempt: Int) {
        do throws(NSError) {
            let hasBiometry = biometryKey != nil
            let exchange = try sdkError {
                try base.session.read { core in try core.upgradeExchangeV4(enableBiometry: hasBiometry) }
            }
            let deviceKey = try base.factorKeys.possessionKey()
            let client = base.client
            let request = RestRequest(
                .startUpgradeV4,
                authentication: .possessionWithPassword(password: password, customPossessionKey: possessionKey),
                object: { _ in try RestRequest.object(exchange.request) },
                // Another application may have done it meanwhile.
                isStillNeeded: { !client.hasVersion4Activation })
            // The password that the server has confirmed protects the new knowledge key, too.
            let step = LocalStep<Void>.write(dependingOn: [.knowledge]) { core, response in
                guard response.wasSent else { return }
                let keys = PowerAuthCoreSignatureUnlockKeys(
                    possessionUnlockKey: possessionKey ?? deviceKey, biometryUnlockKey: biometryKey,
                    userPassword: password)
                keys.transportUnlockKey = deviceKey
                try sdkError { try core.apply(response.decode(UpgradeStartResponse.self), of: exchange, keys: keys) }
            }
            task.add(
                client.post(request, step) { result in
                    switch result {
                    case .success: confirm(attempt: attempt)
                    case .failure(let error): retry(after: error, attempt: attempt)
                    }
                })
        } catch {
            task.complete(.failure(error))
        }
    }

    private func confirm(attempt: Int) {
        let client = base.client
        let (tokens, biometry) = (base.tokens, base.factorKeys.biometry)
        let request = RestRequest(
            .confirmUpgrade, authentication: .possession(customPossessionKey: possessionKey),
            // Another application may have done it meanwhile.
            isStillNeeded: { !client.hasVersion4Activation })
        let step = LocalStep<Void>.write { core, _ in try Self.finish(core, tokens) }
        task.add(
            client.post(request, step) { result in
                switch result {
                case .success:
                    biometry.removeKeyOfRemovedFactor()
                    task.complete(.success(()))
                case .failure(let error): retry(after: error, attempt: attempt)
                }
            })
    }

    /// The server has taken a confirmation whose answer was lost.
    private func finish() {
        do throws(NSError) {
            try Self.finish(base)
            task.complete(.success(()))
        } catch {
            task.complete(.failure(error))
        }
    }

    private static func finish(_ base: PowerAuth2.PowerAuthSDK) throws(NSError) {
        let tokens = base.tokens
        try nsError { try base.session.write { core in try finish(core, tokens) } }
        base.factorKeys.biometry.removeKeyOfRemovedFactor()
    }

    private static func finish(_ core: PowerAuthCoreSession, _ tokens: KeychainTokenStore) throws(NSError) {
        guard !core.hasVersion4Activation else { return }
        try sdkError { try core.finishUpgradeV4() }
        // The server refuses headers of protocol 3 from now on.
        tokens.removeAllLocalTokens()
    }

    /// Looks again after a lost answer: the request may have reached the server. Other errors end the upgrade.
    private func retry(after error: NSError, attempt: Int) {
        guard error.isLostAnswer, attempt < RestClient.mostAttempts, !task.isCancelled else {
            return task.complete(.failure(error))
        }
        PowerAuthLog.write("Protocol upgrade: attempt \(attempt) failed: \(error.localizedDescription)")
        RestClient.retry(after: attempt) { begin(attempt: attempt + 1) }
    }
}

/// How far the server is with an upgrade that the state knows.
extension ProtocolUpgradeV4 {
    /// Ends an upgrade whose confirmation the server has taken although its answer was lost. Any other upgrade stays as it is.
    /// - Parameters:
    ///   - base: has the state of the upgrade.
    ///   - completion: takes an error of the transport or the state, or nil. Called on a background thread.
    static func endIfConfirmed(
        _ base: PowerAuth2.PowerAuthSDK, completion: @escaping @Sendable (NSError?) -> Void
    ) -> any PowerAuthOperationTask {
        look(base) { result in
            switch result {
            case .success(.finish):
                do throws(NSError) {
                    try finish(base)
                    completion(nil)
                } catch {
                    completion(error)
                }
            case .failure(let error) where error.isLostAnswer: completion(error)
            // The server answers requests of protocol 3, or says why not.
            case .success, .failure: completion(nil)
            }
        }
    }

    private static func look(
        _ base: PowerAuth2.PowerAuthSDK, completion: @escaping @Sendable (TaskResult<UpgradeStepV4>) -> Void
    ) -> any PowerAuthOperationTask {
        let factorKeys = base.factorKeys
        let step = LocalStep<UpgradeStepV4>.write { core, response in
            // Another application may have ended the upgrade, and the answer be from before.
            guard !core.hasVersion4Activation else { return .nothing }
            let keys = try factorKeys.possessionKeys()
            return try sdkError {
                let status = try core.decodeStatusV4(response.string("activationStatus") ?? "", keys: keys).status
                return try core.upgradeStepV4(
                    currentVersion: status.currentVersion, upgradeVersion: status.upgradeVersion,
                    isConfirmationPending: status.flags.contains(.upgradeConfirmationPending))
            }
        }
        return base.client.post(RestRequest(.activationStatusV4), step, completion: completion)
    }
}

extension NSError {
    /// Whether the server has answered, and refused.
    fileprivate var isRefusal: Bool { userInfo[PowerAuthErrorDomain] is PowerAuthRestApiErrorResponse }
    /// Whether the server may have done its part although nothing arrived.
    fileprivate var isLostAnswer: Bool { domain != PowerAuthErrorDomain }
}
