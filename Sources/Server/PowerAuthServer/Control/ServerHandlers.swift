// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabVocabulary
import PowerAuthProtocol

extension CommandDispatcher<ServerServices> {
    /// Performs a command on a server's workers, next to HTTP requests, on behalf of its operation. Returns at once.
    /// - Parameter completion: takes the outcome, once, on a worker.
    func perform(
        _ request: ControlRequest, by server: LabServer,
        _ completion: @escaping @Sendable (Result<JSONValue, ControlError>) -> Void
    ) {
        let services = server.services
        server.workers.submit {
            CurrentOperation.$id.withValue(request.operation) { perform(request, on: services, completion) }
        }
    }
}

/// The server commands of the lab's vocabulary, answered with the same services as the back-office API.
///
/// Thread rule: any thread. Answers block; perform commands on a worker thread.
enum ServerHandlers {
    /// The table for a server.
    ///
    /// - Throws: `IncompleteCommandTable` when a command of the vocabulary has no handler.
    static func table(for server: LabServer) throws(IncompleteCommandTable) -> CommandDispatcher<ServerServices> {
        let resources = ResourceHandlers(
            endpoints: server.endpoints, journal: server.journal, credentials: server.credentials,
            labAccess: server.labAccess, reading: server.services.context.policy.reading)
        var table = CommandDispatcher<ServerServices>(of: .server, errors: controlError)
        resources.add(to: &table, on: server.workers)
        // A server that plays in an instance has the lab's powers.
        TrafficHandlers(powers: server.powers ?? TestControls()).add(to: &table)
        table.answer(InitActivation.self, initActivation)
        table.answer(CommitActivation.self) { arguments, services in
            _ = try services.activations.commit(
                activationId: Identifier(arguments.activationId, field: "activationId"), otp: nil, externalUserId: nil)
        }
        table.answer(LabVocabulary.ActivationStatus.self, activationStatus)
        table.answer(BlockActivation.self) { arguments, services in
            _ = try services.activations.block(
                activationId: Identifier(arguments.activationId, field: "activationId"), reason: arguments.reason,
                externalUserId: nil)
        }
        table.answer(UnblockActivation.self) { arguments, services in
            _ = try services.activations.unblock(
                activationId: Identifier(arguments.activationId, field: "activationId"), externalUserId: nil)
        }
        table.answer(RemoveServerActivation.self) { arguments, services in
            _ = try services.activations.remove(
                activationId: Identifier(arguments.activationId, field: "activationId"), externalUserId: nil)
        }
        table.answer(VerifySignature.self, verifySignature)
        table.answer(ValidateToken.self, validateToken)
        OperationHandlers.add(to: &table)
        try table.checkComplete()
        return table
    }

    private static func controlError(_ error: any Error) -> ControlError {
        guard let error = error as? ServiceError else { return .failed(error) }
        return ControlError(
            domain: "PowerAuthServer", name: error.code.rawValue, message: "\(error.code.message) (\(error.cause))")
    }

    private static func initActivation(
        _ arguments: InitActivation, _ services: ServerServices
    ) throws -> InitActivation.Result {
        let application = try services.applications.list().first
        let initiated = try services.activations.initiate(
            .init(
                userId: Identifier(arguments.userId, field: "userId"), applicationId: application?.id,
                maxFailureCount: arguments.maxFailureCount,
                commitPhase: arguments.activationOtp == nil ? nil : .onKeyExchange,
                otp: arguments.activationOtp?.revealed))
        return InitActivation.Result {
            $0.activationId = initiated.activation.id.text
            $0.activationCode = initiated.activation.code
            $0.activationSignature = StrictBase64.encode(initiated.codeSignature)
            $0.userId = initiated.activation.userId.text
            $0.applicationId = initiated.activation.application.id.text
        }
    }

    private static func activationStatus(
        _ arguments: LabVocabulary.ActivationStatus, _ services: ServerServices
    ) throws -> LabVocabulary.ActivationStatus.Result {
        let id = try Identifier(arguments.activationId, field: "activationId")
        let detail = try services.statuses.detail(activationId: id, challenge: nil)
        let activation = detail.activation
        let tokens = try services.context.read { try TokenStore.count($0, activationId: id) }
        return LabVocabulary.ActivationStatus.Result {
            $0.activationId = arguments.activationId
            $0.activationStatus = LabVocabulary.ActivationStatus.State(activation?.status ?? .removed)
            $0.blockedReason = activation?.lifecycle.blockedReason
            $0.activationName = activation?.name
            $0.userId = activation?.userId.text ?? "unknown"
            $0.failedAttempts = activation?.failedAttempts ?? 0
            $0.maxFailedAttempts = activation?.maxFailedAttempts ?? services.context.policy.maxFailedAttempts
            $0.counter = Int(clamping: activation?.lifecycle.binding?.counter ?? 0)
            $0.devicePublicKeyFingerprint = detail.fingerprint
            $0.platform = activation?.platform
            $0.deviceInfo = activation?.deviceInfo
            $0.tokens = tokens
        }
    }

    private static func verifySignature(
        _ arguments: VerifySignature, _ services: ServerServices
    ) throws -> VerifySignature.Result {
        let question = try question(arguments)
        let verdict = try services.signatures.verify(question)
        let activation = verdict.activation
        return VerifySignature.Result {
            $0.signatureValid = verdict.isValid
            $0.activationStatus = (activation?.status ?? .removed).name
            $0.activationId = question.activationId.text
            $0.userId = activation?.userId.text
            $0.signatureType = question.type.name
            $0.remainingAttempts = activation?.remainingAttempts
        }
    }

    /// What a header of either generation of the protocol asks.
    private static func question(_ arguments: VerifySignature) throws -> SignatureQuestion {
        func data(nonce: String) -> SignedData {
            .request(
                method: arguments.method.rawValue, uriId: arguments.uriId, nonce: nonce,
                body: Data((arguments.body ?? "").utf8))
        }
        do {
            guard DeviceAuthentication.isOfVersion4(arguments.header, "pa_version") else {
                let header = try SignatureHeader(parsing: arguments.header)
                return SignatureQuestion(
                    activationId: try Identifier(header.activationId, field: "activationId"),
                    applicationKey: try Identifier(header.applicationKey, field: "applicationKey"),
                    data: data(nonce: header.nonce), signature: header.signature, type: header.signatureType,
                    version: .v3(header.version))
            }
            let header = try AuthenticationHeader(parsing: arguments.header)
            return SignatureQuestion(
                activationId: try Identifier(header.activationId, field: "activationId"),
                applicationKey: try Identifier(header.applicationKey, field: "applicationKey"),
                data: data(nonce: header.nonce), signature: header.code, type: header.type, version: .v4)
        } catch let error as SignatureHeaderError {
            throw ControlError.badArgument("`header` is no such header: \(error.rawValue).")
        } catch let error as ProtocolError {
            throw ControlError.badArgument("`header` is no such header: \(error).")
        }
    }

    private static func validateToken(
        _ arguments: ValidateToken, _ services: ServerServices
    ) throws -> ValidateToken.Result {
        let header: any TokenProof
        do {
            if DeviceAuthentication.isOfVersion4(arguments.header, "version") {
                header = try TokenHeaderV4(parsing: arguments.header)
            } else {
                header = try TokenHeader(parsing: arguments.header)
            }
        } catch let error as TokenHeaderError {
            throw ControlError.badArgument("`header` is no such header: \(error.rawValue).")
        } catch {
            throw ControlError.badArgument("`header` is no such header: \(error).")
        }
        switch try services.tokens.validate(header) {
        case .unknownToken:
            return ValidateToken.Result { $0.tokenValid = false }
        case .invalid(let token, let activation):
            return Self.result(false, token, activation)
        case .valid(let token, let activation):
            return Self.result(true, token, activation)
        }
    }

    private static func result(_ isValid: Bool, _ token: Token, _ activation: Activation) -> ValidateToken.Result {
        ValidateToken.Result {
            $0.tokenValid = isValid
            $0.activationStatus = activation.status.name
            $0.activationId = activation.id.text
            $0.userId = activation.userId.text
            $0.signatureType = token.signatureType
        }
    }
}

extension LabVocabulary.ActivationStatus.State {
    fileprivate init(_ state: ActivationState) {
        self =
            switch state {
            case .created: .created
            case .pendingCommit: .pendingCommit
            case .active: .active
            case .blocked: .blocked
            case .removed: .removed
            }
    }
}
