// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PowerAuthProtocol
import Synchronization

/// The client's side of one activation: keys, signature counter, and the calls that use them (protocol.md, section 16).
///
/// A session may be used from several threads; every call takes the session's lock and none calls out while holding it.
/// The session does no I/O: its owner persists ``serializedState()`` and, where several processes share an activation,
/// reads, uses and writes the state under one inter-process lock.
///
/// Failures come back as `nil` or `false`, as the vendor's API has it; the reason is written to the core's log.
public final class PowerAuthCoreSession: Sendable {
    /// The protocol version this core supports.
    static let supportedVersion = ProtocolVersion.v3_3

    /// Base64 of the application key.
    public let applicationKey: String
    /// The number that the setup had when the session was made; 0 unless the application has set one.
    public let sessionIdentifier: UInt32

    let timeService: WeakTimeService
    private let setupConfiguration: String
    private let suites: [CryptographySuite]
    private let machine: Mutex<SessionMachine>
    private let monitor = Mutex<WeakDebugMonitor>(WeakDebugMonitor())

    /// Makes a session without an activation.
    /// - Parameters:
    ///   - sessionSetup: Constants of the application; copied. An unusable external encryption key leaves the session in
    ///     the state *Invalid*, in which nothing is possible (see ``hasValidSetup``).
    ///   - timeService: Passed to the encryptors the session makes; held weakly.
    public init?(sessionSetup: PowerAuthCoreSessionSetup, timeService: any PowerAuthCoreTimeService) {
        applicationKey = sessionSetup.applicationKey
        sessionIdentifier = sessionSetup.sessionIdentifier
        setupConfiguration = sessionSetup.configuration
        suites = sessionSetup.suites
        machine = Mutex(SessionMachine(setup: sessionSetup))
        self.timeService = WeakTimeService(timeService)
    }

    // MARK: Access for the calls in the other files

    func read<Result: Sendable>(_ body: (borrowing SessionMachine) throws(PowerAuthCoreErrorCode) -> Result)
        throws(PowerAuthCoreErrorCode) -> Result
    {
        monitor.withLock { $0.monitor }?.requireReadAccess()
        return try machine.withLock { machine throws(PowerAuthCoreErrorCode) in try body(machine) }
    }

    func write<Result: Sendable>(_ body: (inout SessionMachine) throws(PowerAuthCoreErrorCode) -> Result)
        throws(PowerAuthCoreErrorCode) -> Result
    {
        monitor.withLock { $0.monitor }?.requireWriteAccess()
        return try machine.withLock { machine throws(PowerAuthCoreErrorCode) in try body(&machine) }
    }

    /// Runs a call that changes only what is never persisted, or changes the state as a by-product of reading; the
    /// vendor counts such calls as reads.
    func readMutating<Result: Sendable>(_ body: (inout SessionMachine) throws(PowerAuthCoreErrorCode) -> Result)
        throws(PowerAuthCoreErrorCode) -> Result
    {
        monitor.withLock { $0.monitor }?.requireReadAccess()
        return try machine.withLock { machine throws(PowerAuthCoreErrorCode) in try body(&machine) }
    }

    /// Turns a refusal into `nil`, with a line in the log.
    func logged<Result>(
        _ call: StaticString = #function, _ body: () throws(PowerAuthCoreErrorCode) -> Result
    ) -> Result? {
        do {
            return try body()
        } catch {
            coreLog("Session: \(call) failed: \(error).")
            return nil
        }
    }

    // MARK: Setup

    /// `true` if the core was built with additional checks. A debug monitor is asked in every build.
    public static func hasDebugFeatures() -> Bool {
        #if DEBUG
            return true
        #else
            return false
        #endif
    }

    /// Object that watches calls; held weakly.
    public var debugMonitor: (any PowerAuthCoreDebugMonitor)? {
        get { monitor.withLock { $0.monitor } }
        set { monitor.withLock { $0.monitor = newValue } }
    }

    /// A copy of the setup with the external encryption key that is set now.
    public var sessionSetup: PowerAuthCoreSessionSetup {
        // The string was parsed when the session was made, so it parses again.
        let setup = PowerAuthCoreSessionSetup(configuration: setupConfiguration)!
        setup.externalEncryptionKey = machine.withLock { $0.externalEncryptionKey?.rawData }
        setup.sessionIdentifier = sessionIdentifier
        setup.suites = suites
        return setup
    }

    /// `true` if the setup can be used; a session without valid setup refuses everything.
    public var hasValidSetup: Bool { inspect { !$0.isInvalid } }

    // MARK: State

    /// `true` if a new activation can be started.
    public var canStartActivation: Bool { inspect { $0.canStartActivation } }
    /// `true` between the start of an activation and its completion. Such a state is not persisted.
    public var hasPendingActivation: Bool { inspect { $0.hasPendingActivation } }
    /// `true` if there is a completed activation. The server may still consider it uncommitted, blocked or removed.
    public var hasValidActivation: Bool { inspect { $0.hasValidActivation } }
    /// `true` if the activation is of the older protocol and no upgrade is running.
    public var hasProtocolUpgradeAvailable: Bool { inspect { $0.hasProtocolUpgradeAvailable } }
    /// `true` while a protocol upgrade is running.
    public var hasPendingProtocolUpgrade: Bool { inspect { $0.hasPendingProtocolUpgrade } }
    /// Version of the activation; ``PowerAuthCoreProtocolVersion/V3`` without one, and
    /// ``PowerAuthCoreProtocolVersion/NA`` for an activation of protocol 4, which only a session with suites can have.
    public var protocolVersion: PowerAuthCoreProtocolVersion { inspect { $0.protocolVersion } }
    /// Identifier of the activation, known from the moment the server's answer was validated.
    public var activationIdentifier: String? { inspect { $0.activationIdentifier } }
    /// Eight digits identifying the exchanged keys, known from the moment the server's answer was validated.
    public var activationFingerprint: String? { inspect { $0.activationFingerprint } }

    /// Forgets the activation, pending or not. Setup and external encryption key stay.
    /// - Parameter fullReset: Also forget the server's temporary key of the application scope.
    public func resetSession(_ fullReset: Bool) {
        _ = logged { () throws(PowerAuthCoreErrorCode) in
            try write { machine throws(PowerAuthCoreErrorCode) in machine.reset(full: fullReset) }
        }
    }

    /// The state in the vendor's format (sharing.md, section 13). A pending activation counts as no activation.
    public func serializedState() -> Data { inspect { $0.serializedState() } }

    /// Replaces the state.
    /// - Parameter state: Bytes made by ``serializedState()`` of this or an older version.
    /// - Returns: `false` if the bytes are unusable; the session has no activation then.
    @discardableResult
    public func deserializeState(_ state: Data) -> Bool {
        let decoded = Result { () throws(ProtocolError) in try SessionStateCoding.decode(state, suites: suites) }
        if case .failure(let error) = decoded { coreLog("Session: The stored state is unusable: \(error).") }
        return logged { () throws(PowerAuthCoreErrorCode) in
            try write { machine throws(PowerAuthCoreErrorCode) in try machine.loadState(decoded) }
        } != nil
    }

    /// A read that cannot fail.
    func inspect<Result: Sendable>(_ body: (borrowing SessionMachine) -> Result) -> Result {
        monitor.withLock { $0.monitor }?.requireReadAccess()
        return machine.withLock { body($0) }
    }

    // MARK: Static

    /// Version string for HTTP headers of an activation: `2.1` for V2, otherwise the newest version.
    public static func maxSupportedHttpProtocolVersion(_ protocolVersion: PowerAuthCoreProtocolVersion) -> String {
        protocolVersion == .V2 ? SignatureVersion.v2Header : supportedVersion.rawValue
    }

    /// Makes an unlock key from any data: the first 16 bytes of its SHA-256.
    public static func normalizeSignatureUnlockKey(from data: Data) -> Data { Data(Digest.sha256(data).prefix(16)) }
    /// A new unlock key: 16 random bytes.
    public static func generateSignatureUnlockKey() -> Data { Random.nonZeroBytes(16) }
    /// A new challenge for a status request: Base64 of 16 random bytes.
    public static func generateActivationStatusChallenge() -> String { Random.bytes(16).base64EncodedString() }
}

/// A weak reference that may cross threads: the referenced protocol is `Sendable`, and the mutex around the box, or its
/// immutability after creation, guards the reference.
struct WeakTimeService: @unchecked Sendable {
    private(set) weak var service: (any PowerAuthCoreTimeService)?

    init(_ service: (any PowerAuthCoreTimeService)?) { self.service = service }
}

/// The weakly held monitor; lives inside the session's mutex.
private struct WeakDebugMonitor { weak var monitor: (any PowerAuthCoreDebugMonitor)? }
