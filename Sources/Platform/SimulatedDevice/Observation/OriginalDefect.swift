import LabKit

/// A defect of the original SDK that an app may have on purpose; fixed unless the app's installation asks for it.
///
/// Each is one of the lab's quirks, under the same name.
public enum OriginalDefect: CaseIterable, Sendable {
    /// A dead owner's operation stays pending (sharing.md, section 20, D1).
    case staleExternalOperation
    /// The change counter is raised only after the save (sharing.md, section 20, D7).
    case counterAfterSave
    /// A state that cannot be read is taken for none (sharing.md, section 20, D8).
    case unreadableStateIsNone
    /// A fresh installation deletes everything that it can reach (sharing.md, section 20, D9).
    case unguardedWipe
    /// The memory identifiers of the applications are not compared (sharing.md, section 20, D15).
    case memoryNamesMayDiffer
    /// All tokens are those whose account begins alike (sharing.md, section 20, D19).
    case removesTokensByPrefix
    /// The entitlement to the keychain group is not checked (sharing.md, section 20, D23).
    case uncheckedEntitlement
    /// A token that another application has made meanwhile is made again (sharing.md, section 20, D29).
    case tokenIsMadeTwice
    /// An answer acts on the activation that is present by then (sharing.md, section 20, D30).
    case lateAnswerIsApplied
    /// A failed request during an upgrade looks like an unknown server (sdk.md, section 15, item 5).
    case upgradeHidesFailedRequest
    /// Keys given for persisting are ignored (sdk.md, section 15, item 6).
    case persistIgnoresGivenKeys
    /// A biometry key that could not be stored is not noticed (sdk.md, section 15, item 7).
    case lostBiometryKey
    /// Requests outlive the activation that they belong to (sdk.md, section 15, item 13).
    case removalLeavesRequests
    /// A missing server time is 1970 (sdk.md, section 15, item 15).
    case missingServerTimeIsZero
    /// An upgrade is not announced to the other applications (sdk.md, section 15, item 21).
    case unannouncedUpgrade
    /// A state that cannot be read is overwritten (sdk.md, section 15, item 23).
    case unusableStateIsDropped
    /// Cached results outlive a reset (sdk.md, section 15, item 26).
    case cachesSurviveReset
    /// An unencrypted error in place of an encrypted answer is not read (sdk.md, section 15, item 28).
    case plainErrorIsNotRead
    /// An unencrypted error as the answer to an encrypted request is lost (networking.md, section 17, item 3).
    case encryptedCallLosesError
    /// The reason why an answer cannot be read is dropped (networking.md, section 17, item 4).
    case decodingErrorIsDropped
    /// A token's header is made with the device's own time (networking.md, section 17, item 8).
    case tokenTimeIsNotSynchronized
    /// A key that the server has forgotten is used on (networking.md, section 17, item 9).
    case temporaryKeyIsNotRenewed
    /// A server that the pinning provider refuses is not reported as an error of trust (networking.md, section 17, item
    /// 11).
    case pinningRefusalIsCancel
    /// One operation that cannot be read hides all (mobile-token.md, section 24, item 1).
    case badOperationFailsList
    /// Known operations are not replaced (mobile-token.md, section 24, item 2).
    case registerKeepsOldOperations
    /// A cancelled registration for pushes blocks the next ones (mobile-token.md, section 24, item 7).
    case cancelledPushRegistrationBlocks
    /// A token that the server does not know stays (mobile-token.md, section 24, item 19).
    case lostTokenStays

    /// A phone reports a pending activation to its watch (watch.md, section 13, item 2).
    case pendingActivationIsTold
    /// A watch without a known activation destroys tokens (watch.md, section 13, item 6).
    case tokenBeforeStatusIsDestroyed

    /// The name of the defect in a lab file.
    var quirk: Quirk {
        switch self {
        case .staleExternalOperation: .staleExternalOperation
        case .counterAfterSave: .counterAfterSave
        case .unreadableStateIsNone: .unreadableStateIsNone
        case .unguardedWipe: .unguardedWipe
        case .memoryNamesMayDiffer: .memoryNamesMayDiffer
        case .removesTokensByPrefix: .removesTokensByPrefix
        case .uncheckedEntitlement: .uncheckedEntitlement
        case .tokenIsMadeTwice: .tokenIsMadeTwice
        case .lateAnswerIsApplied: .lateAnswerIsApplied
        case .upgradeHidesFailedRequest: .upgradeHidesFailedRequest
        case .persistIgnoresGivenKeys: .persistIgnoresGivenKeys
        case .lostBiometryKey: .lostBiometryKey
        case .removalLeavesRequests: .removalLeavesRequests
        case .missingServerTimeIsZero: .missingServerTimeIsZero
        case .unannouncedUpgrade: .unannouncedUpgrade
        case .unusableStateIsDropped: .unusableStateIsDropped
        case .cachesSurviveReset: .cachesSurviveReset
        case .plainErrorIsNotRead: .plainErrorIsNotRead
        case .encryptedCallLosesError: .encryptedCallLosesError
        case .decodingErrorIsDropped: .decodingErrorIsDropped
        case .tokenTimeIsNotSynchronized: .tokenTimeIsNotSynchronized
        case .temporaryKeyIsNotRenewed: .temporaryKeyIsNotRenewed
        case .pinningRefusalIsCancel: .pinningRefusalIsCancel
        case .badOperationFailsList: .badOperationFailsList
        case .registerKeepsOldOperations: .registerKeepsOldOperations
        case .cancelledPushRegistrationBlocks: .cancelledPushRegistrationBlocks
        case .lostTokenStays: .lostTokenStays
        case .pendingActivationIsTold: .pendingActivationIsTold
        case .tokenBeforeStatusIsDestroyed: .tokenBeforeStatusIsDestroyed
        }
    }
}
