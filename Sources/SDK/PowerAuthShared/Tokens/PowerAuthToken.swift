package import Foundation

/// A named token: it authorises requests without the user's password (sdk.md, section 5.19).
///
/// Immutable. Thread rule: any thread.
public final class PowerAuthToken: Sendable {
    let record: TokenRecord
    private let store: WeakStore

    /// The way back, which must not keep the store alive.
    private struct WeakStore: @unchecked Sendable {
        // Safe: set once in the initialiser; reading a weak reference is atomic.
        private(set) weak var value: KeychainTokenStore?

        init(_ store: KeychainTokenStore) { value = store }
    }

    init(record: TokenRecord, store: KeychainTokenStore) {
        self.record = record
        self.store = WeakStore(store)
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

    /// Computes the header of one request, with the time that is known now; nil when ``canGenerateHeader`` is
    /// false.
    public func generateHeader() -> PowerAuthAuthorizationHttpHeader? { store.value?.header(for: record) }

    /// True when both objects come from the same store object and hold the same data.
    ///
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
