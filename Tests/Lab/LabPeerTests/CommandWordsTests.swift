// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LabControl
import LabCore
import TestSupport
import Testing

@testable import LabPeer

@Suite("Commands typed as words", .endsInTime)
struct CommandWordsTests {
    private let app = AppSpec(
        name: "main", kind: .app, bundleIdentifier: "com.example.main",
        powerAuth: PowerAuthSpec(sdk: .full, instanceId: "i"))

    private func arguments(_ words: String...) throws -> JSONValue {
        try CommandWords.request(words, for: app).arguments
    }

    private func problem(_ words: String...) -> String? {
        do {
            _ = try CommandWords.request(words, for: app)
            return nil
        } catch {
            return error.message
        }
    }

    @Test(
        arguments: [
            ("", []), ("  ", []), ("launch", ["launch"]), (" a  b=c ", ["a", "b=c"]),
            ("a b=\"c d\" e='f g'", ["a", "b=c d", "e=f g"]), ("a b=\"it's\"", ["a", "b=it's"]),
            ("a b=\"\"", ["a", "b="]),
        ] as [(String, [String])])
    func `A line is split at blanks outside quotes`(line: String, words: [String]) {
        #expect(CommandWords.split(line) == words)
    }

    @Test func `Values are read by the type of their parameter, not by their form`() throws {
        #expect(try arguments("persistActivation", "password=0123") == ["password": "0123"])
        #expect(
            try arguments("sendTokenToWatch", "name=true", "delivery=immediate") == [
                "name": "true", "delivery": "immediate",
            ])
        #expect(
            try arguments("sendMessage", "message={\"n\":1}", "reply=false") == ["message": ["n": 1], "reply": false])
    }

    @Test func `A secret can come from the environment`() throws {
        #expect(try arguments("persistActivation", "password=env:PATH") != ["password": "env:PATH"])
        #expect(
            problem("persistActivation", "password=env:NO_SUCH_VARIABLE_HERE")?.contains("NO_SUCH_VARIABLE_HERE")
                == true)
    }

    @Test func `Errors state what was expected`() {
        #expect(problem("createActivatoin")?.contains("createActivation") == true)
        #expect(problem("sendTokenToWatch")?.contains("needs `name`") == true)
        #expect(problem("sendTokenToWatch", "nmae=x")?.contains("no parameter `nmae`") == true)
        #expect(problem("sendTokenToWatch", "name=x", "delivery=soon")?.contains("guaranteed") == true)
        #expect(problem("sendTokenToWatch", "x")?.contains("key=value") == true)
        #expect(problem("sendMessage", "message=[")?.contains("object") == true)
    }

    @Test func `A device's command line means the same with and without the parser`() throws {
        let launch = AppLaunch(instance: "/run/a", app: "main", incarnation: 2)
        for options in [PeerOptions(launch), try PeerOptions.parse(launch.arguments)] {
            #expect(options.instance == "/run/a" && options.lab == nil)
            #expect(options.name == "main" && options.incarnation == 2)
            #expect(!options.prompt && options.command.isEmpty)
        }
    }
}
