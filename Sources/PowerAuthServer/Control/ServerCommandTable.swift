import Foundation
import LabKit
import PowerAuthProtocol

/// Answers the server commands of the lab's vocabulary with the same services as the back-office API.
///
/// Answers block; call on a worker thread.
struct ServerCommandTable: Sendable {
    private typealias Handler = @Sendable (JSONValue) throws -> JSONValue

    private let services: ServerServices
    private var handlers: [String: Handler] = [:]

    init(server: LabServer) {
        let services = server.services
        self.services = services
        let resources = ResourceCaller(
            endpoints: server.endpoints, journal: server.journal, credentials: server.credentials)
        register(CallResource.self, resources.call)
        register(InitActivation.self, initActivation)
        register(CommitActivation.self) { arguments in
            _ = try services.activations.commit(
                activationId: arguments.activationId, otp: nil, externalUserId: nil)
            return NoResult()
        }
        register(LabKit.ActivationStatus.self, activationStatus)
        register(BlockActivation.self) { arguments in
            _ = try services.activations.block(
                activationId: arguments.activationId, reason: arguments.reason, externalUserId: nil)
            return NoResult()
        }
        register(UnblockActivation.self) { arguments in
            _ = try services.activations.unblock(activationId: arguments.activationId, externalUserId: nil)
            return NoResult()
        }
        register(RemoveServerActivation.self) { arguments in
            _ = try services.activations.remove(activationId: arguments.activationId, externalUserId: nil)
            return NoResult()
        }
        register(VerifySignature.self, verifySignature)
        register(ValidateToken.self, validateToken)
    }

    /// The names of the commands that have an answer.
    var names: Set<String> { Set(handlers.keys) }

    /// Answers one command.
    func answer(_ request: ControlRequest) -> Result<JSONValue, ControlError> {
        guard let handler = handlers[request.command] else {
            return .failure(.unknownCommand(request.command, known: handlers.keys.sorted()))
        }
        return CurrentOperation.$id.withValue(request.operation) {
            do {
                return .success(try handler(request.arguments))
            } catch let error as ServiceError {
                return .failure(
                    ControlError(
                        domain: "PowerAuthServer", name: error.code.rawValue,
                        message: "\(error.code.message) (\(error.cause))"))
            } catch {
                return .failure(.failed(error))
            }
        }
    }

    private mutating func register<C: Command>(
        _ command: C.Type, _ body: @escaping @Sendable (C.Arguments) throws -> C.Result
    ) {
        handlers[command.name] = { arguments in
            let decoded: C.Arguments
            do {
                decoded = try arguments.decode()
            } catch {
                throw ControlError.badArgument("\(C.name): \(JSONValue.explain(error))")
            }
            return try JSONValue(encoding: try body(decoded))
        }
    }

    private func initActivation(_ arguments: InitActivation.Arguments) throws -> InitActivation.Result {
        let application = try services.applications.list().first
        let initiated = try services.activations.initiate(
            .init(
                userId: arguments.userId ?? "alice", applicationId: application?.id,
                maxFailureCount: arguments.maxFailureCount,
                commitPhase: arguments.activationOtp == nil ? nil : .onKeyExchange,
                otp: arguments.activationOtp?.revealed))
        return InitActivation.Result(
            activationId: initiated.activation.id, activationCode: initiated.activation.code,
            activationSignature: StrictBase64.encode(initiated.codeSignature), userId: initiated.activation.userId,
            applicationId: initiated.activation.application.id)
    }

    private func activationStatus(_ arguments: ActivationReference) throws -> LabKit.ActivationStatus.Result {
        let detail = try services.statuses.detail(activationId: arguments.activationId, challenge: nil)
        let activation = detail.activation
        return LabKit.ActivationStatus.Result(
            activationId: arguments.activationId, activationStatus: (activation?.status ?? .removed).name,
            blockedReason: activation?.lifecycle.blockedReason, activationName: activation?.name,
            userId: activation?.userId ?? "unknown", failedAttempts: activation?.failedAttempts ?? 0,
            maxFailedAttempts: activation?.maxFailedAttempts ?? services.context.policy.maxFailedAttempts,
            counter: Int(clamping: activation?.lifecycle.binding?.counter ?? 0),
            devicePublicKeyFingerprint: detail.fingerprint, platform: activation?.platform,
            deviceInfo: activation?.deviceInfo, tokens: detail.tokens)
    }

    private func verifySignature(_ arguments: VerifySignature.Arguments) throws -> VerifySignature.Result {
        let header: SignatureHeader
        do {
            header = try SignatureHeader(parsing: arguments.header)
        } catch {
            throw ControlError.badArgument("header: \(error.rawValue)")
        }
        let verdict = try services.signatures.verify(
            SignatureQuestion(
                activationId: header.activationId, applicationKey: header.applicationKey,
                data: .request(
                    method: arguments.method, uriId: arguments.uriId, nonce: header.nonce,
                    body: Data((arguments.body ?? "").utf8)),
                signature: header.signature, type: header.signatureType, version: header.version))
        let activation = verdict.activation
        return VerifySignature.Result(
            signatureValid: verdict.isValid, activationStatus: (activation?.status ?? .removed).name,
            activationId: header.activationId, userId: activation?.userId, signatureType: header.signatureType.name,
            remainingAttempts: activation.map { $0.maxFailedAttempts - $0.failedAttempts })
    }

    private func validateToken(_ arguments: ValidateToken.Arguments) throws -> ValidateToken.Result {
        let header: TokenHeader
        do {
            header = try TokenHeader(parsing: arguments.header)
        } catch {
            throw ControlError.badArgument("header: \(error.rawValue)")
        }
        switch try services.tokens.validate(header) {
        case .unknownToken:
            return ValidateToken.Result(
                tokenValid: false, activationStatus: nil, activationId: nil, userId: nil, signatureType: nil)
        case .invalid(let token, let activation):
            return Self.result(false, token, activation)
        case .valid(let token, let activation):
            return Self.result(true, token, activation)
        }
    }

    private static func result(_ isValid: Bool, _ token: Token, _ activation: Activation) -> ValidateToken.Result {
        ValidateToken.Result(
            tokenValid: isValid, activationStatus: activation.status.name, activationId: activation.id,
            userId: activation.userId, signatureType: token.signatureType)
    }
}
