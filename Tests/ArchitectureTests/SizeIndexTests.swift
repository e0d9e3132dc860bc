// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Every number that limits something has tests with the trait `.verifies("size", "Type.constant")`, which try the values
/// around it: one less, as many, one more, and a second round where there can be one.
@Suite("Every limit is tried around its value", .endsInTime)
struct SizeIndexTests {
    private static let code = "a code of `WCError`; watch.md, section 9.8"
    private static let format = "a form of bytes, compared as a whole with the vendor's"
    private static let pause = "real time between two looks; it changes no answer"
    private static let shown = "how much is shown"
    private static let version = "a version"

    /// The numbers that are no sizes, each with the reason why no other value would be right, or where a whole is compared
    /// with it.
    private static let fixed: [String: String] = [
        "LinkCode.companionAppNotInstalled": code, "LinkCode.deliveryFailed": code, "LinkCode.deviceNotPaired": code,
        "LinkCode.fileAccessDenied": code, "LinkCode.generic": code, "LinkCode.insufficientSpace": code,
        "LinkCode.messageReplyFailed": code, "LinkCode.messageReplyTimedOut": code, "LinkCode.notReachable": code,
        "LinkCode.payloadTooLarge": code, "LinkCode.payloadUnsupportedTypes": code, "LinkCode.sessionInactive": code,
        "LinkCode.sessionNotActivated": code, "LinkCode.transferTimedOut": code, "LinkCode.watchAppNotInstalled": code,
        "AEAD.nonceSize": format, "AEAD.tagSize": format, "ActivationRecord.keySize": format,
        "AuthenticatedStatus.size": format, "BiometryKeyStore.nameLength": format, "DHKEM.size": format,
        "DeviceDisk.size": format, "FactorKeyWrapping.counterSize": format, "FactorKeyWrapping.size": format,
        "FaultSlot.armed": format, "FaultSlot.headerSize": format, "FaultSlot.lastArmingOffset": format,
        "FaultSlot.liveCountOffset": format, "FaultSlot.slotSize": format, "FaultTable.magic": format,
        "LabClock.magic": format, "LabClock.size": format, "MobileSdkConfiguration.p256KeyIdentifier": format,
        "MobileSdkConfiguration.version": format, "SessionStateCoding.activationFollows": format,
        "SessionStateCoding.dataVersion7": format,
        "SessionStateCoding.hasCounterByte": format, "SessionStateCoding.pendingUpgradeMask": format,
        "SessionStateCoding.pendingUpgradeShift": format, "SessionStateCoding.tag": format,
        "SessionStateCoding.usesExternalKey": format, "SharedData.instanceHash": format, "SharedData.magic": format,
        "SharedData.operationApplication": format, "SharedData.operationStart": format,
        "SharedData.operationTicket": format, "SharedData.operationType": format, "SharedData.size": format,
        "SharedData.stateModifyCounter": format, "SharedData.tokenModifyCounter": format, "SharedData.version": format,
        "StatusBlob.size": format, "SymmetricKey.saltSize": format, "TurnPage.headerSize": format,
        "TurnSlot.size": format, "WatchFrame.headerLength": format,
        "ChildProcess.patience": pause, "ControlClientLoop.graceNanoseconds": pause,
        "Farewell.patienceNanoseconds": pause, "JoinSocketLoop.farewellPatience": pause,
        "LinkHost.retransmissionTimeout": pause, "LinkHost.retryPause": pause, "Pacing.hurriedAttempts": pause,
        "SuspensionChecks.lookAgain": pause, "SuspensionChecks.pause": pause, "TCPSocket.patience": pause,
        "TurnPage.lookAgain": pause,
        "ScenarioTraffic.longestText": shown, "ScenarioTraffic.most": shown, "ShellHistory.kept": shown,
        "StepExplainer.longestSource": shown, "TerminalReport.recapColumns": shown,
        "AppVocabulary.version": version, "EventReference.version": version, "ExplorationRecord.version": version,
        "FaultSlot.layoutVersion": version,
        "JSONReport.version": version, "JoinHello.currentVersion": version, "LabClock.version": version,
        "StateAtStep.version": version, "VocabularyReference.version": version,
        "CallbackPolicy.connectTimeout": "real time of a connection; `ServerSettingsTests` read it",
        "CallbackPolicy.responseTimeout": "real time of an answer; `ServerSettingsTests` read it",
        "CauseFinder.usualWait": "a shorter wait for a lock is no cause of a failure",
        "ConnectionLimits.retryAfterSeconds": "advice for a client that was sent away",
        "Doctor.neededDescriptors": "advice",
        "Doctor.neededDisk": "advice",
        "Doctor.neededSharedMemory": "advice",
        "InstanceSlot.count": "how many instances the tests of a process keep at a time",
        "JoinGuest.measurements": "the best of several measurements of the same difference",
        "JoinHost.bootsOfGuest": "boots of a guest's devices are distinguished from the owner's",
        "LabCertificates.day": "a day has so many milliseconds",
        "LinkSpec.defaultCapacity": "a default; a link's own number is tried by `QueueCapacityTests`",
        "MoneyFormat.mostStyles": "what is kept of formatters changes no text",
        "MultiHandle.keptConnections": "connections that are kept change no answer",
        "MultiHandle.longestWait": "a thread looks again after it; what it waits for wakes it",
        "OutgoingRequest.largestBody": "the bodies of targets are small; it keeps memory, and no answer depends on it",
        "PageTemplate.longestPlain": "a block is the same in both forms",
        "RecordedSteps.longPause": "from how long a pause on a replay is advised to wait",
        "ServerStatusRequests.earliestTime": "any time before the lab was written will do",
        "SharingCheckers.lateness": "how late a process writes down what it has done, at most",
        "WatchLink.firstPairing": "pairings are counted from it",
    ]

    /// The settings whose defaults are limits; the numbers of other variables are states.
    private static let policies = ["ServerPolicy", "ProximityPolicy", "CallbackPolicy"]

    /// The constants that are numbers or ranges of numbers, by the type that they belong to, and the settings.
    private static func numbers() throws -> Set<String> {
        var found: Set<String> = []
        for file in try Repository.swiftFiles(below: "Sources") {
            var type = ""
            for line in file.text.split(separator: "\n") {
                // Most lines are neither, and an expression costs far more than a look at the first characters.
                let declaration = line.drop { $0 == " " }
                if declaration.startIndex == line.startIndex,
                    let match = line.prefixMatch(
                        of: /(?:public |package |private )?(?:struct|enum|class|final class|extension) (\w+)/)
                {
                    type = String(match.1)
                } else if declaration.contains("static let "),
                    let match = declaration.firstMatch(
                        of: /static let (\w+)(?:: \w+)? = [0-9][0-9A-Fx_.]*(?: << [0-9]+|\.\.\.[0-9_]+)?$/)
                {
                    found.insert("\(type).\(match.1)")
                } else if policies.contains(type), declaration.hasPrefix("public var "),
                    let match = declaration.firstMatch(of: /public var (\w+)(?:: \w+)? = [0-9][0-9_.]*$/)
                {
                    found.insert("\(type).\(match.1)")
                }
            }
        }
        return found
    }

    @Test func `Every number in the code is tried by a test, or fixed for a reason`() throws {
        let numbers = try Self.numbers()
        #expect(numbers.count > 170)
        let fixed = Set(Self.fixed.keys)
        #expect(fixed.subtracting(numbers).sorted() == [], "no such number is in the code")
        Verification.check("size", has: numbers.subtracting(fixed))
    }
}
