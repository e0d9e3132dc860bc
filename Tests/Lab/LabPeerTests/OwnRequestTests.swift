// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import LabControl
import LabCore
import LabPeer
import LabVocabulary
import TestSupport
import Testing

@Suite("Requests of an app's own", .endsInTime)
struct OwnRequestTests {
    @Test func `A request goes to a path below the server, with a body in JSON`() throws {
        let rows = [
            ("http://localhost:8080", "/session/login", "http://localhost:8080/session/login"),
            ("http://localhost:8080/app", "/a?b=c", "http://localhost:8080/app/a?b=c"),
            ("https://example.com", "/", "https://example.com/"),
        ]
        for (server, path, url) in rows {
            let request = try URLRequest(path, at: server)
            #expect(request.url?.absoluteString == url)
            #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
        }
    }

    @Test func `What is no path is refused, also where it would make a URL of another server or port`() {
        for path in ["", "session/login", ".example.com/login", ":1/login", "@example.com/login"] {
            let error = #expect(throws: ControlError.self, "\(path)") {
                try URLRequest(path, at: "http://localhost")
            }
            #expect(error?.labError == .badArgument && error?.domain == ControlError.labDomain, "\(path)")
        }
    }

    @Test func `An answer is given as JSON, or as the text that it is`() {
        let rows: [(body: String, expected: JSONValue)] = [
            ("{\"a\":[1,true]}", ["a": [1, true]]), ("[]", []), ("not found", "not found"), ("{\"a\":", "{\"a\":"),
            ("", ""),
        ]
        for (place, row) in rows.enumerated() {
            let result = SendRequest.Result(status: 200 + place, body: Data(row.body.utf8))
            #expect(result.statusCode == 200 + place && result.body == row.expected, "\(row.body)")
        }
    }
}
