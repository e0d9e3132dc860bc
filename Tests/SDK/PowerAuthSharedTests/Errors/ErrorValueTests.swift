// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import LabSystem
import LabVocabulary
import PowerAuthProtocol
import PowerAuthShared
import SimulatedDevice
import TestSupport
import Testing
import WatchConnectivity

@Suite("What the errors of the SDKs carry (sdk.md, section 4)", .endsInTime)
struct ErrorValueTests {
    // MARK: NSError

    @Test func `An error has the given text or that of its code, what caused it, and what the caller adds`() {
        let plain = NSError.powerAuth(.encryption)
        #expect(plain.domain == PowerAuthErrorDomain && plain.code == 12)
        #expect(plain.localizedDescription == PowerAuthErrorCode.encryption.defaultDescription)
        #expect(plain.userInfo[NSUnderlyingErrorKey] == nil)

        let full = NSError.powerAuth(
            .wrongParameter, "given", underlying: NSError(domain: "cause", code: 7), userInfo: ["other": "value"])
        #expect(full.localizedDescription == "given")
        #expect((full.userInfo[NSUnderlyingErrorKey] as? NSError)?.domain == "cause")
        #expect(full.userInfo["other"] as? String == "value")

        let overruled = NSError.powerAuth(
            .wrongParameter, "given", userInfo: [NSLocalizedDescriptionKey: "the caller's"])
        #expect(overruled.localizedDescription == "the caller's")
    }

    @Test func `Only an error of the SDK's domain has a code and an external operation of the SDK`() {
        let operation = PowerAuthExternalPendingOperation(type: .protocolUpgrade, applicationId: "main")
        let info = [PowerAuthErrorInfoKey_ExternalPendingOperation: operation]
        let own = NSError.powerAuth(.externalPendingOperation, userInfo: info)
        #expect(own.powerAuthErrorCode == .externalPendingOperation)
        #expect(own.powerAuthExternalPendingOperation === operation)
        let foreign = NSError(domain: "other", code: 18, userInfo: info)
        #expect(foreign.powerAuthErrorCode == .NA && foreign.powerAuthExternalPendingOperation == nil)
        for code in [-1, 21] {
            #expect(NSError(domain: PowerAuthErrorDomain, code: code).powerAuthErrorCode == .NA)
        }
        #expect(NSError.powerAuth(.encryption).powerAuthExternalPendingOperation == nil)
        // As the error of a callback is typed.
        for error in [own, foreign, URLError(.timedOut)] as [any Error] {
            let object = error as NSError
            #expect(error.powerAuthErrorCode == object.powerAuthErrorCode)
            #expect(error.powerAuthExternalPendingOperation === object.powerAuthExternalPendingOperation)
            #expect(error.userInfo.keys == object.userInfo.keys)
        }
        #expect((own as any Error).powerAuthErrorCode == .externalPendingOperation)
    }

    // MARK: Answers of the server

    @Test func `The server's error has code and text where they are texts, and everything else beside them`() {
        let full = PowerAuthRestApiError(
            object: ["code": "C", "message": "M", "currentRecoveryPukIndex": 3, "other": "value"])
        #expect(full.code == "C" && full.message == "M" && full.currentRecoveryPukIndex == 3)
        #expect(full.additionalInfo.count == 2 && full.additionalInfo["other"] as? String == "value")
        let odd = PowerAuthRestApiError(object: ["code": 1, "message": 2, "currentRecoveryPukIndex": "3"])
        #expect(odd.code == nil && odd.message == nil && odd.currentRecoveryPukIndex == -1)
        #expect(odd.additionalInfo.count == 1)
        let empty = PowerAuthRestApiError(object: [:])
        #expect(empty.code == nil && empty.additionalInfo.isEmpty && empty.currentRecoveryPukIndex == -1)
    }

    @Test func `An error response has the HTTP status, and the server's error where it is an object`() {
        let full = PowerAuthRestApiErrorResponse(httpStatusCode: 401, body: ["responseObject": ["code": "C"]])
        #expect(full.status == .ERROR && full.httpStatusCode == 401 && full.responseObject?.code == "C")
        for body in [[:], ["responseObject": "text"], ["code": "C"]] as [[String: Any]] {
            #expect(PowerAuthRestApiErrorResponse(httpStatusCode: 200, body: body).responseObject == nil)
        }
    }

    // MARK: Unusable configurations

    /// What is expected of a cause besides its name.
    private struct Refusal {
        let error: InvalidConfiguration
        let cause: String
        var limit: Int?
        var actual: Int?
        var mayPass = false
        /// Parts of the sentence.
        var says: [String]
    }

    private static let refusals = [
        Refusal(error: .instanceIdEmpty, cause: "instanceIdEmpty", says: ["instanceId is empty"]),
        Refusal(error: .baseEndpointUrlEmpty, cause: "baseEndpointUrlEmpty", says: ["baseEndpointUrl is empty"]),
        Refusal(
            error: .offlineSignatureComponentLength(actual: 71), cause: "offlineSignatureComponentLength", actual: 71,
            says: ["is 71; it must be from 4 to 8"]),
        Refusal(error: .configurationString(reason: "R1"), cause: "configurationString", says: ["used: R1;"]),
        Refusal(
            error: .externalEncryptionKeyLength(actual: 71), cause: "externalEncryptionKeyLength", actual: 71,
            says: ["has 71 bytes; it must have exactly 16"]),
        Refusal(error: .appGroupEmpty, cause: "appGroupEmpty", says: ["appGroup is empty"]),
        Refusal(error: .appGroupNotEntitled("G1"), cause: "appGroupNotEntitled", says: ["not entitled", "'G1'"]),
        Refusal(
            error: .appGroupUnavailable("G1"), cause: "appGroupUnavailable", mayPass: true, says: ["opened", "'G1'"]),
        Refusal(
            error: .applicationIdentifierEmpty, cause: "applicationIdentifierEmpty", says: ["appIdentifier is empty"]),
        Refusal(
            error: .applicationIdentifierTooLong(limit: 71, actual: 72), cause: "applicationIdentifierTooLong",
            limit: 71, actual: 72, says: ["appIdentifier has 72 UTF-8 bytes; the limit is 71"]),
        Refusal(
            error: .sharedMemoryIdentifierInvalid("N1"), cause: "sharedMemoryIdentifierInvalid",
            says: ["sharedMemoryIdentifier 'N1' is not 1 to 4"]),
        Refusal(
            error: .sharedMemoryNameTooLong(limit: 71, actual: 72), cause: "sharedMemoryNameTooLong", limit: 71,
            actual: 72, says: ["a name of 72 bytes; the system's limit is 71"]),
        Refusal(
            error: .sharedMemoryNotPermitted(name: "N1"), cause: "sharedMemoryNotPermitted",
            says: ["not let this process open the shared memory 'N1'"]),
        Refusal(
            error: .sharedMemoryUnavailable(name: "N1", reason: "R1"), cause: "sharedMemoryUnavailable",
            says: ["'N1' cannot be used: R1"]),
        Refusal(
            error: .sharedMemoryWrongMagic(name: "N1"), cause: "sharedMemoryWrongMagic",
            says: ["'N1' was not made by this SDK"]),
        Refusal(
            error: .sharedMemoryForeignInstance(name: "N1"), cause: "sharedMemoryForeignInstance",
            says: ["'N1' belongs to another instanceId"]),
        Refusal(
            error: .sharedMemoryWrongVersion(name: "N1", version: 7), cause: "sharedMemoryWrongVersion",
            says: ["'N1' has the layout version 7"]),
        Refusal(
            error: .sharedMemoryNameDiffers(used: "N1", expected: "N2"), cause: "sharedMemoryNameDiffers",
            says: ["through the memory 'N2'", "would use 'N1'"]),
        Refusal(
            error: .lockFileUnavailable(path: "P1", reason: "R1"), cause: "lockFileUnavailable",
            says: ["'P1' cannot be opened: R1"]),
        Refusal(
            error: .keychainAccessGroupNotEntitled("G1"), cause: "keychainAccessGroupNotEntitled",
            says: ["keychain access group 'G1'"]),
        Refusal(error: .deviceNotUnlocked, cause: "deviceNotUnlocked", mayPass: true, says: ["not unlocked"]),
        Refusal(
            error: .preferencesUnavailable(name: "N1", reason: "R1"), cause: "preferencesUnavailable", mayPass: true,
            says: ["the preferences 'N1'", ": R1; nothing was removed"]),
        Refusal(
            error: .leftoversNotRemoved(reason: "R1"), cause: "leftoversNotRemoved", mayPass: true,
            says: ["could not be removed: R1"]),
        Refusal(error: .notInSandbox, cause: "notInSandbox", says: ["not entered a device"]),
    ]

    @Test func `Every refusal of a configuration has its name, its numbers, its sentence, and whether it may pass`() {
        for row in Self.refusals {
            #expect(row.error.cause == row.cause)
            #expect(row.error.limit == row.limit, "\(row.cause)")
            #expect(row.error.actual == row.actual, "\(row.cause)")
            #expect(row.error.mayPass == row.mayPass, "\(row.cause)")
            for part in row.says { #expect(row.error.description.contains(part), "\(row.cause)") }
        }
        #expect(Set(Self.refusals.map(\.cause)).count == Self.refusals.count)
    }

    @Test func `A lock file that cannot be used is reported with its path and the reason, each in its place`() throws {
        let device = try TemporaryDevice()
        let main = try SharingApp("main", on: device)
        let (wallet, widget) = (
            try SharingApp.sandbox("wallet", on: device), try SharingApp.sandbox("widget", on: device)
        )
        func openApplication() throws { _ = try SharingApp(in: wallet, "wallet") }
        func openExtension() throws {
            _ = try SharedTokenLock(
                sharing: PowerAuthSharingConfiguration(
                    appGroup: SharingApp.appGroup, appIdentifier: "widget", keychainAccessGroup: SharingApp.accessGroup),
                instanceId: SharingApp.instanceId, sandbox: widget)
        }
        let names = SharedNames(instanceId: SharingApp.instanceId, appGroup: SharingApp.appGroup, memoryIdentifier: nil)
        let path = try #require(main.sandbox.containerPath(forAppGroup: SharingApp.appGroup)) + "/" + names.statusLock

        let held = InvalidConfiguration.lockFileUnavailable(
            path: path, reason: SharedLock.Failure.heldByOtherObject(path: path).description)
        _ = try main.interface.lockTokenStore()
        #expect(throws: held) { try openApplication() }
        #expect(throws: held) { try openExtension() }
        main.interface.unlockTokenStore()

        /// Puts a directory where a lock file belongs, and gives the refusal of those who open it.
        func blocked(_ path: String) throws -> InvalidConfiguration {
            try Files.remove(path)
            try Files.createNewDirectory(path)
            let failure = thrown { _ = try FileLock(path: path) }
            return .lockFileUnavailable(path: path, reason: String(describing: try #require(failure)))
        }
        let blockedStatus = try blocked(path)
        #expect(throws: blockedStatus) { try openApplication() }
        #expect(throws: blockedStatus) { try openExtension() }
        let stranger = try device.sandbox(name: "stranger", bundleIdentifier: "com.example.stranger")
        let blockedInstallation = try blocked(stranger.home + "/PowerAuthInstallationLock")
        #expect(throws: blockedInstallation) { try Installed(in: stranger, instanceId: "s").session(in: stranger) }
    }
}

/// Scenarios name errors by words that LabVocabulary lists, because the runner must not import an SDK.
@Suite("The words for errors in scenarios are the cases of the SDKs", .endsInTime)
struct ErrorNameTests {
    @Test(arguments: PowerAuthErrorCode.allCases) func `Every code of the SDKs has its word`(code: PowerAuthErrorCode) {
        #expect(ErrorNames.all.contains(String(describing: code)))
    }

    @Test func `The text of every code is the vendor's (sdk.md, section 4.1)`() throws {
        let rows = try Project.text(of: "docs/spec/sdk.md").matches(
            of: #/(?m)^\| (\d+) \| `\.\w+` \| `([^`]+)`[^|]*\|/#)
        var texts: [Int: String] = [:]
        for row in rows { texts[Int(row.1) ?? -1] = String(row.2) }
        #expect(texts.count == PowerAuthErrorCode.allCases.count - 1)
        for code in PowerAuthErrorCode.allCases where code != .NA {
            #expect(code.defaultDescription == texts[code.rawValue], "\(code)")
        }
    }

    @Test(
        arguments: [
            (URLError.Code.timedOut, "timedOut"), (.cannotConnectToHost, "cannotConnectToHost"),
            (.networkConnectionLost, "networkConnectionLost"), (.notConnectedToInternet, "notConnectedToInternet"),
            (.serverCertificateHasBadDate, "serverCertificateHasBadDate"),
            (.serverCertificateUntrusted, "serverCertificateUntrusted"),
        ])
    func `A request that had no answer has the platform's number and word`(code: URLError.Code, name: String) {
        #expect(ErrorNames.ofURLLoading(code: code.rawValue) == name)
        #expect(ErrorNames.all.contains(name))
    }

    @Test(arguments: 7001...7019) func `Every code of WatchConnectivity has its word`(rawValue: Int) throws {
        let code = try #require(WCError.Code(rawValue: rawValue))
        #expect(ErrorNames.all.contains(String(describing: code)))
    }
}
