// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabPoints
import SimulatedDevice
import Synchronization

/// The upgrade of an activation to the newer protocol, as part of a status fetch (sdk.md, section 9.11).
///
/// The state always contains the progress, so that the upgrade can be continued after a failure, a restart, or by
/// another application that shares the activation.
extension StatusFetch {
    func continueUpgrade(
        after reading: Reading, in group: GroupedTask<PowerAuthActivationStatus>, attempt: Int, earlier: NSError?
    ) throws(NSError) {
        guard attempt <= RestClient.mostAttempts else {
            throw .powerAuth(.networkError, "Number of upgrade attemps reached its maximum.", underlying: earlier)
        }
        let step = try ProtocolUpgradeStep(
            server: reading.serverVersion, local: reading.localVersion, pending: reading.pendingVersion)
        if step == .none { return report(reading, in: group) }
        guard try announceUpgrade(isNew: step == .begin, after: reading, in: group) else {
            // Another application runs the upgrade or has done it; the state shows when it is done.
            return report(reading, in: group)
        }
        switch step {
        case .begin, .start: start(after: reading, in: group, attempt: attempt)
        case .commit: commit(after: reading, in: group, attempt: attempt)
        case .finish, .none: try finish(after: reading, in: group)
        }
    }

    /// Announces to the other applications that this one runs the upgrade, and stores a new one in the state.
    /// - Returns: false when another application does, or has done so since the status was read.
    /// - Throws: `operationCancelled` if no caller still waits for the fetch; nothing was started then.
    private func announceUpgrade(
        isNew: Bool, after reading: Reading, in group: GroupedTask<PowerAuthActivationStatus>
    ) throws(NSError) -> Bool {
        do throws(NSError) {
            return try nsError {
                try session.write(ifStill: reading.basis, refusal: .protocolUpgrade) { core in
                    if let basis = reading.basis,
                        basis.change(until: core.activationSnapshot, of: [.protocolVersion]) != nil
                    {
                        return false
                    }
                    // From here on the two sides differ for a while: a cancelled caller must not stop it. If all
                    // callers cancelled while this waited for the session, the fetch has ended, and nothing else would
                    // withdraw the upgrade.
                    group.continuesWithoutChildren = true
                    guard !group.isFinished else { throw NSError.powerAuth(.operationCancelled) }
                    // The original does not announce it (sdk.md, section 15, item 21).
                    if !sandbox.keeps(.unannouncedUpgrade) {
                        try session.startExternalPendingOperation(.protocolUpgrade)
                        // Now, so that it is withdrawn after any failure from here on.
                        hasAnnouncedUpgrade.withLock { $0 = true }
                    }
                    if isNew, !core.startProtocolUpgrade() {
                        throw NSError.powerAuth(.protocolUpgrade, "Failed to start protocol upgrade.")
                    }
                    return true
                }
            }
        } catch {
            guard error.powerAuthErrorCode == .externalPendingOperation else { throw error }
            return false
        }
    }

    /// Lets other applications continue an upgrade that this fetch did not finish.
    func withdrawUpgrade() {
        let wasAnnounced = hasAnnouncedUpgrade.withLock { announced in
            defer { announced = false }
            return announced
        }
        if wasAnnounced { session.abandonExternalPendingOperation(.protocolUpgrade) }
    }

    private func start(after reading: Reading, in group: GroupedTask<PowerAuthActivationStatus>, attempt: Int) {
        let application = LocalStep<Void>.write(refusal: .protocolUpgrade) { core, response in
            guard !group.isFinished, core.applyProtocolUpgradeData(response.string("ctrData") ?? "") else {
                throw NSError.powerAuth(.protocolUpgrade, "Failed to apply protocol upgrade data.")
            }
        }
        group.setOperation(
            client.post(RestRequest(.startUpgrade), application) { [self] result in
                guard !group.isFinished else { return }
                switch result {
                case .success: commit(after: reading, in: group, attempt: attempt)
                case .failure(let error): goOn(after: error, in: group, attempt: attempt)
                }
            })
    }

    private func commit(after reading: Reading, in group: GroupedTask<PowerAuthActivationStatus>, attempt: Int) {
        group.setOperation(
            client.post(
                RestRequest(.commitUpgrade, authentication: .possession()),
                .write(refusal: .protocolUpgrade) { core, _ in try Self.finishUpgrade(core) }
            ) { [self] result in
                guard !group.isFinished else { return }
                switch result {
                // The status from before: the upgrade changes nothing an application sees.
                case .success: report(reading, in: group)
                case .failure(let error): goOn(after: error, in: group, attempt: attempt)
                }
            })
    }

    private func finish(after reading: Reading, in group: GroupedTask<PowerAuthActivationStatus>) throws(NSError) {
        try nsError {
            try session.write(ifStill: reading.basis, refusal: .protocolUpgrade) { core in
                try Self.finishUpgrade(core)
            }
        }
        report(reading, in: group)
    }

    private static func finishUpgrade(_ core: PowerAuthCoreSession) throws(NSError) {
        guard core.finishProtocolUpgrade() else {
            throw .powerAuth(.protocolUpgrade, "Failed to finish protocol upgrade process.")
        }
    }

    /// Retries after a failed request. An error of the state is not retried.
    private func goOn(after error: NSError, in group: GroupedTask<PowerAuthActivationStatus>, attempt: Int) {
        switch error.powerAuthErrorCode {
        case .protocolUpgrade, .invalidActivationState, .missingActivation: group.complete(.failure(error))
        default: retry(after: error, in: group, attempt: attempt)
        }
    }

    /// Looks again how far both sides are, after a pause: the request may have reached the server although its answer did
    /// not reach the device.
    private func retry(after error: NSError, in group: GroupedTask<PowerAuthActivationStatus>, attempt: Int) {
        PowerAuthLog.write("Protocol upgrade: attempt \(attempt) failed: \(error.localizedDescription)")
        RestClient.retry(after: attempt) { [self] in
            guard !group.isFinished else { return }
            request(in: group, attempt: attempt + 1, after: error)
        }
    }
}

/// What an upgrade of the protocol needs next (sdk.md, section 9.11).
enum ProtocolUpgradeStep: Equatable, Sendable {
    /// Note in the state that an upgrade is running, then start it on the server.
    case begin
    /// Start an upgrade on the server that the state already knows.
    case start
    /// Commit the upgrade on the server.
    case commit
    /// Note in the state that the upgrade is over.
    case finish
    /// Nothing; both sides use the newest protocol.
    case none

    /// - Parameters:
    ///   - server: protocol of the activation on the server.
    ///   - local: protocol of the activation on the device.
    ///   - pending: protocol that a running upgrade leads to, or `.NA`.
    /// - Throws: `protocolUpgrade` when the two sides cannot come together.
    init(
        server: PowerAuthCoreProtocolVersion, local: PowerAuthCoreProtocolVersion, pending: PowerAuthCoreProtocolVersion
    ) throws(NSError) {
        switch (server, local, pending) {
        case (.V2, .V2, .NA): self = .begin
        case (.V2, .V2, .V3): self = .start
        case (.V2, .V3, .V3): self = .commit
        case (.V3, .V3, .V3): self = .finish
        case (.V3, .V3, .NA): self = .none
        case (.V3, .V2, _): throw .powerAuth(.protocolUpgrade, "Server-Client protocol version mishmash.")
        case (.V2, _, _), (.V3, _, _): throw .powerAuth(.protocolUpgrade, "Internal protocol upgrade error.")
        default: throw .powerAuth(.protocolUpgrade, "Unknown server version.")
        }
    }
}
