// SPDX-License-Identifier: Apache-2.0

/// A defect of the original that the lab fixes by default and can bring back for a peer, so that a bug seen in
/// the field can be reproduced and its fix be shown.
///
/// The list is closed, in the order of the specification; each quirk is one decision at one place of the code. Its id
/// is chapter and number of the "do better" list of the specification, e.g. `sharing.D7`.
public enum Quirk: String, CaseIterable, Sendable, CustomStringConvertible {
    /// A failed request during an upgrade looks like an unknown server (sdk.md, section 15, item 5).
    case upgradeHidesFailedRequest = "sdk.5"
    /// Keys given for persisting are ignored (sdk.md, section 15, item 6).
    case persistIgnoresGivenKeys = "sdk.6"
    /// A biometry key that could not be stored is not noticed (sdk.md, section 15, item 7).
    case lostBiometryKey = "sdk.7"
    /// Requests outlive the activation that they belong to (sdk.md, section 15, item 13).
    case removalLeavesRequests = "sdk.13"
    /// A missing server time is 1970 (sdk.md, section 15, item 15).
    case missingServerTimeIsZero = "sdk.15"
    /// An upgrade is not announced to the other applications (sdk.md, section 15, item 21).
    case unannouncedUpgrade = "sdk.21"
    /// A state that cannot be read is overwritten (sdk.md, section 15, item 23).
    case unusableStateIsDropped = "sdk.23"
    /// Cached results outlive a reset (sdk.md, section 15, item 26).
    case cachesSurviveReset = "sdk.26"
    /// An unencrypted error in place of an encrypted answer is not read (sdk.md, section 15, item 28).
    case plainErrorIsNotRead = "sdk.28"
    /// An encryptor is given out while the server's time is not known (sdk.md, section 15, item 29).
    case encryptorIgnoresTime = "sdk.29"
    /// A temporary key that the server does not know is used on (sdk.md, section 15, item 30).
    case unknownKeyIsUsedOn = "sdk.30"

    /// A dead owner's operation stays pending (sharing.md, D1).
    case staleExternalOperation = "sharing.D1"
    /// The change counter is raised only after the save (sharing.md, D7).
    case counterAfterSave = "sharing.D7"
    /// A state that cannot be read is taken for none (sharing.md, D8).
    case unreadableStateIsNone = "sharing.D8"
    /// A fresh installation empties everything it can reach (sharing.md, D9).
    case unguardedWipe = "sharing.D9"
    /// The memory identifiers of the applications are not compared (sharing.md, D15).
    case memoryNamesMayDiffer = "sharing.D15"
    /// All tokens are those whose account begins alike (sharing.md, D19).
    case removesTokensByPrefix = "sharing.D19"
    /// The entitlement to the keychain group is not checked (sharing.md, D23).
    case uncheckedEntitlement = "sharing.D23"
    /// A token that another application has made meanwhile is made again (sharing.md, D29).
    case tokenIsMadeTwice = "sharing.D29"
    /// An answer acts on whatever activation is there by then (sharing.md, D30).
    case lateAnswerIsApplied = "sharing.D30"

    /// An unencrypted error in answer to an encrypted request is not read (networking.md, section 17, item 3).
    case encryptedCallLosesError = "networking.3"
    /// The reason why an answer cannot be read is dropped (networking.md, section 17, item 4).
    case decodingErrorIsDropped = "networking.4"
    /// A token's header is made with whatever time the device has (networking.md, section 17, item 8).
    case tokenTimeIsNotSynchronized = "networking.8"
    /// A key that the server has forgotten is used on (networking.md, section 17, item 9).
    case temporaryKeyIsNotRenewed = "networking.9"
    /// A server that the pinning provider refuses is no matter of trust (networking.md, section 17, item 11).
    case pinningRefusalIsCancel = "networking.11"

    /// One operation that cannot be read hides all (mobile-token.md, section 24, item 1).
    case badOperationFailsList = "mobile-token.1"
    /// Known operations are not replaced (mobile-token.md, section 24, item 2).
    case registerKeepsOldOperations = "mobile-token.2"
    /// A cancelled registration for pushes blocks the next ones (mobile-token.md, section 24, item 7).
    case cancelledPushRegistrationBlocks = "mobile-token.7"
    /// A token that the server does not know stays (mobile-token.md, section 24, item 19).
    case lostTokenStays = "mobile-token.19"

    /// A phone sends its watch a pending activation (watch.md, section 13, item 2).
    case pendingActivationIsTold = "watch.2"
    /// A watch without an activation destroys tokens (watch.md, section 13, item 6).
    case tokenBeforeStatusIsDestroyed = "watch.6"

    public var description: String { rawValue }

    /// What a peer with the quirk does, as a sentence.
    public var summary: String {
        switch self {
        case .upgradeHidesFailedRequest:
            "Reports a status request that fails during a protocol upgrade as an unknown server version."
        case .persistIgnoresGivenKeys: "Persists an activation with the device's own keys although the app gave others."
        case .lostBiometryKey: "Reports success although the key of the biometry factor could not be stored."
        case .removalLeavesRequests: "Leaves requests on their way when the activation is removed from the device."
        case .missingServerTimeIsZero:
            "Takes a server status without a time for one from 1970 and sets the clock by it."
        case .unannouncedUpgrade: "Upgrades the protocol without notifying the apps that share the activation."
        case .unusableStateIsDropped: "Overwrites a stored state that it cannot read, without keeping its bytes."
        case .cachesSurviveReset: "Shows the last fetched status and user info after the session was reset."
        case .plainErrorIsNotRead: "Reports an unencrypted error body with the status 200 as a failed decryption."
        case .encryptorIgnoresTime:
            "Gives out an encryptor, whose requests have the device's time, although the server's is not known."
        case .unknownKeyIsUsedOn:
            "Reports a request of the SDK that the server cannot decrypt, and uses its temporary key on until it expires."
        case .staleExternalOperation: "Reports an operation as pending after the app that owned it has died."
        case .counterAfterSave:
            "Raises the shared change counter only after the state was saved, and ignores a failed save."
        case .unreadableStateIsNone:
            "Takes a state that the keychain does not give now for no activation, and overwrites it."
        case .unguardedWipe:
            "Treats unreadable preferences as a fresh installation, and silently empties the SDK's keychain services "
                + "in every access group of a fresh one."
        case .memoryNamesMayDiffer:
            "Uses shared memory of its own name beside apps that share the activation through another."
        case .removesTokensByPrefix: "Removes the tokens of the instance `a__b` together with those of `a`."
        case .uncheckedEntitlement: "Starts with a keychain access group that the app is not entitled to."
        case .tokenIsMadeTwice:
            "Asks the server for a token that another app has got while the request waited for its turn."
        case .lateAnswerIsApplied:
            "Applies a late answer to an activation that another app has made or changed meanwhile."
        case .encryptedCallLosesError:
            "Does not read the server's unencrypted error where an encrypted answer is expected."
        case .decodingErrorIsDropped: "Does not state in the error why an answer could not be read."
        case .tokenTimeIsNotSynchronized: "Sends a token with the device's time although the server's is not known yet."
        case .temporaryKeyIsNotRenewed:
            "Reports a request of the app that the server cannot decrypt instead of fetching another temporary key."
        case .pinningRefusalIsCancel: "Reports a server that the pinning provider refused as a general failure."
        case .badOperationFailsList: "Refuses the whole list of operations when one of them cannot be read."
        case .registerKeepsOldOperations:
            "Reports known operations to the delegate with the content and position they first had."
        case .cancelledPushRegistrationBlocks: "Refuses every registration for pushes after one that was cancelled."
        case .lostTokenStays: "Keeps a token that the server does not know, so that every later call fails."
        case .pendingActivationIsTold: "Sends the watch the identifier of an activation that is not persisted yet."
        case .tokenBeforeStatusIsDestroyed:
            "Destroys a token on the watch at its first use if the phone has not announced the activation yet."
        }
    }
}

/// The quirks a peer has.
public struct QuirkSet: Hashable, Sendable {
    /// The quirks.
    public let quirks: Set<Quirk>

    /// The behaviour the lab recommends: none of the original's defects.
    public static let none = QuirkSet([])
    /// Every known quirk, `fidelity: original`.
    public static let original = QuirkSet(Quirk.allCases)

    /// Makes a set.
    public init(_ quirks: some Sequence<Quirk>) { self.quirks = Set(quirks) }

    /// Reads ids such as `sharing.D7`; `original` stands for all.
    ///
    /// - Throws: `UnknownQuirk` for the first id that does not exist.
    public init(parsing ids: [String]) throws {
        var quirks: Set<Quirk> = []
        for id in ids {
            if id == "original" {
                quirks.formUnion(Quirk.allCases)
            } else if let quirk = Quirk(rawValue: id) {
                quirks.insert(quirk)
            } else {
                throw UnknownQuirk(id: id)
            }
        }
        self.quirks = quirks
    }

    /// Whether the peer has a quirk.
    public func contains(_ quirk: Quirk) -> Bool { quirks.contains(quirk) }
}

/// An id that names no quirk.
public struct UnknownQuirk: Error, Hashable, Sendable, CustomStringConvertible {
    /// The id.
    public let id: String

    public var description: String {
        "there is no quirk '\(id)'; known are 'original' (all of them), "
            + Quirk.allCases.map { "'\($0)'" }.joined(separator: ", ")
    }
}
