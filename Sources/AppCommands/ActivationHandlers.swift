import Foundation
import LabKit
import LabPeer
import PeerCommands
import PowerAuth2

/// The commands about the life of an activation.
enum ActivationHandlers {
    static func register(on peer: Peer, sdk: @escaping () throws -> PowerAuthSDK) {
        peer.handle(CreateActivation.self) { arguments, reply in
            do {
                let activation = try PowerAuthActivation(
                    activationCode: arguments.activationCode, name: arguments.name)
                if let extras = arguments.extras { activation.with(extras: extras) }
                if let otp = arguments.additionalActivationOtp {
                    activation.with(additionalActivationOtp: otp.revealed)
                }
                try sdk().createActivation(activation) { result, error in
                    reply(
                        Outcome.of(
                            result.map { .init(activationFingerprint: $0.activationFingerprint) }, error))
                }
            } catch {
                reply(.failure(error))
            }
        }
        peer.handleSync(PersistActivation.self) { arguments in
            let password = arguments.password.revealed
            try sdk().persistActivation(
                with: arguments.biometry == true
                    ? .persistWithPasswordAndBiometry(password: password) : .persistWithPassword(password: password))
            return NoResult()
        }
        peer.handle(FetchActivationStatus.self) { _, reply in
            do {
                try sdk().fetchActivationStatus { status, error in
                    reply(Outcome.of(status.map(FetchActivationStatus.Result.init), error))
                }
            } catch {
                reply(.failure(error))
            }
        }
        peer.handle(RemoveActivation.self) { arguments, reply in
            do {
                try sdk().removeActivation(with: .signing(with: arguments.password)) { error in
                    reply(Outcome.of(error))
                }
            } catch {
                reply(.failure(error))
            }
        }
        peer.handleSync(RemoveActivationLocal.self) { _ in
            try sdk().removeActivationLocal()
            return NoResult()
        }
        peer.handleSync(CanStartActivation.self) { _ in try sdk().canStartActivation() }
        peer.handleSync(HasPendingActivation.self) { _ in try sdk().hasPendingActivation() }
        peer.handleSync(HasValidActivation.self) { _ in try sdk().hasValidActivation() }
        peer.handleSync(ActivationIdentifier.self) { _ in try sdk().activationIdentifier }
        peer.handleSync(ActivationFingerprint.self) { _ in try sdk().activationFingerprint }
        peer.handleSync(ExternalPendingOperation.self) { _ in
            try sdk().externalPendingOperation.map {
                ExternalPendingOperation.Operation(
                    externalOperationType: String(describing: $0.externalOperationType),
                    externalApplicationId: $0.externalApplicationId)
            }
        }
    }
}

extension FetchActivationStatus.Result {
    init(_ status: PowerAuthActivationStatus) {
        self.init(
            state: String(describing: status.state), failCount: Int(status.failCount),
            maxFailCount: Int(status.maxFailCount), remainingAttempts: Int(status.remainingAttempts))
    }
}
