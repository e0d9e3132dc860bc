import ArgumentParser
import LabKit
import TestSupport
import Testing

@testable import LabPeer

@Suite("The command line of a peer", .endsInTime)
struct PeerOptionsTests {
    @Test("A device's command line means the same with and without the parser")
    func launch() throws {
        let launch = AppLaunch(instance: "/run/a", app: "main", incarnation: 2)
        for options in [PeerOptions(launch), try PeerOptions.parse(launch.arguments)] {
            #expect(options.instance == "/run/a" && options.lab == nil)
            #expect(options.name == "main" && options.incarnation == 2)
            #expect(!options.prompt && options.command.isEmpty)
        }
    }
}
