// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabPoints
package import PowerAuthCore
package import SimulatedDevice
import Synchronization

/// The phone's side of the watch link for one SDK object (watch.md, section 5).
///
/// The SDK object keeps it alive; the session manager knows it weakly. Thread rule: any thread.
package final class PhoneWatchService: WatchPacketHandler {
    let instanceId: String
    private let session: any SessionInterface
    private let tokenStore: KeychainTokenStore
    let time: SynchronizedTime?
    private let sandbox: Sandbox?
    private let switches = Mutex<PowerAuthWatchSynchronization>([])
    private let manager = Mutex<PowerAuthWCSessionManager?>(nil)

    /// - Parameters:
    ///   - instanceId: the address of the object's packets.
    ///   - session: the object's session.
    ///   - tokenStore: the object's tokens.
    ///   - time: the server's time, as far as the object knows it.
    ///   - sandbox: the device, whose preferences remember which tokens the watch has.
    package init(
        instanceId: String, session: any SessionInterface, tokenStore: KeychainTokenStore,
        time: SynchronizedTime? = nil, sandbox: Sandbox? = nil
    ) {
        self.time = time
        self.sandbox = sandbox
        self.instanceId = instanceId
        self.session = session
        self.tokenStore = tokenStore
        tokenStore.setObserver(self)
    }

    /// What is sent to the watch unasked.
    package var synchronization: PowerAuthWatchSynchronization {
        get { switches.withLock { $0 } }
        set { switches.withLock { $0 = newValue } }
    }

    var preferences: DefaultsSuite? { sandbox?.defaults() }

    private func keeps(_ quirk: Quirk) -> Bool { sandbox?.keeps(quirk) ?? false }

    var connectedManager: PowerAuthWCSessionManager? { manager.withLock { $0 } }

    /// Registers with the manager of the process. Objects in a sandbox of their own, as tests make them, have no watch
    /// session.
    package func register(in sandbox: Sandbox) {
        guard sandbox === Sandbox.currentIfEntered else { return }
        register(with: .sharedInstance)
    }

    /// Registers with a manager.
    package func register(with manager: PowerAuthWCSessionManager) {
        self.manager.withLock { $0 = manager }
        manager.register(self)
    }

    package func accepts(target: String) -> Bool {
        target == WatchTarget.session(instanceId) || target == WatchTarget.token(instanceId)
    }

    package func respond(to packet: WatchPacket, expectsReply: Bool) -> WatchResponse {
        if packet.target == WatchTarget.session(instanceId) {
            guard let payload = packet.payload(WatchStatusPayload.self) else {
                return WatchResponse(.phoneInvalidData(target: packet.target))
            }
            return status(payload, target: packet.target)
        }
        guard let payload = packet.payload(WatchTokenPayload.self) else {
            return WatchResponse(.phoneInvalidData(target: packet.target))
        }
        return token(payload, target: packet.target)
    }

    /// The status of the activation for the watch; an error if it is unknown to the phone, as before its first unlock.
    /// The original then reports no activation, and the watch removes what it has.
    ///
    /// A pending activation does not count: the original sends its identifier too, so that the watch offers what the
    /// phone refuses (watch.md, section 13, item 2).
    package func statusPacket() -> TaskResult<WatchPacket> {
        do {
            let tellsPending = keeps(.pendingActivationIsTold)
            let activationId = try session.read {
                $0.hasValidActivation || tellsPending ? $0.activationIdentifier : nil
            }
            return .success(
                WatchPacket(
                    target: WatchTarget.session(instanceId),
                    payload: WatchStatusPayload(.put, activationId: activationId, serverTime: serverTime)))
        } catch {
            return .failure(error as NSError)
        }
    }

    private func status(_ payload: WatchStatusPayload, target: String) -> WatchResponse {
        guard payload.command == .get else {
            return WatchResponse(.phoneUnsupportedCommand(payload.command.rawValue, target: target))
        }
        return switch statusPacket() {
        case .success(let packet): WatchResponse(messageOfItsOwn: packet)
        case .failure(let error): WatchResponse(error)
        }
    }

    private func token(_ payload: WatchTokenPayload, target: String) -> WatchResponse {
        guard payload.command == .get else {
            return WatchResponse(.phoneUnsupportedCommand(payload.command.rawValue, target: target))
        }
        do {
            guard try session.read({ $0.hasValidActivation }) else {
                return WatchResponse(.cannotGetTokenWithoutActivation)
            }
        } catch {
            return WatchResponse(error as NSError)
        }
        guard let token = tokenStore.localToken(withName: payload.tokenName) else {
            return WatchResponse(WatchTokenPayload(.put, tokenName: payload.tokenName, isNotFound: true))
        }
        return WatchResponse(tokenPayload(token))
    }

    /// What gives the watch a token.
    package func tokenPayload(_ token: PowerAuthToken) -> WatchTokenPayload {
        tokenWillBeGiven(token.tokenName)
        return WatchTokenPayload(
            .put, tokenName: token.tokenName, tokenData: token.serializedRecord, serverTime: serverTime)
    }
}

/// Observes changes of the tokens of a store.
package protocol TokenStoreObserver: AnyObject, Sendable {
    /// A token was stored in place of another one or of none, or removed. Called without a lock.
    func tokenChanged(_ name: String, to record: TokenRecord?)
}

/// What the phone sends unasked, if the application has switched it on.
extension PhoneWatchService: TokenStoreObserver {
    /// The server's time in milliseconds since 1970; nil while it is not to be sent, or unknown.
    package var serverTime: Int? {
        guard synchronization.contains(.time), let time, time.isTimeSynchronized else { return nil }
        return Int(exactly: (time.currentTime() * 1000).rounded(.down))
    }

    /// Remembers that the watch gets a token.
    package func tokenWillBeGiven(_ name: String) {
        guard synchronization.contains(.tokens), !givenTokens.contains(name) else { return }
        remember(givenTokens + [name])
    }

    /// Remembers that the watch no longer has such a token.
    package func tokenWillBeTaken(_ name: String) {
        guard synchronization.contains(.tokens), givenTokens.contains(name) else { return }
        remember(givenTokens.filter { $0 != name })
    }

    package func tokenChanged(_ name: String, to record: TokenRecord?) {
        guard synchronization.contains(.tokens), givenTokens.contains(name), let manager = connectedManager else {
            return
        }
        let payload =
            record.map { WatchTokenPayload(.put, tokenName: name, tokenData: $0.serialized()) }
            ?? WatchTokenPayload(.remove, tokenName: name)
        // The name stays remembered after a removal: a token that gets the name later is for the watch too.
        manager.send(WatchPacket(target: WatchTarget.token(instanceId), payload: payload))
    }

    /// The names of tokens that the watch has got, kept with the application's preferences.
    private var givenTokens: [String] {
        guard case .text(let text) = preferences?.value(forKey: preferenceKey) else { return [] }
        return (try? JSONDecoder().decode([String].self, from: Data(text.utf8))) ?? []
    }

    private func remember(_ names: [String]) {
        guard let data = try? JSONEncoder().encode(names) else { return }
        preferences?.set(.text(String(decoding: data, as: UTF8.self)), forKey: preferenceKey)
    }

    private var preferenceKey: String { "io.getlime.PowerAuth.WatchTokens." + instanceId }
}
