import Foundation
import SimulatedDevice

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
