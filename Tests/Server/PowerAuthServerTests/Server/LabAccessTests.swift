// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import LabCore
import TestSupport
import Testing

@testable import PowerAuthServer

/// `/lab` shows decrypted bodies: it is for those who may read the server's directory, and not for every user of the machine.
@Suite("The token of /lab", .endsInTime)
struct LabAccessTests {
    @Test(.verifies("security.md", "lab-token"))
    func `No resource below /lab answers without the token, and all answer commands`() async throws {
        let fixture = try ServerFixture { $0.hasLabPowers = true }
        try await fixture.run { client in
            var stranger = client
            stranger.labToken = nil
            var guesser = client
            guesser.labToken = String(repeating: "0", count: 32)
            let document = try JSONValue.parse(try await client.send("/openapi.json", method: .get).body)
            let resources = (document["paths"]?.objectValue ?? [:]).filter { $0.key.hasPrefix("/lab/") }
            #expect(resources.count > 10)
            for (path, operations) in resources where !Self.isOpen(path) {
                for method in operations.objectValue?.keys.sorted() ?? [] {
                    for other in [stranger, guesser] {
                        let answer = try await other.send(
                            path.replacing(/\{\w+\}/, with: "x"), method: try #require(.init(method.uppercased())),
                            body: Data((method == "post" ? "{}" : "").utf8))
                        #expect(answer.status == 401 && answer.challenge == LabAccess.header, "\(method) \(path)")
                        #expect(answer.text("message")?.contains("lab-token") == true)
                    }
                }
            }
            #expect(try await client.send("/lab/traffic", method: .get).status == 200)
        }
    }

    /// The public resources of an identity provider; its token resource requires the client's credentials.
    private static func isOpen(_ path: String) -> Bool {
        ["/lab/identity/jwks", "/lab/identity/token", "/lab/identity/.well-known/openid-configuration"].contains(path)
    }

    @Test(.verifies("security.md", "lab-token"))
    func `The token is in a file for its owner alone, and stays while the directory does`() throws {
        let directory = try TemporaryDirectory()
        let fixture = try ServerFixture(directory: directory) { $0.hasLabPowers = true }
        let access = try #require(fixture.server.labAccess)
        func mode() throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: access.path)[.posixPermissions] as? Int
        }
        #expect(try mode() == 0o600)
        let line = try String(contentsOfFile: access.path, encoding: .utf8)
        #expect(line == "X-Lab-Token: \(access.token)\n" && access.token.wholeMatch(of: /[0-9a-f]{32}/) != nil)
        #expect(try LabAccess(directory: directory.path + "/server").token == access.token)
        // A file that others could read is no longer secret.
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: access.path)
        #expect(try LabAccess(directory: directory.path + "/server").token != access.token)
        #expect(try mode() == 0o600)
        // A server without lab powers has none.
        #expect(try ServerFixture().server.labAccess == nil)
    }
}
