// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import Synchronization
import TestSupport
import Testing

@testable import PowerAuthCore

/// An owner of a session guards it with a lock of its own, and learns from the monitor which calls were made outside of it.
@Suite("Sessions: the access that a call announces", .endsInTime)
struct DebugMonitorTests {
    private final class Monitor: PowerAuthCoreDebugMonitor {
        private let accesses = Mutex<[String]>([])

        func requireReadAccess() { accesses.withLock { $0.append("read") } }
        func requireWriteAccess() { accesses.withLock { $0.append("write") } }

        /// What was announced since the last call.
        func taken() -> [String] {
            accesses.withLock { accesses in
                defer { accesses = [] }
                return accesses
            }
        }
    }

    private typealias Call = (name: String, body: (PowerAuthCoreSession) -> Void)

    private static let key = Data(repeating: 7, count: 16)
    private static var keys: PowerAuthCoreSignatureUnlockKeys {
        PowerAuthCoreSignatureUnlockKeys(possessionUnlockKey: key, biometryUnlockKey: key)
    }

    /// Calls that change nothing that is stored. Those of them that change something else count as reads.
    private static var reads: [Call] {
        [
            ("hasValidSetup", { _ = $0.hasValidSetup }), ("canStartActivation", { _ = $0.canStartActivation }),
            ("hasPendingActivation", { _ = $0.hasPendingActivation }),
            ("hasValidActivation", { _ = $0.hasValidActivation }),
            ("hasProtocolUpgradeAvailable", { _ = $0.hasProtocolUpgradeAvailable }),
            ("hasPendingProtocolUpgrade", { _ = $0.hasPendingProtocolUpgrade }),
            ("pendingProtocolUpgradeVersion", { _ = $0.pendingProtocolUpgradeVersion }),
            ("protocolVersion", { _ = $0.protocolVersion }), ("activationIdentifier", { _ = $0.activationIdentifier }),
            ("activationFingerprint", { _ = $0.activationFingerprint }),
            ("serializedState", { _ = $0.serializedState() }),
            ("hasActivationRecoveryData", { _ = $0.hasActivationRecoveryData }),
            ("hasBiometryFactor", { _ = $0.hasBiometryFactor() }),
            ("hasExternalEncryptionKey", { _ = $0.hasExternalEncryptionKey }),
            ("activationSnapshot", { _ = $0.activationSnapshot }),
            ("biometryFactorIdentity", { _ = $0.biometryFactorIdentity }),
            ("hasPublicKey", { _ = $0.hasPublicKey(forEciesScope: .application) }),
            ("publicKeyId", { _ = $0.publicKeyId(forEciesScope: .application) }),
            ("setPublicKey", { $0.setPublicKey(forEciesScope: .application, publicKey: "AAAA", publicKeyId: "id") }),
            ("removePublicKey", { $0.removePublicKey(forEciesScope: .application) }),
            ("eciesEncryptor", { _ = $0.eciesEncryptor(for: .application, keys: nil, sharedInfo1: "/test") }),
            ("temporaryKeyExchange", { _ = try? $0.temporaryKeyExchange(for: .application, keys: nil) }),
            ("setExternalEncryptionKey", { _ = $0.setExternalEncryptionKey(key) }),
            ("restoreExternalEncryptionKey", { $0.restoreExternalEncryptionKey(nil) }),
            ("activationRecoveryData", { _ = $0.activationRecoveryData("AAAA", keys: keys) }),
            ("deriveCryptographicKey", { _ = $0.deriveCryptographicKey(fromVaultKey: "A", keys: keys, keyIndex: 1) }),
            (
                "signData(withDevicePrivateKey:)",
                { _ = $0.signData(withDevicePrivateKey: "AAAA", keys: keys, data: Data(), format: .default) }
            ),
            (
                "signCertificateRequest",
                { session in
                    guard let request = try? CertificateRequest(distinguishedNames: ["CN": "a"]) else { return }
                    _ = session.signCertificateRequest(withDevicePrivateKey: "AAAA", keys: keys, request: request)
                }
            ),
            (
                "signData(withHmacKey:)",
                { _ = $0.signData(withHmacKey: PowerAuthCoreSignedData(signingDataKey: .hmac_Application), keys: nil) }
            ),
            (
                "verifyServerSignedData",
                { _ = $0.verifyServerSignedData(PowerAuthCoreSignedData(signingDataKey: .ecdsa_MasterServerKey)) }
            ),
            (
                "decodeActivationStatus",
                { session in
                    let status = PowerAuthCoreEncryptedActivationStatus(
                        challenge: "A", encryptedStatusBlob: "A", nonce: "A")
                    _ = session.decodeActivationStatus(status, keys: keys)
                }
            ),
            ("hasVersion4Activation", { _ = $0.hasVersion4Activation }),
            ("hasPendingUpgradeV4", { _ = $0.hasPendingUpgradeV4 }),
            ("temporaryKeyIdV4", { _ = $0.temporaryKeyIdV4(for: .application) }),
            ("removeTemporaryKeyV4", { $0.removeTemporaryKeyV4(for: .application) }),
            ("temporaryKeyExchangeV4", { _ = try? $0.temporaryKeyExchangeV4(for: .application, keys: nil) }),
            ("requestEncryptorV4", { _ = try? $0.requestEncryptorV4(for: .applicationGeneric, keys: nil) }),
            ("decodeStatusV4", { _ = try? $0.decodeStatusV4("AAAA", keys: keys) }),
            ("passwordChangeV4", { _ = try? $0.passwordChangeV4(to: PowerAuthCorePassword(string: "1234")) }),
            ("biometryAdditionV4", { _ = try? $0.biometryAdditionV4(keys) }),
            (
                "deviceSignatureV4",
                { _ = try? $0.deviceSignatureV4(of: Data(), by: .ecdsa, vaultKey: .random()) }
            ),
            (
                "signCertificateRequestV4",
                { session in
                    guard let request = try? CertificateRequest(distinguishedNames: ["CN": "Eva"]) else { return }
                    _ = try? session.signCertificateRequestV4(request, vaultKey: .random())
                }
            ),
            ("deviceJWS", { _ = try? $0.deviceJWS(payload: Data(), vaultKey: .random()) }),
            ("upgradeExchangeV4", { _ = try? $0.upgradeExchangeV4(enableBiometry: false) }),
            (
                "upgradeStepV4",
                { _ = try? $0.upgradeStepV4(currentVersion: 3, upgradeVersion: 4, isConfirmationPending: false) }
            ),
        ]
    }

    private static var writes: [Call] {
        [
            ("resetSession", { $0.resetSession(true) }), ("deserializeState", { $0.deserializeState(Data()) }),
            ("startActivation", { _ = $0.startActivation(PowerAuthCoreActivationStep1Param()) }),
            (
                "validateActivationResponse",
                { session in
                    let answer = PowerAuthCoreActivationStep2Param(activationId: "", serverPublicKey: "", ctrData: "")
                    _ = session.validateActivationResponse(answer)
                }
            ),
            ("completeActivation", { _ = $0.completeActivation(keys) }),
            ("startProtocolUpgrade", { _ = $0.startProtocolUpgrade() }),
            ("applyProtocolUpgradeData", { _ = $0.applyProtocolUpgradeData("AAAA") }),
            ("finishProtocolUpgrade", { _ = $0.finishProtocolUpgrade() }),
            (
                "changeUserPassword",
                { session in
                    let password = PowerAuthCorePassword(string: "1234")
                    _ = session.changeUserPassword(password, newPassword: password)
                }
            ),
            ("addBiometryFactor", { _ = $0.addBiometryFactor("AAAA", keys: keys) }),
            ("removeBiometryFactor", { $0.removeBiometryFactor() }),
            ("addExternalEncryptionKey", { _ = $0.addExternalEncryptionKey(key) }),
            ("removeExternalEncryptionKey", { _ = $0.removeExternalEncryptionKey() }),
            (
                "signHttpRequestData",
                { session in
                    let request = PowerAuthCoreHTTPRequestData(method: "POST", uri: "/test")
                    _ = session.signHttpRequestData(request, keys: keys, factor: .possession)
                }
            ),
            (
                "authenticationCode",
                { session in
                    let request = PowerAuthCoreHTTPRequestData(method: "POST", uri: "/test")
                    _ = try? session.authenticationCode(request, keys: keys, factor: .possession)
                }
            ),
            ("startActivationV4", { _ = try? $0.startActivationV4() }),
            ("completeActivationV4", { _ = try? $0.completeActivationV4(keys) }),
            ("activationConfirmationCode", { _ = try? $0.activationConfirmationCode(body: Data(), keys: keys) }),
            ("confirmActivationV4", { _ = try? $0.confirmActivationV4() }),
            ("removeBiometryV4", { _ = try? $0.removeBiometryV4() }),
            ("upgradeConfirmationCode", { _ = try? $0.upgradeConfirmationCode(body: Data(), keys: keys) }),
            ("finishUpgradeV4", { _ = try? $0.finishUpgradeV4() }),
        ]
    }

    @Test
    func `Every call announces once whether it reads or may change the state, with and without an activation`() throws {
        for isActivated in [false, true] {
            for (calls, access) in [(Self.reads, "read"), (Self.writes, "write")] {
                for call in calls {
                    let fixture = isActivated ? try ClientFixture.activated() : try ClientFixture()
                    let monitor = Monitor()
                    fixture.session.debugMonitor = monitor
                    #expect(monitor.taken() == [])
                    call.body(fixture.session)
                    #expect(monitor.taken() == [access], "\(call.name), activated: \(isActivated)")
                }
            }
        }
    }

    @Test func `The answer to a request for a temporary key is accepted as a read`() throws {
        let fixture = try ClientFixture()
        let exchange = try fixture.session.temporaryKeyExchange(for: .application, keys: nil)
        let monitor = Monitor()
        fixture.session.debugMonitor = monitor
        #expect(throws: TemporaryKeyRefusal.self) { try fixture.session.acceptTemporaryKey("", answering: exchange) }
        #expect(monitor.taken() == ["read"])
        // What was given to the session when it was made is not its state.
        _ = fixture.session.sessionSetup
        #expect(monitor.taken() == [])
    }

    @Test func `A monitor is held weakly, and its removal ends the announcements`() throws {
        let session = try ClientFixture().session
        var monitor: Monitor? = Monitor()
        session.debugMonitor = monitor
        #expect(session.debugMonitor === monitor)
        session.debugMonitor = nil
        _ = session.hasValidActivation
        #expect(monitor?.taken() == [])
        session.debugMonitor = monitor
        monitor = nil
        #expect(session.debugMonitor == nil)
    }
}
