// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabPeer
import LabVocabulary
import ManualPhoneSession
import PowerAuth2

/// The commands by which a phone app sends PowerAuth data to its watch.
///
/// Main queue only.
final class WatchSupportHandlers {
    /// The tokens that were sent, as an app keeps them: its way to remove them from the watch once the activation, and
    /// with it the store's copy, is gone (watch.md, W31).
    private var sent: [String: PowerAuthToken] = [:]

    static func register<SDK: FullSDK>(on peer: Peer, sdk: @escaping () throws -> SDK) {
        let handlers = WatchSupportHandlers()
        peer.handle(SendActivationStatusToWatch.self) { arguments, reply in
            let sdk = try sdk()
            switch arguments.delivery {
            case .guaranteed: reply(.success(sdk.sendActivationStatusToWatch()))
            case .immediate: sdk.sendActivationStatusToWatch { reply(Self.processed($0)) }
            }
        }
        peer.handle(SendTokenToWatch.self) { arguments, reply in
            let token = try handlers.storedToken(arguments.name, sdk())
            handlers.sent[arguments.name] = token
            switch arguments.delivery {
            case .guaranteed: reply(.success(token.sendToWatch()))
            case .immediate: token.sendToWatch { reply(Self.processed($0)) }
            }
        }
        peer.handle(RemoveTokenFromWatch.self) { arguments, reply in
            let token = try handlers.sent[arguments.name] ?? handlers.storedToken(arguments.name, sdk())
            switch arguments.delivery {
            case .guaranteed: reply(.success(token.removeFromWatch()))
            case .immediate: token.removeFromWatch { reply(Self.processed($0)) }
            }
        }
        peer.handleSync(UseManualSession.self) { _ in ManualSession.activate() }
    }

    /// The answer to an immediate message: true once the watch has processed it.
    private static func processed(_ error: (any Error)?) -> Result<Bool, any Error> {
        error.map { .failure($0) } ?? .success(true)
    }

    private func storedToken(_ name: String, _ sdk: some FullSDK) throws -> PowerAuthToken {
        guard let token = sdk.tokenStore.localToken(withName: name) else {
            throw NSError.powerAuth(.invalidToken, "There is no token named '\(name)' in the app's store.")
        }
        return token
    }
}
