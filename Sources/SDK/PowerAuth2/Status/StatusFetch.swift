// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabPoints
import SimulatedDevice
import Synchronization

/// One fetch of the activation's status, with what it may cause: an upgrade of the protocol, or the signature that
/// synchronises the counters (sdk.md, section 9.3).
///
/// Thread rule: any thread.
final class StatusFetch: Sendable {
    /// A status as it was received, and the state at that moment.
    struct Reading: Sendable {
        let status: PowerAuthActivationStatus
        let activationId: String
        let needsSignature: Bool
        /// The server offers an upgrade, or one is running.
        let concernsUpgrade: Bool
        /// The server's answer is about a state that was changed meanwhile, and does not fit the new one.
        let isOutdated: Bool
        let serverVersion: PowerAuthCoreProtocolVersion
        let localVersion: PowerAuthCoreProtocolVersion
        let pendingVersion: PowerAuthCoreProtocolVersion
        /// The activation that the status is of; nil when it is not compared.
        let basis: ActivationSnapshot?
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
    ///   - fetched: sees a status, and the identifier of its activation, before any other code does.
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

    func makeGroup() -> GroupedTask<PowerAuthActivationStatus> {
        GroupedTask(
            GroupedTask.Hooks(
                start: { group in self.request(in: group, attempt: 1) },
                complete: { _ in self.withdrawUpgrade() }))
    }

    /// Asks the server.
    /// - Parameter attempt: number of the upgrade attempt that the answer may lead to, from 1.
    func request(in group: GroupedTask<PowerAuthActivationStatus>, attempt: Int, after earlier: NSError? = nil) {
        let challenge = PowerAuthCoreSession.generateActivationStatusChallenge()
        let request = RestRequest(.activationStatus) { core in
            guard let activationId = core.activationIdentifier else { throw NSError.powerAuth(.missingActivation) }
            return ["activationId": activationId, "challenge": challenge]
        }
        // An answer about another activation cannot be decoded, which is the original's error for it (sharing.md,
        // section 11).
        let decoding = LocalStep<Reading>.write(refusal: .invalidActivationData) { [self] core, response in
            try decode(core, response, challenge: challenge)
        }
        group.setOperation(
            client.post(request, decoding) { [self] result in
                do throws(NSError) {
                    let reading = try requested(result)
                    if reading.isOutdated, attempt < RestClient.mostAttempts {
                        guard !group.isFinished else { return }
                        self.request(in: group, attempt: attempt + 1, after: earlier)
                    } else if reading.concernsUpgrade {
                        try continueUpgrade(after: reading, in: group, attempt: attempt, earlier: earlier)
                    } else {
                        synchronizeCounter(after: reading, in: group)
                    }
                } catch {
                    group.complete(.failure(error))
                }
            })
    }

    func report(_ reading: Reading, in group: GroupedTask<PowerAuthActivationStatus>) {
        guard !group.isFinished else { return }
        fetched(reading.status, reading.activationId)
        group.complete(.success(reading.status))
    }

    /// The original takes the missing answer to a request for one of an unknown server (sdk.md, section 15, item 5).
    private func requested(_ result: TaskResult<Reading>) throws(NSError) -> Reading {
        if case .failure(let error) = result, sandbox.keeps(.upgradeHidesFailedRequest),
            session.hasPendingProtocolUpgrade()
        {
            throw .powerAuth(.protocolUpgrade, "Unknown server version.", underlying: error)
        }
        return try result.get()
    }

    /// In a write task: the counter may jump forward.
    private func decode(
        _ core: PowerAuthCoreSession, _ response: RestResponse, challenge: String
    ) throws(NSError) -> Reading {
        let keys = try factorKeys.possessionKeys()
        let encrypted = PowerAuthCoreEncryptedActivationStatus(
            challenge: challenge, encryptedStatusBlob: response.string("encryptedStatusBlob") ?? "",
            nonce: response.string("nonce") ?? "")
        let counterHasMoved = response.isOutdated(in: core, .counter)
        guard let activationId = core.activationIdentifier,
            // An answer about another activation must not be mistaken for one about this.
            response.string("activationId").map({ $0 == activationId }) ?? true,
            let status = core.decodeActivationStatus(encrypted, keys: keys)
        else { throw .powerAuth(.invalidActivationData) }
        let concernsUpgrade = status.isProtocolUpgradeAvailable || core.hasPendingProtocolUpgrade
        if concernsUpgrade, !upgradesProtocol {
            PowerAuthLog.write("WARNING: An upgrade of the protocol is available, but switched off.")
        }
        return Reading(
            status: PowerAuthActivationStatus(status, customObject: response.object["customObject"] as? [String: Any]),
            activationId: activationId, needsSignature: status.isSignatureCalculationRecommended,
            concernsUpgrade: concernsUpgrade && upgradesProtocol,
            isOutdated: response.isOutdated(in: core, .protocolVersion) || counterHasMoved && status.state == .deadlock,
            serverVersion: status.currentActivationVersion, localVersion: core.protocolVersion,
            pendingVersion: core.pendingProtocolUpgradeVersion, basis: client.basis(in: core))
    }

    /// Lets the server see a signature where its counter is far behind, then reports.
    private func synchronizeCounter(after reading: Reading, in group: GroupedTask<PowerAuthActivationStatus>) {
        guard reading.needsSignature else { return report(reading, in: group) }
        let request = RestRequest(.validateSignature, authentication: .possession()) { _ in
            ["reason": "COUNTER_SYNCHRONIZATION"]
        }
        group.setOperation(
            client.post(request, .answer { _ in }) { [self] result in
                switch result {
                case .success: report(reading, in: group)
                case .failure(let error): group.complete(.failure(error))
                }
            })
    }
}

/// State of an activation (sdk.md, section 5.17).
public enum PowerAuthActivationState: Int, Sendable {
    /// The record exists on the server, no key exchange yet.
    case created = 1
    /// Keys are exchanged, the server waits for a commit.
    case pendingCommit = 2
    /// The activation can be used.
    case active = 3
    /// Too many failed attempts, or blocked by the server.
    case blocked = 4
    /// Removed on the server.
    case removed = 5
    /// The signature counters of client and server can never meet again. Computed by the SDK, never sent.
    case deadlock = 128
}

/// Status of an activation (sdk.md, section 5.17). Immutable. Thread rule: any thread.
public final class PowerAuthActivationStatus: @unchecked Sendable {
    // Safe to share: the custom object holds only values that the JSON parser made, which are never mutated.

    /// State of the activation.
    public let state: PowerAuthActivationState
    /// Failed attempts since the last successful one.
    public let failCount: UInt32
    /// Failed attempts that block the activation.
    public let maxFailCount: UInt32
    /// Attempts left; 0 unless the activation is active.
    public let remainingAttempts: UInt32
    /// Object from the application's server.
    public let customObject: [String: Any]?
    /// Whether the server offers protocol 4, which another SDK speaks.
    package let offersVersion4: Bool

    init(_ status: PowerAuthCoreActivationStatus, customObject: [String: Any]?) {
        // Both enumerations have the same raw values.
        state = PowerAuthActivationState(rawValue: status.state.rawValue)!
        failCount = status.failCount
        maxFailCount = status.maxFailCount
        remainingAttempts = status.remainingAttempts
        offersVersion4 = status.offersVersion4
        self.customObject = customObject
    }
}
