// SPDX-License-Identifier: Apache-2.0

import LabPoints
package import SimulatedDevice
import Synchronization

/// Why an SDK object refused its configuration: one case for each row of sharing.md, section 3.3.
///
/// The original raises one and the same exception for all of them (``PowerAuthExceptionMissingConfig``); here the
/// failable initialiser returns nil and the trace event `configuration.rejected` carries ``cause`` and ``description``.
package enum InvalidConfiguration: Error, Equatable, Sendable {
    case instanceIdEmpty
    case baseEndpointUrlEmpty
    case offlineSignatureComponentLength(actual: Int)
    case configurationString(reason: String)
    case externalEncryptionKeyLength(actual: Int)
    case appGroupEmpty
    case appGroupNotEntitled(String)
    case appGroupUnavailable(String)
    case applicationIdentifierEmpty
    case applicationIdentifierTooLong(limit: Int, actual: Int)
    case sharedMemoryIdentifierInvalid(String)
    case sharedMemoryNameTooLong(limit: Int, actual: Int)
    case sharedMemoryNotPermitted(name: String)
    case sharedMemoryUnavailable(name: String, reason: String)
    case sharedMemoryWrongMagic(name: String)
    case sharedMemoryForeignInstance(name: String)
    case sharedMemoryWrongVersion(name: String, version: UInt8)
    case sharedMemoryNameDiffers(used: String, expected: String)
    case lockFileUnavailable(path: String, reason: String)
    case keychainAccessGroupNotEntitled(String)
    case deviceNotUnlocked
    case preferencesUnavailable(name: String, reason: String)
    case leftoversNotRemoved(reason: String)
    case notInSandbox

    /// The name of the case, the stable word that scenarios compare with.
    package var cause: String {
        switch self {
        case .instanceIdEmpty: "instanceIdEmpty"
        case .baseEndpointUrlEmpty: "baseEndpointUrlEmpty"
        case .offlineSignatureComponentLength: "offlineSignatureComponentLength"
        case .configurationString: "configurationString"
        case .externalEncryptionKeyLength: "externalEncryptionKeyLength"
        case .appGroupEmpty: "appGroupEmpty"
        case .appGroupNotEntitled: "appGroupNotEntitled"
        case .appGroupUnavailable: "appGroupUnavailable"
        case .applicationIdentifierEmpty: "applicationIdentifierEmpty"
        case .applicationIdentifierTooLong: "applicationIdentifierTooLong"
        case .sharedMemoryIdentifierInvalid: "sharedMemoryIdentifierInvalid"
        case .sharedMemoryNameTooLong: "sharedMemoryNameTooLong"
        case .sharedMemoryNotPermitted: "sharedMemoryNotPermitted"
        case .sharedMemoryUnavailable: "sharedMemoryUnavailable"
        case .sharedMemoryWrongMagic: "sharedMemoryWrongMagic"
        case .sharedMemoryForeignInstance: "sharedMemoryForeignInstance"
        case .sharedMemoryWrongVersion: "sharedMemoryWrongVersion"
        case .sharedMemoryNameDiffers: "sharedMemoryNameDiffers"
        case .lockFileUnavailable: "lockFileUnavailable"
        case .keychainAccessGroupNotEntitled: "keychainAccessGroupNotEntitled"
        case .deviceNotUnlocked: "deviceNotUnlocked"
        case .preferencesUnavailable: "preferencesUnavailable"
        case .leftoversNotRemoved: "leftoversNotRemoved"
        case .notInSandbox: "notInSandbox"
        }
    }

    /// Whether the same configuration may be accepted later, by the same process: the cause is the device, not the
    /// configuration.
    package var mayPass: Bool {
        switch self {
        case .deviceNotUnlocked, .preferencesUnavailable, .leftoversNotRemoved, .appGroupUnavailable: true
        default: false
        }
    }

    /// The limit that was exceeded, in bytes, for the causes that have one.
    package var limit: Int? {
        switch self {
        case .applicationIdentifierTooLong(let limit, _), .sharedMemoryNameTooLong(let limit, _): limit
        default: nil
        }
    }

    /// The measured value, in bytes (or characters of an offline signature), for the causes that have one.
    package var actual: Int? {
        switch self {
        case .offlineSignatureComponentLength(let actual), .externalEncryptionKeyLength(let actual): actual
        case .applicationIdentifierTooLong(_, let actual), .sharedMemoryNameTooLong(_, let actual): actual
        default: nil
        }
    }
}

extension InvalidConfiguration: CustomStringConvertible {
    package var description: String {
        switch self {
        case .instanceIdEmpty:
            "PowerAuthConfiguration.instanceId is empty; give each activation of the application a unique text"
        case .baseEndpointUrlEmpty:
            "PowerAuthConfiguration.baseEndpointUrl is empty; give the URL of the enrolment server"
        case .offlineSignatureComponentLength(let actual):
            "offlineSignatureComponentLength is \(actual); it must be from 4 to 8 digits"
        case .configurationString(let reason):
            "the configuration string cannot be used: \(reason); copy it from the server's application detail"
        case .externalEncryptionKeyLength(let actual):
            "the external encryption key has \(actual) bytes; it must have exactly 16"
        case .appGroupEmpty:
            "PowerAuthSharingConfiguration.appGroup is empty; give the app group that the applications share"
        case .appGroupNotEntitled(let group):
            "the process is not entitled to the app group '\(group)'; add it to the application's app groups"
        case .appGroupUnavailable(let group):
            "the container of the app group '\(group)' cannot be opened; create the SDK object again"
        case .applicationIdentifierEmpty:
            "PowerAuthSharingConfiguration.appIdentifier is empty; give a name that differs in each application"
        case .applicationIdentifierTooLong(let limit, let actual):
            "PowerAuthSharingConfiguration.appIdentifier has \(actual) UTF-8 bytes; the limit is \(limit)"
        case .sharedMemoryIdentifierInvalid(let identifier):
            "sharedMemoryIdentifier '\(identifier)' is not 1 to 4 of the characters A-Z a-z 0-9 - +"
        case .sharedMemoryNameTooLong(let limit, let actual):
            "app group, dot and shared memory identifier make a name of \(actual) bytes; the system's limit is "
                + "\(limit), which leaves 26 for the app group with a computed identifier and up to 29 with a "
                + "shorter sharedMemoryIdentifier"
        case .sharedMemoryNotPermitted(let name):
            "the system does not let this process open the shared memory '\(name)'; its app group must be entitled"
        case .sharedMemoryUnavailable(let name, let reason): "the shared memory '\(name)' cannot be used: \(reason)"
        case .sharedMemoryWrongMagic(let name):
            "the shared memory '\(name)' was not made by this SDK; something else uses the same name"
        case .sharedMemoryForeignInstance(let name):
            "the shared memory '\(name)' belongs to another instanceId (the computed identifiers of two ids can be "
                + "equal); set the same sharedMemoryIdentifier, 1 to 4 characters that no other group uses, in all "
                + "applications of one of the two instances and launch them again"
        case .sharedMemoryWrongVersion(let name, let version):
            "the shared memory '\(name)' has the layout version \(version); another SDK version created it, restart "
                + "the device after updating all applications"
        case .sharedMemoryNameDiffers(let used, let expected):
            "another application shares this instanceId through the memory '\(expected)', this one would use "
                + "'\(used)'; set the same sharedMemoryIdentifier in all of them, and end those that still run with "
                + "another one"
        case .lockFileUnavailable(let path, let reason): "the lock file '\(path)' cannot be opened: \(reason)"
        case .keychainAccessGroupNotEntitled(let group):
            "the process is not entitled to the keychain access group '\(group)'; add it to the application's "
                + "keychain access groups"
        case .deviceNotUnlocked:
            "the device was not unlocked since it started, so that keychain, containers and preferences are closed; "
                + "create the SDK object again when protected data are available"
        case .preferencesUnavailable(let name, let reason):
            "the preferences '\(name)' do not show whether this is a fresh installation: \(reason); nothing was removed. "
                + "Create the SDK object again when they can be used, or reinstall all applications that use them"
        case .leftoversNotRemoved(let reason):
            "what an earlier installation left in the keychain could not be removed: \(reason); create the SDK object again"
        case .notInSandbox: "the process has not entered a device; an SDK object needs one"
        }
    }
}

extension InvalidConfiguration {
    private static let lastReport = Mutex<InvalidConfiguration?>(nil)

    /// The cause of the last refusal in this process: what a peer asks after an initialiser returned nil.
    package static var last: InvalidConfiguration? { lastReport.withLock { $0 } }

    /// Makes the refusal visible: in ``last``, in the trace as `configuration.rejected`, and in the log. The
    /// failable initialisers call it before they return nil.
    /// - Parameter sandbox: the device; nil when the process has not entered one.
    package func report(in sandbox: Sandbox?) {
        Self.lastReport.withLock { $0 = self }
        sandbox?.trace(
            .configurationRejected,
            [
                .brokenRule: .text(cause), .ruleText: .text(description),
                .longestLength: limit.map { .whole($0) }, .givenLength: actual.map { .whole($0) },
            ])
        PowerAuthLog.criticalWarning("Invalid PowerAuth configuration: \(description).")
    }
}
