import Foundation
import Synchronization

/// The access tokens that callbacks are called with, fetched when they are needed and kept until shortly before their
/// end (RFC 6749, section 4.4).
///
/// Thread rule: any thread; the state is guarded by the mutex.
final class AccessTokens: Sendable {
    private struct Key: Hashable {
        let tokenUri: String
        let clientId: String
        let clientSecret: String
        let scope: String?
    }

    private struct Token {
        let text: String
        let ends: ContinuousClock.Instant
    }

    private struct Answer: Decodable {
        let access_token: String
        let expires_in: Double?
    }

    /// Seconds: a token is fetched again after a day, even if it is valid for longer.
    private static let longestLifetime = 86_400.0

    private let tokens = Mutex<[Key: Token]>([:])
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameter now: real time, not the lab's clock, because the target measures token lifetimes in it.
    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.now = now
    }

    /// How many tokens are kept.
    var count: Int { tokens.withLock { $0.count } }

    /// The value of the `Authorization` header for a target.
    /// - Parameter makeRequest: gives a request to the token's URL the time limits and certificates of the callback.
    /// - Throws: ``OutgoingRequest/Failure`` when the authorisation server gives no token.
    func header(
        for oauth2: CallbackAuthentication.OAuth2, _ makeRequest: (_ url: String) async throws -> OutgoingRequest
    ) async throws -> String {
        let key = Key(
            tokenUri: oauth2.tokenUri ?? "", clientId: oauth2.clientId ?? "",
            clientSecret: oauth2.clientSecret ?? "", scope: oauth2.scope.nonBlank)
        if let known = living(key) { return "Bearer \(known.text)" }
        var request = try await makeRequest(key.tokenUri)
        request.method = "POST"
        request.headers = [
            ("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json"),
            ("Authorization", FormText.basicHeader(clientId: key.clientId, clientSecret: key.clientSecret)),
        ]
        request.body = FormText.encode(
            [("grant_type", "client_credentials")] + (key.scope.map { [("scope", $0)] } ?? []))
        let answer = try await request.send()
        guard answer.status == 200, let token = try? JSONBody.decode(Answer.self, from: answer.body) else {
            throw OutgoingRequest.Failure(description: "\(key.tokenUri) answered \(answer.status) and no access token")
        }
        // The number is from an external service and may be too large for a duration.
        let lifetime = min(max(0, (token.expires_in ?? 0) - 10), Self.longestLifetime)
        tokens.withLock { $0[key] = Token(text: token.access_token, ends: now() + .seconds(lifetime)) }
        return "Bearer \(token.access_token)"
    }

    /// The token of a target, if it has not expired. Expired tokens of all targets are dropped: a removed callback
    /// never requests its own again.
    private func living(_ key: Key) -> Token? {
        let moment = now()
        return tokens.withLock { tokens in
            tokens = tokens.filter { $0.value.ends > moment }
            return tokens[key]
        }
    }

    /// Forgets the token of a target that did not accept it.
    func forget(_ oauth2: CallbackAuthentication.OAuth2) {
        tokens.withLock { tokens in
            tokens = tokens.filter { $0.key.tokenUri != oauth2.tokenUri || $0.key.clientId != oauth2.clientId }
        }
    }
}
