import PowerAuthProtocol

/// How the applications of a vendor share one activation (sharing.md, section 3).
///
/// Thread rule: one thread at a time; an SDK object works on its own copy.
public final class PowerAuthSharingConfiguration {
    /// The app group whose container holds the lock files. At most 26 UTF-8 bytes when
    /// ``sharedMemoryIdentifier`` is computed, 30 minus its length otherwise.
    public let appGroup: String
    /// Name of this application among those that share; 1 to 127 UTF-8 bytes, different in each of them.
    public let appIdentifier: String
    /// Keychain access group, with the team prefix, that all of them are entitled to.
    public let keychainAccessGroup: String
    /// Last part of the name of the shared memory: 1 to 4 of the characters `A-Z a-z 0-9 - +`. Computed from
    /// the instance identifier when nil. All applications that share must agree on it.
    public var sharedMemoryIdentifier: String?

    /// - Parameters:
    ///   - appGroup: the app group identifier.
    ///   - appIdentifier: the name of this application.
    ///   - keychainAccessGroup: the shared keychain access group.
    public init(appGroup: String, appIdentifier: String, keychainAccessGroup: String) {
        self.appGroup = appGroup
        self.appIdentifier = appIdentifier
        self.keychainAccessGroup = keychainAccessGroup
    }

    /// True when the values obey the limits that do not depend on the instance identifier
    /// (sharing.md, section 3.2).
    public func validate() -> Bool { validateConfiguration() }

    /// The Objective-C name of ``validate()``.
    public func validateConfiguration() -> Bool {
        do {
            try check()
            return true
        } catch {
            return false
        }
    }

    /// A copy with the same values.
    public func copy() -> PowerAuthSharingConfiguration {
        let copy = PowerAuthSharingConfiguration(
            appGroup: appGroup, appIdentifier: appIdentifier, keychainAccessGroup: keychainAccessGroup)
        copy.sharedMemoryIdentifier = sharedMemoryIdentifier
        return copy
    }

    /// Checks the limits and names the first one that is broken.
    ///
    /// The length of the memory's name is checked here although the original leaves it to the kernel
    /// (sharing.md, D10): a computed identifier always has 4 bytes, so the name's length is known.
    ///
    package func check() throws(InvalidConfiguration) {
        if appGroup.isEmpty { throw .appGroupEmpty }
        if appIdentifier.isEmpty { throw .applicationIdentifierEmpty }
        let identifierBytes = appIdentifier.utf8.count
        if identifierBytes > SharedData.applicationIdentifierLimit {
            throw .applicationIdentifierTooLong(limit: SharedData.applicationIdentifierLimit, actual: identifierBytes)
        }
        if let identifier = sharedMemoryIdentifier, !SharedNames.isValidMemoryIdentifier(identifier) {
            throw .sharedMemoryIdentifierInvalid(identifier)
        }
        let memoryIdentifierBytes = sharedMemoryIdentifier?.utf8.count ?? SharedNames.computedIdentifierLength
        let nameBytes = appGroup.utf8.count + 1 + memoryIdentifierBytes
        if nameBytes > SharedNames.memoryNameLimit {
            throw .sharedMemoryNameTooLong(limit: SharedNames.memoryNameLimit, actual: nameBytes)
        }
    }
}
