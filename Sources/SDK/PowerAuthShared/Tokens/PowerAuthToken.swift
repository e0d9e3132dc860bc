// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// A named token: it authorises requests without the user's password (sdk.md, section 5.19).
///
/// Immutable. Thread rule: any thread.
public final class PowerAuthToken: Sendable {
    let record: TokenRecord
    private let store: WeakReference<KeychainTokenStore>

    init(record: TokenRecord, store: KeychainTokenStore) {
        self.record = record
        self.store = WeakReference(store)
    }

    /// Symbolic name of the token.
    public var tokenName: String { record.name }
    /// Identifier of the token on the server.
    public var tokenIdentifier: String { record.identifier }
    /// The store that made the object; nil when its SDK object was released.
    public var tokenStore: (any PowerAuthTokenStore)? { store.value }

    /// As ``tokenStore`` with what only the SDKs may use.
    package var keychainStore: KeychainTokenStore? { store.value }

    /// True when the object has a token. The server may have removed it meanwhile.
    public var isValid: Bool { true }

    /// True when ``generateHeader()`` gives a header: the store is alive and holds the activation that the token
    /// belongs to.
    public var canGenerateHeader: Bool { store.value?.canGenerateHeader(for: record) ?? false }

    /// Computes the header of one request, with the time that is known now; nil when ``canGenerateHeader`` is false.
    public func generateHeader() -> PowerAuthAuthorizationHttpHeader? { store.value?.header(for: record) }

    /// True when both objects come from the same store object and hold the same data.
    /// - Parameter token: the other object.
    public func isEqual(to token: PowerAuthToken) -> Bool {
        guard let own = store.value, let other = token.store.value, own === other else { return false }
        return record == token.record
    }

    /// Another object with the same data and store.
    public func copy() -> PowerAuthToken { self }

    /// The record as it is sent over the watch link.
    package var serializedRecord: Data { record.serialized() }
}

extension PowerAuthToken: Equatable {
    /// The same as ``isEqual(to:)``.
    public static func == (left: PowerAuthToken, right: PowerAuthToken) -> Bool { left.isEqual(to: right) }
}

/// One HTTP header that authorises a request (sdk.md, section 5.19). Immutable. Thread rule: any thread.
public final class PowerAuthAuthorizationHttpHeader: Sendable {
    /// Name of the header.
    public let key: String
    /// Value of the header.
    public let value: String

    init(key: String, value: String) {
        self.key = key
        self.value = value
    }

    /// The header of a signed request, `X-PowerAuth-Authorization`; nil for a nil value.
    public static func authorizationHeader(withValue value: String?) -> PowerAuthAuthorizationHttpHeader? {
        value.map { PowerAuthAuthorizationHttpHeader(key: "X-PowerAuth-Authorization", value: $0) }
    }

    /// The header of a request with a token, `X-PowerAuth-Token`; nil for a nil value.
    public static func tokenHeader(withValue value: String?) -> PowerAuthAuthorizationHttpHeader? {
        value.map { PowerAuthAuthorizationHttpHeader(key: "X-PowerAuth-Token", value: $0) }
    }
}

extension PowerAuthAuthorizationHttpHeader {
    /// Computes the header of one request with a token (protocol.md, section 11.2; protocol-4.md, section 11).
    /// - Parameters:
    ///   - record: the token.
    ///   - version: version of a header of protocol 3; from 3.2 on the digest covers it.
    ///   - time: seconds since 1970; nil results for a time before.
    static func token(
        _ record: TokenRecord, version: ProtocolVersion, time: TimeInterval
    ) -> PowerAuthAuthorizationHttpHeader? {
        guard let timestamp = UInt64(exactly: (time * 1000).rounded(.down)) else { return nil }
        if record.isVersion4 {
            guard let secret = try? TokenSecret256(record.secret) else { return nil }
            return .tokenHeader(
                withValue: TokenHeaderV4(tokenId: record.identifier, secret: secret, timestamp: timestamp).value)
        }
        guard let secret = try? TokenSecret(record.secret) else { return nil }
        return .tokenHeader(
            withValue: TokenHeader(
                version: version, tokenId: record.identifier, secret: secret, timestamp: timestamp
            ).value)
    }
}
