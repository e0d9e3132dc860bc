import Foundation

/// The device's own view of its keychain: every item of every owner, without the values. For the device agent and for
/// reports; an app never sees it.
public struct KeychainInventory: Sendable {
    private let database: KeychainDatabase

    /// Looks into the keychain file at `path`.
    public init(path: String) {
        database = KeychainDatabase(path: path)
    }

    /// One stored item.
    public struct Entry: Sendable {
        /// Identity of the item.
        public let key: KeychainKey
        /// Size of the value in bytes.
        public let size: Int
        /// The authentication that is required to read the value.
        public let protection: KeychainProtection
        /// How often the value was written.
        public let generation: Int64
        /// Whether the value matches its checksum.
        public let isIntact: Bool
    }

    /// The items of a service, or of all services, ordered by access group, service and account.
    public func entries(service: String? = nil) throws -> [Entry] {
        try database.everything(service: service).map {
            Entry(
                key: $0.key, size: $0.value.count, protection: $0.protection, generation: $0.generation,
                isIntact: $0.isIntact)
        }
    }
}
