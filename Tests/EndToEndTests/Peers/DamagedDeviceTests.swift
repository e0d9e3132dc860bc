// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabPoints
import LabSystem
import LabTesting
import LabVocabulary
import TestSupport
import Testing

extension EndToEnd.Peers {
    /// A device and its apps after a byte of a stored file changed while the device was off.
    @Suite("Damaged files of a device")
    struct DamagedDeviceTests {
        /// The files of a device and their content.
        private static func files(of lab: Lab) throws -> [String: Data] {
            let root = lab.layout.deviceDirectory("phone")
            var files: [String: Data] = [:]
            let walk = FileManager.default.enumerator(atPath: root)
            while let path = walk?.nextObject() as? String {
                // Shared memory names end with the boot, and a new boot begins.
                guard !path.hasPrefix("boot-") else { continue }
                if !Files.isDirectory("\(root)/\(path)") {
                    files["\(root)/\(path)"] = try Files.read("\(root)/\(path)")
                }
            }
            return files
        }

        /// Whether a file is stored content. The first process that opens a log recreates the index beside it, and
        /// mapped pages of a few bytes (clock skew, network, disk space) are positions of switches.
        private static func isContent(_ path: String, _ data: Data) -> Bool {
            !path.hasSuffix("-shm") && data.count > 16
        }

        /// Switches the phone on and queries the activation of `main`.
        ///
        /// - Returns: what was refused; nil if everything works as before.
        private static func refusal(_ lab: Lab) throws -> String? {
            do {
                try lab.phone.call(SwitchOnDevice())
                try lab.phone.call(UnlockDevice())
                try lab.main.call(Launch())
                #expect(try !lab.main.call(CanStartActivation()), "the app takes itself for freshly installed")
                #expect(try lab.main.call(FetchActivationStatus()).state == .active)
                return nil
            } catch let error as ControlError {
                return error.message
            }
        }

        @Test
        func `A changed byte is refused with a reason or has no effect: never a fresh installation or an older state`()
            async throws
        {
            try await Lab.run { lab in
                let code = try lab.activate()
                try lab.pairing.call(LinkDown())
                try lab.main.call(TransferUserInfo { $0.userInfo = ["number": 1] })
                try lab.phone.call(SwitchOffDevice())
                let files = try Self.files(of: lab)
                let names = Set(files.keys.map { Files.name(of: $0) })
                #expect(
                    names.isSuperset(of: [
                        "registry.json", "security.json", "keychain.sqlite-wal", "pairing.sqlite-wal",
                        "group.com.example.lab.json",
                    ]), "\(names)")
                var refused: Set<String> = []
                for (path, data) in files where Self.isContent(path, data) {
                    for position in [data.count / 3, data.count - 20] {
                        var damaged = data
                        damaged[position] ^= 1
                        try Files.write(damaged, to: path)
                        if try Self.refusal(lab) != nil { refused.insert(Files.name(of: path)) }
                        _ = try? lab.phone.call(SwitchOffDevice())
                        // The original device, without later writes.
                        for (path, data) in files { try Files.write(data, to: path) }
                    }
                }
                #expect(
                    refused.isSuperset(of: [
                        "registry.json", "security.json", "keychain.sqlite-wal", "pairing.sqlite-wal",
                    ]),
                    "\(refused)")
                #expect(try Self.refusal(lab) == nil, "the undamaged device works")
                try lab.main.call(ValidatePassword { $0.password = password })
                #expect(try lab.status(of: code).failedAttempts == 0)
                #expect(try lab.traceEvents().allSatisfy { $0.name != .keychainDeleted })
            }
        }
    }

    @Suite("A device that cannot start")
    struct DeviceStartTests {
        @Test
        func `A device whose agent ends at once fails with the agent's output, and starts after the fix`() async throws
        {
            try await Lab.run { lab in
                try lab.phone.call(SwitchOffDevice())
                let path = lab.layout.deviceDirectory("phone") + "/notifications.json"
                let before = FileManager.default.contents(atPath: path)
                try Data("{".utf8).write(to: URL(fileURLWithPath: path))
                let error = try lab.phone.failure(of: SwitchOnDevice())
                #expect(error.message.contains("did not start"), "\(error)")
                #expect(error.message.contains("has ended") || error.message.contains("died"), "\(error)")
                #expect(error.message.contains("It said: "), "\(error)")
                if let before {
                    try before.write(to: URL(fileURLWithPath: path))
                } else {
                    try FileManager.default.removeItem(atPath: path)
                }
                try lab.phone.call(SwitchOnDevice())
                try lab.main.call(Launch())
            }
        }
    }
}
