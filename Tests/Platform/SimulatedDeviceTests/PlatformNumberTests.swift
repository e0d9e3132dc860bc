// SPDX-License-Identifier: Apache-2.0

import CFNetwork
import Foundation
import LabControl
import TestSupport
import Testing
import WatchConnectivity

@testable import NetworkFramework
@testable import SimulatedDevice
@testable import UserNotifications

/// The numbers and names that Apple's frameworks give to their values, and the protocol of the lab to its own.
@Suite("Numbers and names of the platform", .endsInTime)
struct PlatformNumberTests {
    @Test func `Every error of CFNetwork has Apple's number`() {
        let positive: [ClosedRange<Int32>] = [1...2, 100...101, 110...113, 120...124, 200...200, 300...311]
        let negative: [ClosedRange<Int32>] = [
            996...1_022, 1_100...1_104, 1_200...1_206, 2_000...2_000, 3_000...3_007, 4_000...4_000, 72_000...72_007,
            73_000...73_000,
        ]
        let numbers = positive.flatMap { Array($0) } + negative.flatMap { range in range.map { -$0 } }
        #expect(CFNetworkErrors.allCases.map(\.rawValue) == numbers)
    }

    @Test func `Every error of WatchConnectivity has its number, and a name beside the type`() {
        #expect(WCError.Code.allCases.map(\.rawValue) == Array(7_001...7_019))
        let names: [WCError.Code] = [
            WCError.genericError, WCError.sessionNotSupported, WCError.sessionMissingDelegate,
            WCError.sessionNotActivated, WCError.deviceNotPaired, WCError.watchAppNotInstalled, WCError.notReachable,
            WCError.invalidParameter, WCError.payloadTooLarge, WCError.payloadUnsupportedTypes,
            WCError.messageReplyFailed, WCError.messageReplyTimedOut, WCError.fileAccessDenied, WCError.deliveryFailed,
            WCError.insufficientSpace, WCError.sessionInactive, WCError.transferTimedOut,
            WCError.companionAppNotInstalled, WCError.watchOnlyApp,
        ]
        #expect(names == WCError.Code.allCases)
        #expect(Set(names.map(\.localizedDescription)).count == names.count)
        #expect(names.compactMap { WCError($0).errorDescription } == names.map(\.localizedDescription))
    }

    @Test func `The results of keychain calls are those of the platform`() {
        let results = [
            errSecSuccess, errSecUnimplemented, errSecDiskFull, errSecIO, errSecParam, errSecUserCanceled,
            errSecBadReq, errSecNotAvailable, errSecReadOnly, errSecAuthFailed, errSecDuplicateItem,
            errSecItemNotFound, errSecInteractionNotAllowed, errSecDecode, errSecMissingEntitlement,
            errSecInvalidContext,
        ]
        #expect(
            results == [
                0, -4, -34, -36, -50, -128, -909, -25291, -25292, -25293, -25299, -25300, -25308, -26275, -34018,
                -67746,
            ])
    }

    @Test func `The types of frames have the bytes of the protocol, and no others are known`() {
        let bytes = (0...UInt8.max).filter { WatchFrame.Kind(rawValue: $0) != nil }
        let known: [ClosedRange<UInt8>] = [
            0x01...0x06, 0x10...0x13, 0x20...0x26, 0x30...0x31, 0x40...0x4F, 0x50...0x56,
        ]
        #expect(bytes == known.flatMap { Array($0) })
        let kinds: [WatchFrame.Kind] = [
            .hello, .state, .live, .liveError, .userInfo, .file, .context, .attach, .activate, .deliver, .transferDone,
            .transferQueued, .ownContext, .contextTold, .notificationRequest, .notification, .backgroundTaskRequest,
            .contentPending,
        ]
        #expect(
            kinds.map(\.rawValue) == [
                0x01, 0x06, 0x10, 0x13, 0x20, 0x26, 0x30, 0x40, 0x41, 0x43, 0x45, 0x47, 0x4A, 0x4F, 0x50, 0x52,
                0x53, 0x56,
            ])
    }

    @Test func `What protects an item has the number in the keychain's file, and the policy that opens it`() {
        let rows: [(KeychainProtection, Int, AuthenticationPolicy?)] = [
            (.none, 0, nil), (.currentBiometricSet, 1, .biometry), (.anyBiometricSet, 2, .biometry),
            (.anyBiometricSetOrDevicePasscode, 3, .biometryOrPasscode),
        ]
        for (protection, number, policy) in rows {
            #expect(protection.rawValue == number && protection.policy == policy)
        }
    }

    @Test func `Options of notifications have Apple's bits, and three of them show a notification`() {
        let authorization: [UNAuthorizationOptions] = [
            .badge, .sound, .alert, .carPlay, .criticalAlert, .providesAppNotificationSettings, .provisional,
        ]
        #expect(authorization.map(\.rawValue) == [1, 2, 4, 8, 16, 32, 64])
        let presentation: [UNNotificationPresentationOptions] = [.badge, .sound, .alert, .list, .banner]
        #expect(presentation.map(\.rawValue) == [1, 2, 4, 8, 16])
        #expect(presentation.map(\.showsNotification) == [false, false, true, true, true])
        let actions: [UNNotificationActionOptions] = [.authenticationRequired, .destructive, .foreground]
        #expect(actions.map(\.rawValue) == [1, 2, 4])
        #expect(UNNotificationCategoryOptions.customDismissAction.rawValue == 1)
        #expect(UNError.errorDomain == "UNErrorDomain" && UNError(.notificationsNotAllowed).errorCode == 1)
    }

    @Test func `What the user allows decides about each setting of an app's notifications`() {
        let rows: [(UNAuthorizationStatus, loud: UNNotificationSetting, quiet: UNNotificationSetting)] = [
            (.notDetermined, .notSupported, .notSupported), (.denied, .disabled, .disabled),
            (.authorized, .enabled, .enabled), (.provisional, .disabled, .enabled),
            (.ephemeral, .notSupported, .notSupported),
        ]
        for (place, (status, loud, quiet)) in rows.enumerated() {
            let settings = UNNotificationSettings(authorizationStatus: status)
            let shown = [
                settings.alertSetting, settings.badgeSetting, settings.soundSetting, settings.lockScreenSetting,
            ]
            #expect(shown == Array(repeating: loud, count: 4) && settings.notificationCenterSetting == quiet)
            #expect(status.rawValue == place)
        }
        let known: [NotificationAuthorization] = [.notDetermined, .denied, .authorized, .provisional]
        #expect(known.map { UNAuthorizationStatus($0).rawValue } == [0, 1, 2, 3])
        #expect(known.map(\.allows) == [false, false, true, true])
    }

    @Test func `Each network has an interface with the system's name and number`() {
        let rows: [(NetworkConnection, NWInterface?)] = [
            (.wifi, NWInterface(type: .wifi, name: "en0", index: 1)),
            (.cellular, NWInterface(type: .cellular, name: "pdp_ip0", index: 2)),
            (.wired, NWInterface(type: .wiredEthernet, name: "en1", index: 3)), (.none, nil),
        ]
        for (connection, interface) in rows {
            let path = NWPath(connection)
            #expect(path.availableInterfaces == [interface].compactMap(\.self))
            #expect(path.supportsIPv4 == (interface != nil) && path.supportsDNS == (interface != nil))
            #expect(!path.supportsIPv6)
            guard let type = interface?.type else { continue }
            #expect(NWPath(connection, prohibited: [type]).status == .unsatisfied)
            #expect(NWPath(connection, required: type, prohibited: [type]).status == .satisfied)
        }
    }
}
