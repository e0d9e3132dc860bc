// SPDX-License-Identifier: Apache-2.0

public import LabCore

/// The server's tunable rules with the defaults of server.md, section 25.
///
/// Times are milliseconds.
public struct ServerPolicy: Sendable {
    /// How long a new activation may wait for its key exchange and commit.
    public var activationValidity: Int64 = 300_000
    /// How many failed signatures or one-time passwords block (or remove) an activation.
    public var maxFailedAttempts = 5
    /// How many counter values, starting with the server's own, a signature is tried against (1…64).
    public var lookAhead = 20
    /// Whether encrypted requests and token digests may be used once only.
    public var isReplayVerified = true
    /// How far the timestamp of an encrypted request may be from the server's time.
    public var requestWindow: Int64 = 60_000
    /// How far ahead the timestamp of a 3.0 or 3.1 token may be.
    public var extendedRequestWindow: Int64 = 7_200_000
    /// How old the timestamp of a token digest may be.
    public var tokenValidity: Int64 = 7_200_000
    /// How far in the future the timestamp of a token digest may be.
    public var tokenForwardValidity: Int64 = 1_800_000
    /// How long a temporary key decrypts requests.
    public var temporaryKeyValidity: Int64 = 300_000
    /// The maximum of unexpired temporary keys of one activation; a new one replaces the oldest.
    public var temporaryKeysPerActivation = 32
    /// How many random identifiers are tried before giving up on collisions.
    public var generationAttempts = 10
    /// How many wrong PUKs block a recovery code.
    public var recoveryMaxFailedAttempts = 5
    /// Whether activations of protocol 3.3 are offered protocol 4, where their application has algorithms of it
    /// configured (protocol-4.md, section 14).
    public var isUpgradeOffered = true
    /// How long too many wrong codes block an activation of protocol 4 the first time; each block after it is twice as
    /// long, until a right code comes. Nil blocks until the back office takes it back (protocol-4.md, section 16).
    public var temporaryBlocking: Int64?
    /// Whether the vault opens with biometry in place of knowledge. In protocol 4 it is so for the device's keys alone:
    /// the application's own vault behind two factors opens with either (protocol-4.md, section 13).
    public var isVaultOpenedByBiometry = false
    /// Whether push and inbox refuse devices with the code of the integration library in place of the documented one
    /// (mobile-token.md, section 16.1).
    public var hasLibraryAuthenticationCode = false
    /// The push service for devices whose registration names none (mobile-token.md, section 20.1).
    public var pushEnvironment = PushEnvironment.production
    /// Whether only the newest active activation of a user may list and decide on operations (mobile-token.md,
    /// section 21).
    public var hasOneActivationPerUser = false
    /// Whether an operation with a flag is approved only by an activation that has it, named in the additional data of
    /// the approval (server.md, section 30, item 9).
    public var isFlagCheckedAtApproval = true
    /// Whether an operation with a flag is claimed only by a user with an activation that has it (mobile-token.md,
    /// section 24, item 33).
    public var isFlagCheckedAtClaim = true
    /// Whether values of a request must have the described form; otherwise the forms that the original's reader accepts
    /// are read, too (server.md, section 2.3).
    public var isJSONStrict = false
    /// How callbacks are delivered.
    public var callbacks = CallbackPolicy()
    /// Whether the back office is open to integrations only, with HTTP Basic.
    public var isBackOfficeRestricted = false
    /// The number of activations in one page of a list, unless the caller says otherwise.
    public var pageSize = 500

    /// How many digits one factor has in an offline signature, unless the caller says otherwise (4…8).
    public var offlineComponentLength = 8
    /// The codes that show that a user is near the place where an operation is shown.
    public var proximity = ProximityPolicy()
    /// The maximum of unexpired temporary keys of an application version for devices without activation; a new one
    /// replaces the oldest of the address with the most keys.
    public var temporaryKeysPerApplication = 4_000

    /// The maximum for one address; a new key replaces the oldest there. A quarter of all.
    public var temporaryKeysPerAddress: Int { max(1, temporaryKeysPerApplication / 4) }

    /// How the JSON of requests is read.
    var reading: JSONReading { isJSONStrict ? .strict : .tolerant }

    /// The defaults.
    public init() {}
}

/// How the codes of proximity checks are made.
public struct ProximityPolicy: Sendable {
    /// How many digits a code has (6…9).
    public var digits = 8
    /// How long a code is shown, in milliseconds; whole seconds count.
    public var step: Int64 = 30_000
    /// How many codes before that of now are accepted.
    public var previousSteps = 1

    /// The defaults.
    public init() {}

    /// The length of one step in seconds.
    var stepSeconds: Int { Int(max(1, step / 1_000)) }
}
