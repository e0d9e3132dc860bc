import Foundation

/// One fetch of the activation's status, with the signature that may be needed to synchronise the counters (sdk.md,
/// section 9.3).
struct StatusFetch: Sendable {
    let session: any SessionInterface
    let client: RestClient
    let factorKeys: FactorKeySource

    /// Starts the fetch and completes the group with its result.
    ///
    /// - Parameter fetched: sees a status, and the identifier of its activation, before anybody else does.
    func start(
        in group: GroupedTask<PowerAuthActivationStatus>,
        fetched: @escaping @Sendable (PowerAuthActivationStatus, String) -> Void
    ) {
        let challenge = PowerAuthCoreSession.generateActivationStatusChallenge()
        let request = RestRequest(.activationStatus) { core in
            guard let activationId = core.activationIdentifier else { throw NSError.powerAuth(.missingActivation) }
            return ["activationId": activationId, "challenge": challenge]
        }
        group.setOperation(
            client.post(request) { result in
                do throws(NSError) {
                    let decoded = try decode(result.get(), challenge: challenge)
                    let report = { @Sendable in
                        fetched(decoded.status, decoded.activationId)
                        group.complete(.success(decoded.status))
                    }
                    guard decoded.needsSignature else { return report() }
                    synchronizeCounter(in: group, then: report)
                } catch {
                    group.complete(.failure(error))
                }
            })
    }

    private func decode(
        _ response: RestResponse, challenge: String
    ) throws(NSError) -> (status: PowerAuthActivationStatus, activationId: String, needsSignature: Bool) {
        let keys = try factorKeys.possessionKeys()
        let encrypted = PowerAuthCoreEncryptedActivationStatus(
            challenge: challenge, encryptedStatusBlob: response.string("encryptedStatusBlob") ?? "",
            nonce: response.string("nonce") ?? "")
        return try nsError {
            // The counter may jump forward, so this is a write.
            try session.write { core in
                guard let activationId = core.activationIdentifier,
                    // An answer about another activation must not be mistaken for one about this.
                    response.string("activationId").map({ $0 == activationId }) ?? true,
                    let status = core.decodeActivationStatus(encrypted, keys: keys)
                else { throw NSError.powerAuth(.invalidActivationData) }
                if status.isProtocolUpgradeAvailable {
                    PowerAuthLog.write("WARNING: The server offers a newer protocol for this activation.")
                }
                return (
                    PowerAuthActivationStatus(
                        status, customObject: response.object["customObject"] as? [String: Any]),
                    activationId, status.isSignatureCalculationRecommended
                )
            }
        }
    }

    /// Lets the server see a signature, so that its counter moves before the client is too far ahead.
    private func synchronizeCounter(
        in group: GroupedTask<PowerAuthActivationStatus>, then report: @escaping @Sendable () -> Void
    ) {
        let request = RestRequest(.validateSignature, authentication: .possession()) { _ in
            ["reason": "COUNTER_SYNCHRONIZATION"]
        }
        group.setOperation(
            client.post(request) { result in
                switch result {
                case .success: report()
                case .failure(let error): group.complete(.failure(error))
                }
            })
    }
}
