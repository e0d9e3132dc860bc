import Foundation
import SimulatedDevice
import Synchronization

/// One fetch of the activation's status, with what it may cause: an upgrade of the protocol, or the signature that
/// synchronises the counters (sdk.md, section 9.3).
///
/// Thread rule: any thread.
final class StatusFetch: Sendable {
    /// A status as it was received, and what the state said at that moment.
    struct Reading: Sendable {
        let status: PowerAuthActivationStatus
        let activationId: String
        let needsSignature: Bool
        /// The server offers an upgrade, or one is running.
        let concernsUpgrade: Bool
        let serverVersion: PowerAuthCoreProtocolVersion
    }

    let session: any SessionInterface
    let client: RestClient
    let factorKeys: FactorKeySource
    let sandbox: Sandbox
    private let upgradesProtocol: Bool
    private let fetched: @Sendable (PowerAuthActivationStatus, String) -> Void
    /// True from the moment this fetch has announced an upgrade to the other applications.
    let hasAnnouncedUpgrade = Mutex(false)

    /// - Parameters:
    ///   - upgradesProtocol: false leaves an activation of the older protocol as it is.
    ///   - fetched: sees a status, and the identifier of its activation, before anybody else does.
    init(
        session: any SessionInterface, client: RestClient, factorKeys: FactorKeySource, sandbox: Sandbox,
        upgradesProtocol: Bool, fetched: @escaping @Sendable (PowerAuthActivationStatus, String) -> Void
    ) {
        self.session = session
        self.client = client
        self.factorKeys = factorKeys
        self.sandbox = sandbox
        self.upgradesProtocol = upgradesProtocol
        self.fetched = fetched
    }

    /// The group of those who wait for this fetch.
    func makeGroup() -> GroupedTask<PowerAuthActivationStatus> {
        GroupedTask(
            GroupedTask.Hooks(
                start: { group in self.request(in: group, attempt: 1) },
                complete: { _ in self.withdrawUpgrade() }))
    }

    /// Asks the server.
    ///
    /// - Parameter attempt: number of the upgrade attempt that the answer may lead to, from 1.
    func request(in group: GroupedTask<PowerAuthActivationStatus>, attempt: Int, after earlier: NSError? = nil) {
        let challenge = PowerAuthCoreSession.generateActivationStatusChallenge()
        let request = RestRequest(.activationStatus) { core in
            guard let activationId = core.activationIdentifier else { throw NSError.powerAuth(.missingActivation) }
            return ["activationId": activationId, "challenge": challenge]
        }
        group.setOperation(
            client.post(request) { [self] result in
                do throws(NSError) {
                    let reading = try decode(requested(result), challenge: challenge)
                    if reading.concernsUpgrade {
                        try continueUpgrade(after: reading, in: group, attempt: attempt, earlier: earlier)
                    } else {
                        synchronizeCounter(after: reading, in: group)
                    }
                } catch {
                    group.complete(.failure(error))
                }
            })
    }

    /// Ends the fetch with the status.
    func report(_ reading: Reading, in group: GroupedTask<PowerAuthActivationStatus>) {
        guard !group.isFinished else { return }
        fetched(reading.status, reading.activationId)
        group.complete(.success(reading.status))
    }

    /// The original takes the missing answer to a request for one of an unknown server (sdk.md, section 15, item 5).
    private func requested(_ result: TaskResult<RestResponse>) throws(NSError) -> RestResponse {
        if case .failure(let error) = result, sandbox.keeps(.upgradeHidesFailedRequest),
            session.hasPendingProtocolUpgrade()
        {
            throw .powerAuth(.protocolUpgrade, "Unknown server version.", underlying: error)
        }
        return try result.get()
    }

    private func decode(_ response: RestResponse, challenge: String) throws(NSError) -> Reading {
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
                let concernsUpgrade = status.isProtocolUpgradeAvailable || core.hasPendingProtocolUpgrade
                if concernsUpgrade, !upgradesProtocol {
                    PowerAuthLog.write("WARNING: An upgrade of the protocol is available, but switched off.")
                }
                return Reading(
                    status: PowerAuthActivationStatus(
                        status, customObject: response.object["customObject"] as? [String: Any]),
                    activationId: activationId, needsSignature: status.isSignatureCalculationRecommended,
                    concernsUpgrade: concernsUpgrade && upgradesProtocol,
                    serverVersion: status.currentActivationVersion)
            }
        }
    }

    /// Lets the server see a signature where its counter is far behind, then reports.
    private func synchronizeCounter(after reading: Reading, in group: GroupedTask<PowerAuthActivationStatus>) {
        guard reading.needsSignature else { return report(reading, in: group) }
        let request = RestRequest(.validateSignature, authentication: .possession()) { _ in
            ["reason": "COUNTER_SYNCHRONIZATION"]
        }
        group.setOperation(
            client.post(request) { [self] result in
                switch result {
                case .success: report(reading, in: group)
                case .failure(let error): group.complete(.failure(error))
                }
            })
    }
}
