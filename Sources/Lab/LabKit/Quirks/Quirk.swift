/// A defect of the original that the lab fixes by default and can bring back for a peer, so that a bug seen in
/// the field can be reproduced and its fix be shown.
///
/// The list is closed; each quirk is one decision at one place of the code.
public struct Quirk: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The id: chapter and number of the "do better" list of the specification, e.g. `sharing.D7`.
    public let rawValue: String
    /// What a peer with the quirk does, as a sentence.
    public let summary: String

    private init(_ id: String, _ summary: String) {
        rawValue = id
        self.summary = summary
    }

    /// The quirk with an id; nil if unknown.
    public init?(rawValue: String) {
        guard let quirk = Self.all.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = quirk
    }

    public var description: String { rawValue }

    public static func == (left: Quirk, right: Quirk) -> Bool { left.rawValue == right.rawValue }

    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension Quirk {
    /// A dead owner's operation stays pending (sharing.md, D1).
    public static let staleExternalOperation = Quirk(
        "sharing.D1", "Reports an operation as pending after the app that owned it has died.")
    /// The change counter is raised only after the save (sharing.md, D7).
    public static let counterAfterSave = Quirk(
        "sharing.D7", "Raises the shared change counter only after the state was saved, and ignores a failed save.")
    /// A state that cannot be read is taken for none (sharing.md, D8).
    public static let unreadableStateIsNone = Quirk(
        "sharing.D8", "Takes a state that the keychain does not give now for no activation, and overwrites it.")
    /// A fresh installation empties everything it can reach (sharing.md, D9).
    public static let unguardedWipe = Quirk(
        "sharing.D9",
        "Treats unreadable preferences as a fresh installation, and silently empties the SDK's keychain services in "
            + "every access group of a fresh one.")
    /// The memory identifiers of the applications are not compared (sharing.md, D15).
    public static let memoryNamesMayDiffer = Quirk(
        "sharing.D15", "Uses shared memory of its own name beside apps that share the activation through another.")
    /// All tokens are those whose account begins alike (sharing.md, D19).
    public static let removesTokensByPrefix = Quirk(
        "sharing.D19", "Removes the tokens of the instance `a__b` together with those of `a`.")
    /// The entitlement to the keychain group is not checked (sharing.md, D23).
    public static let uncheckedEntitlement = Quirk(
        "sharing.D23", "Starts with a keychain access group that the app is not entitled to.")
    /// A token that another application has made meanwhile is made again (sharing.md, D29).
    public static let tokenIsMadeTwice = Quirk(
        "sharing.D29", "Asks the server for a token that another app has got while the request waited for its turn.")
    /// An answer acts on whatever activation is there by then (sharing.md, D30).
    public static let lateAnswerIsApplied = Quirk(
        "sharing.D30", "Applies a late answer to an activation that another app has made or changed meanwhile.")

    /// A failed request during an upgrade looks like an unknown server (sdk.md, section 15, item 5).
    public static let upgradeHidesFailedRequest = Quirk(
        "sdk.5", "Reports a status request that fails during a protocol upgrade as an unknown server version.")
    /// Keys given for persisting are ignored (sdk.md, section 15, item 6).
    public static let persistIgnoresGivenKeys = Quirk(
        "sdk.6", "Persists an activation with the device's own keys although the app gave others.")
    /// A biometry key that could not be stored is not noticed (sdk.md, section 15, item 7).
    public static let lostBiometryKey = Quirk(
        "sdk.7", "Reports success although the key of the biometry factor could not be stored.")
    /// Requests outlive the activation that they belong to (sdk.md, section 15, item 13).
    public static let removalLeavesRequests = Quirk(
        "sdk.13", "Leaves requests on their way when the activation is removed from the device.")
    /// A missing server time is 1970 (sdk.md, section 15, item 15).
    public static let missingServerTimeIsZero = Quirk(
        "sdk.15", "Takes a server status without a time for one from 1970 and sets the clock by it.")
    /// An upgrade is not announced to the other applications (sdk.md, section 15, item 21).
    public static let unannouncedUpgrade = Quirk(
        "sdk.21", "Upgrades the protocol without notifying the apps that share the activation.")
    /// A state that cannot be read is overwritten (sdk.md, section 15, item 23).
    public static let unusableStateIsDropped = Quirk(
        "sdk.23", "Overwrites a stored state that it cannot read, without keeping its bytes.")
    /// Cached results outlive a reset (sdk.md, section 15, item 26).
    public static let cachesSurviveReset = Quirk(
        "sdk.26", "Shows the last fetched status and user info after the session was reset.")
    /// An unencrypted error in place of an encrypted answer is not read (sdk.md, section 15, item 28).
    public static let plainErrorIsNotRead = Quirk(
        "sdk.28", "Reports an unencrypted error body with the status 200 as a failed decryption.")

    /// An unencrypted error in answer to an encrypted request is not read (networking.md, section 17, item 3).
    public static let encryptedCallLosesError = Quirk(
        "networking.3", "Does not read the server's unencrypted error where an encrypted answer is expected.")
    /// The reason why an answer cannot be read is dropped (networking.md, section 17, item 4).
    public static let decodingErrorIsDropped = Quirk(
        "networking.4", "Does not state in the error why an answer could not be read.")
    /// A token's header is made with whatever time the device has (networking.md, section 17, item 8).
    public static let tokenTimeIsNotSynchronized = Quirk(
        "networking.8", "Sends a token with the device's time although the server's is not known yet.")
    /// A key that the server has forgotten is used on (networking.md, section 17, item 9).
    public static let temporaryKeyIsNotRenewed = Quirk(
        "networking.9", "Reports that the server has forgotten a temporary key instead of fetching another one.")
    /// A server that the pinning provider refuses is no matter of trust (networking.md, section 17, item 11).
    public static let pinningRefusalIsCancel = Quirk(
        "networking.11", "Reports a server that the pinning provider refused as a general failure.")

    /// One operation that cannot be read hides all (mobile-token.md, section 24, item 1).
    public static let badOperationFailsList = Quirk(
        "mobile-token.1", "Refuses the whole list of operations when one of them cannot be read.")
    /// Known operations are not replaced (mobile-token.md, section 24, item 2).
    public static let registerKeepsOldOperations = Quirk(
        "mobile-token.2", "Reports known operations to the delegate with the content and position they first had.")
    /// A cancelled registration for pushes blocks the next ones (mobile-token.md, section 24, item 7).
    public static let cancelledPushRegistrationBlocks = Quirk(
        "mobile-token.7", "Refuses every registration for pushes after one that was cancelled.")
    /// A token that the server does not know stays (mobile-token.md, section 24, item 19).
    public static let lostTokenStays = Quirk(
        "mobile-token.19", "Keeps a token that the server does not know, so that every later call fails.")

    /// A phone sends its watch a pending activation (watch.md, section 13, item 2).
    public static let pendingActivationIsTold = Quirk(
        "watch.2", "Sends the watch the identifier of an activation that is not persisted yet.")
    /// A watch without an activation destroys tokens (watch.md, section 13, item 6).
    public static let tokenBeforeStatusIsDestroyed = Quirk(
        "watch.6", "Destroys a token on the watch at its first use if the phone has not announced the activation yet.")

    /// All quirks, in the order of the specification.
    public static let all: [Quirk] = [
        upgradeHidesFailedRequest, persistIgnoresGivenKeys, lostBiometryKey, removalLeavesRequests,
        missingServerTimeIsZero, unannouncedUpgrade, unusableStateIsDropped, cachesSurviveReset, plainErrorIsNotRead,
        staleExternalOperation, counterAfterSave, unreadableStateIsNone, unguardedWipe, memoryNamesMayDiffer,
        removesTokensByPrefix, uncheckedEntitlement, tokenIsMadeTwice, lateAnswerIsApplied, encryptedCallLosesError,
        decodingErrorIsDropped,
        tokenTimeIsNotSynchronized, temporaryKeyIsNotRenewed, pinningRefusalIsCancel, badOperationFailsList,
        registerKeepsOldOperations, cancelledPushRegistrationBlocks, lostTokenStays, pendingActivationIsTold,
        tokenBeforeStatusIsDestroyed,
    ]
}
