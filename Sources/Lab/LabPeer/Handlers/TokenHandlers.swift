import Foundation
import LabKit
public import PowerAuthShared

/// The token commands, which phone apps, extensions and watch apps answer from the same store class.
public enum TokenHandlers {
    /// Registers the token commands with a peer.
    ///
    /// - Parameters:
    ///   - peer: the peer; its handlers run on the main queue.
    ///   - requests: what `cancelRequest` of the peer can cancel.
    ///   - asksWithoutPassword: whether a request without a password carries no authentication, as on a
    ///     watch, instead of the possession factor.
    ///   - store: the token store of the app's SDK object; throws when the SDK object was refused.
    public static func register(
        on peer: Peer, requests: RunningRequests, asksWithoutPassword: Bool = false,
        store: @escaping () throws -> any PowerAuthTokenStore
    ) {
        requests.handle(RequestAccessToken.self) { arguments, reply in
            let completion = { (token: PowerAuthToken?, error: NSError?) in
                reply(Outcome.of(token.map(TokenDescription.init), error))
            }
            let store = try store()
            if arguments.password == nil, asksWithoutPassword {
                return store.requestAccessToken(withName: arguments.name, completion: completion)
            }
            return store.requestAccessToken(
                withName: arguments.name, authentication: .signing(with: arguments.password), completion: completion)
        }
        requests.handle(RemoveAccessToken.self) { arguments, reply in
            try store().removeAccessToken(withName: arguments.name) { removed, error in
                reply(Outcome.of(removed ? NoResult() : nil, error))
            }
        }
        peer.handleSync(LocalToken.self) { arguments in
            try store().localToken(withName: arguments.name).map(TokenDescription.init)
        }
        peer.handleSync(HasLocalToken.self) { arguments in
            try store().hasLocalToken(withName: arguments.name)
        }
        peer.handleSync(GenerateHeader.self) { arguments in
            try store().localToken(withName: arguments.name)?.generateHeader().map(HTTPHeader.init)
        }
        peer.handleSync(RemoveLocalToken.self) { arguments in
            try store().removeLocalToken(withName: arguments.name)
        }
        peer.handleSync(RemoveAllLocalTokens.self) { _ in
            try store().removeAllLocalTokens()
        }
    }
}

extension TokenDescription {
    init(_ token: PowerAuthToken) {
        self.init {
            $0.tokenName = token.tokenName
            $0.tokenIdentifier = token.tokenIdentifier
        }
    }
}
