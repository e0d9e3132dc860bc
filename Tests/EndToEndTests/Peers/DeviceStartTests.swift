import Foundation
import LabKit
import LabTesting
import TestSupport
import Testing

extension EndToEnd.Peers {
    @Suite("A device that cannot start")
    struct DeviceStartTests {
        @Test("A device whose agent ends at once fails with the agent's output, and starts after the fix")
        func endsAtOnce() async throws {
            try await TestInstance.run { lab in
                try lab.phone.call(SwitchOffDevice())
                let path = lab.layout.deviceDirectory("phone") + "/notifications.json"
                let before = FileManager.default.contents(atPath: path)
                try Data("{".utf8).write(to: URL(fileURLWithPath: path))
                let error = try lab.phone.error(of: SwitchOnDevice())
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
