// SPDX-License-Identifier: Apache-2.0

// That this file compiles is the test of its imports: Testing and UIKit together need an overlay, and Foundation and UIKit
// together must leave one type of each name.
import Foundation
import SimulatedDevice
import TestSupport
import Testing
import UIKit

@Suite("Imports of an app's code and its tests", .endsInTime)
struct AppImportTests {
    /// Code of an app, as it stands in a file with both imports; it is not run, because the test's process is no app.
    private final class Settings {
        private let preferences: UserDefaults
        init(preferences: UserDefaults = .standard) { self.preferences = preferences }
    }

    @Test func `With Foundation and UIKit the preferences are those of the device`() {
        let standard = { UserDefaults.standard }
        #expect(type(of: standard) == (() -> DeviceUserDefaults).self)
        #expect(type(of: Settings.init(preferences:)) == (@Sendable (UserDefaults) -> Settings).self)
    }

    @Test func `UIKit shows what CFNetwork and CoreFoundation declare`() {
        #expect(CFNetworkErrors.cfurlErrorTimedOut.rawValue == -1_001)
        let keys = [
            kCFBundleInfoDictionaryVersionKey, kCFBundleExecutableKey, kCFBundleIdentifierKey, kCFBundleVersionKey,
            kCFBundleDevelopmentRegionKey, kCFBundleNameKey, kCFBundleLocalizationsKey,
        ]
        #expect(
            keys.map { $0 as String } == [
                "CFBundleInfoDictionaryVersion", "CFBundleExecutable", "CFBundleIdentifier", "CFBundleVersion",
                "CFBundleDevelopmentRegion", "CFBundleName", "CFBundleLocalizations",
            ])
        #expect(kCFBooleanTrue as? Bool == true && kCFBooleanFalse as? Bool == false)
    }

    @Test func `The length of a name of the system is that of its memory`() {
        var system = utsname()
        uname(&system)
        #expect(MemoryLayout.size(ofValue: system.machine) == Int(_SYS_NAMELEN))
    }
}
