// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// The page of a running instance; `make test-page` uses it in a browser.
    @Suite("lab up --dashboard")
    struct DashboardTests {
        @Test
        func `The page follows the instance and runs steps, and only its full address gives access`() async throws {
            let workspace = try Workspace.ofProject()
            try await onThread {
                let up = try LabCommand(["up", "--dashboard"], in: workspace)
                let (port, token) = try address(of: up)
                let opened = try open(port, token)

                let page = try ask(port, "GET \(opened.path)", [opened.cookie])
                #expect(page.hasPrefix("HTTP/1.1 200"), "\(page.prefix(300))")
                #expect(page.contains("connect-src 'self'") && page.contains("default-src 'none'"))
                // Only the page's own script, with a new nonce each time.
                let nonce = try #require(page.firstMatch(of: /script-src 'nonce-(\w+)'; base-uri/)).1
                #expect(
                    page.contains("<script nonce=\"\(nonce)\">")
                        && page.contains("script-src 'nonce-\(nonce)'; img-src"))
                #expect(!page.contains("script-src 'unsafe-inline'") && !page.contains(token.dropFirst("token=".count)))
                #expect(try !ask(port, "GET \(opened.path)", [opened.cookie]).contains(nonce))
                for field in ["Referrer-Policy: no-referrer", "X-Frame-Options: DENY", "Cache-Control: no-store"] {
                    #expect(page.contains("\(field)\r\n"), "\(field) is missing: \(page.prefix(600))")
                }

                let answer = try ask(
                    port, "POST \(opened.path)steps", [opened.cookie], body: "main: hasValidActivation")
                #expect(answer.hasSuffix(#"{"answer":false}"#), "\(answer)")
                let wrong = try ask(
                    port, "POST \(opened.path)steps", [opened.cookie], body: "main: hasValidActivations")
                #expect(wrong.contains("did you mean `hasValidActivation`?"), "\(wrong)")
                let failed = try ask(
                    port, "POST \(opened.path)steps", [opened.cookie], body: "main validatePassword password=1234")
                #expect(failed.contains(#""causes":["#) && failed.contains("missingActivation"), "\(failed)")
                #expect(page.contains(#""server.requestReceived""#))

                for (line, fields, rule) in [
                    ("GET /", [], "lacks the token"), ("GET \(opened.path)", [], "lacks the token"),
                    ("GET \(opened.path)updates?\(token)", [], "lacks the token"),
                    ("GET /", [opened.cookie], "lacks the token"),
                    ("GET /?token=\(String(repeating: "0", count: 32))", [], "lacks the token"),
                    ("GET /?\(token)", ["Host: evil.example:\(port)"], "served to this machine only"),
                    ("GET \(opened.path)updates", [opened.cookie, "Origin: http://evil.example"], "other pages"),
                    ("POST \(opened.path)steps", [opened.cookie, "Origin: null"], "other pages"),
                ] {
                    let refused = try ask(port, line, fields, body: line.hasPrefix("POST") ? "main: kill" : nil)
                    #expect(refused.hasPrefix("HTTP/1.1 403") && refused.contains(rule), "\(line): \(refused)")
                }

                let updates = try TCPSocket.connectToLoopback(port: port)
                try updates.writeAll(Data(request(port, "GET \(opened.path)updates", [opened.cookie], body: nil).utf8))
                var told = try read(updates, until: "hasValidActivation")
                try up.signal(SIGINT)
                told += try read(updates, until: "event: end")
                #expect(told.contains("process.ready"), "\(told)")
                #expect(try up.finish().status == 0)
            }
            try workspace.expectNothingLeft()
        }

        @Test func `A session becomes a scenario that passes, with names in place of the typed secrets`() async throws {
            let workspace = try Workspace.ofProject()
            try await onThread {
                let up = try LabCommand(["up", "--dashboard"], in: workspace)
                let (port, token) = try address(of: up)
                let opened = try open(port, token)
                #expect(try ask(port, "GET \(opened.path)scenario", [opened.cookie]).hasPrefix("HTTP/1.1 204"))
                #expect(try ask(port, "GET \(opened.path)scenario").hasPrefix("HTTP/1.1 403"))

                let canary = "7391-canary"
                for step in [
                    "main: hasValidActivation", "server initActivation as code",
                    "main: createActivation\nwith: { activationCode: \"${code.activationCode}\" }",
                    "main: persistActivation\nwith: { password: \"\(canary)\" }",
                    "main: hasValidActivation  # \(canary)",
                    "server: commitActivation\nwith: { activationId: \"${code.activationId}\" }",
                    "main: validatePassword\nwith:\n  password: \(canary)",
                    "main: validatePassword\nwith: { password: \"0000-canary\" }", "main: nonsense",
                    "main: validatePassword\nwith: { password: \"${password}\" }",
                ] {
                    let answer = try ask(port, "POST \(opened.path)steps", [opened.cookie], body: step)
                    #expect(!answer.contains(canary), "\(answer)")
                }
                let answer = try ask(port, "GET \(opened.path)scenario", [opened.cookie])
                let text = try #require(answer.components(separatedBy: "\r\n\r\n").last)
                #expect(!answer.contains("canary"), "\(text)")
                #expect(text.contains("in the middle of the text or on several lines: 1 of"), "\(text)")
                #expect(text.contains("expect: false") && !text.contains("nonsense"), "\(text)")
                #expect(text.contains("password: { environment: LAB_PASSWORD, secret: true }"), "\(text)")
                #expect(text.contains("password2: { environment: LAB_PASSWORD2, secret: true }"), "\(text)")
                try up.signal(SIGINT)
                #expect(try up.finish().status == 0)

                try workspace.write(text, to: "saved.yaml")
                let played = try LabCommand(
                    ["run", "saved.yaml"], in: workspace,
                    environment: ["LAB_PASSWORD": canary, "LAB_PASSWORD2": "0000-canary"]
                ).finish()
                #expect(played.status == 0, "\(text)\(played.output)\(played.errors)")
            }
            try workspace.expectNothingLeft()
        }

        @Test func `A scenario is replayed in another instance, and may read the typed secrets`() async throws {
            let workspace = try Workspace.ofProject()
            try await onThread {
                let up = try LabCommand(["up", "--dashboard"], in: workspace)
                let (port, token) = try address(of: up)
                let opened = try open(port, token)
                func post(_ path: String, _ body: String) throws -> String {
                    try ask(port, "POST \(opened.path)\(path)", [opened.cookie], body: body)
                }
                _ = try post("steps", "main: validatePassword\nwith: { password: \"7391-canary\" }")
                let answer = try ask(port, "GET \(opened.path)scenario", [opened.cookie])
                let text = try #require(answer.components(separatedBy: "\r\n\r\n").last)
                #expect(text.contains("LAB_PASSWORD"), "\(text)")
                let passed = try post("replay", text)
                #expect(passed.contains(#""passed":true"#) && !passed.contains("7391-canary"), "\(passed)")
                #expect(passed.contains("Steps of the dashboard"), "\(passed)")
                let failed = try post("replay", "name: Wrong\nsteps:\n  - { main: hasValidActivation, expect: true }\n")
                #expect(failed.contains(#""passed":false"#) && failed.contains("expected"), "\(failed)")
                let refused = try post("replay", "name: Wrong\nsteps:\n  - main: hasValidActivations\n")
                #expect(refused.contains("did you mean `hasValidActivation`?"), "\(refused)")
                let unknown = try ask(port, "POST \(opened.path)replay", body: text)
                #expect(unknown.hasPrefix("HTTP/1.1 403"), "\(unknown)")
                try up.signal(SIGINT)
                #expect(try up.finish().status == 0)
            }
            try workspace.expectNothingLeft()
        }

        @Test func `Snapshots are taken, listed and restored, and the scenario goes back with the instance`()
            async throws
        {
            let workspace = try Workspace.ofProject()
            try await onThread {
                let up = try LabCommand(["up", "--dashboard"], in: workspace)
                let (port, token) = try address(of: up)
                let opened = try open(port, token)
                func post(_ path: String, _ body: String) throws -> String {
                    try ask(port, "POST \(opened.path)\(path)", [opened.cookie], body: body)
                }
                func get(_ path: String) throws -> String {
                    try ask(port, "GET \(opened.path)\(path)", [opened.cookie])
                }
                #expect(try get("snapshots").hasSuffix(#"{"snapshots":[]}"#))
                _ = try post("steps", "main: hasValidActivation")
                #expect(try post("snapshots", "before").hasSuffix(#"{"answer":"snapshot before was taken"}"#))
                let list = try get("snapshots")
                #expect(list.contains(#""name":"before""#) && list.contains("taken "), "\(list)")
                _ = try post("steps", "server: initActivation\nas: code")
                _ = try post("steps", "main: createActivation\nwith: { activationCode: \"${code.activationCode}\" }")
                #expect(try post("steps", "main: hasPendingActivation").hasSuffix(#"{"answer":true}"#))

                let restored = try post("restore", "before")
                #expect(restored.contains("as in snapshot before, and so is the record: 1 step"), "\(restored)")
                #expect(try post("steps", "main: hasPendingActivation").hasSuffix(#"{"answer":false}"#))
                let scenario = try get("scenario")
                #expect(
                    scenario.contains("hasPendingActivation") && !scenario.contains("createActivation"), "\(scenario)")

                #expect(try post("restore", "befor").contains("did you mean `before`?"))
                #expect(try post("snapshots", "before").contains("there is a snapshot `before`"))
                #expect(try post("snapshots", "").contains("cannot name a snapshot"))
                for line in [
                    "GET \(opened.path)snapshots", "POST \(opened.path)snapshots", "POST \(opened.path)restore",
                ] {
                    let refused = try ask(port, line, body: line.hasPrefix("POST") ? "before" : nil)
                    #expect(refused.hasPrefix("HTTP/1.1 403"), "\(line): \(refused)")
                }
                try up.signal(SIGINT)
                #expect(try up.finish().status == 0)
            }
            try workspace.expectNothingLeft()
        }

        @Test func `A waiting step is interrupted when the lab ends, and its page is notified`() async throws {
            let workspace = try Workspace.ofProject()
            try await onThread {
                let up = try LabCommand(["up", "--dashboard"], in: workspace)
                let (port, token) = try address(of: up)
                let opened = try open(port, token)
                let updates = try TCPSocket.connectToLoopback(port: port)
                try updates.writeAll(Data(request(port, "GET \(opened.path)updates", [opened.cookie], body: nil).utf8))
                let step = try TCPSocket.connectToLoopback(port: port)
                let waiting = "main: hasValidActivation\neventually: 50s\nexpect: true"
                try step.writeAll(Data(request(port, "POST \(opened.path)steps", [opened.cookie], body: waiting).utf8))
                _ = try read(updates, until: "hasValidActivation")
                try up.signal(SIGINT)
                let answer = String(decoding: try step.readToEnd(), as: UTF8.self)
                #expect(answer.contains("interrupted"), "\(answer)")
                #expect(try up.finish().status == 0)
            }
            try workspace.expectNothingLeft()
        }

        @Test func `Impossible options are refused, and so is a port in use`() async throws {
            let workspace = try Workspace.ofProject()
            let (listener, port) = try TCPSocket.listenOnLoopback()
            let outcomes = try await onThread {
                try [
                    ["up", "--dashboard-port", "7700"],
                    ["up", "--dashboard", "--join", "tcp://127.0.0.1:1", "--key", "k"],
                    ["up", "--dashboard", "--dashboard-port", "\(port)"],
                ].map { try LabCommand($0, in: workspace).finish() }
            }
            withExtendedLifetime(listener) {}
            #expect(outcomes[0].status == 2 && outcomes[0].errors.contains("is the port of --dashboard"))
            #expect(outcomes[1].status == 2 && outcomes[1].errors.contains("not with --join"), "\(outcomes[1].errors)")
            #expect(outcomes[2].status == 3, "\(outcomes[2].errors)")
            #expect(outcomes[2].errors.contains("cannot listen at 127.0.0.1:\(port)"), "\(outcomes[2].errors)")
            try workspace.expectNothingLeft()
        }

        /// Port and token of the page, once the lab has printed them.
        private func address(of up: LabCommand) throws -> (port: Int, token: String) {
            try up.wait(for: "token=")
            let address = try #require(
                up.text.firstMatch(of: #/Dashboard: http:\/\/127\.0\.0\.1:(\d+)\/\?(token=\w+)/#))
            return (try #require(Int(address.1)), String(address.2))
        }

        /// Presents the token as a browser does: the page gets it and redirects to an address without it.
        private func open(_ port: Int, _ token: String) throws -> (path: String, cookie: String) {
            let sent = try ask(port, "GET /?\(token)")
            #expect(sent.hasPrefix("HTTP/1.1 303"), "\(sent)")
            let path = try #require(sent.firstMatch(of: /[Ll]ocation: (\/\w+\/)\r\n/)).1
            let cookie = try #require(
                sent.firstMatch(of: /[Ss]et-[Cc]ookie: (lab-dashboard=\w+); HttpOnly; SameSite=Lax; Path=(\/\w+)\r\n/))
            #expect(path == "\(cookie.2)/" && !sent.contains(token))
            return (String(path), "Cookie: \(cookie.1)")
        }

        private func request(_ port: Int, _ line: String, _ fields: [String], body: String?) -> String {
            var lines = ["\(line) HTTP/1.1", "Connection: close"] + fields
            if !fields.contains(where: { $0.hasPrefix("Host:") }) { lines.append("Host: 127.0.0.1:\(port)") }
            if let body { lines.append("Content-Length: \(body.utf8.count)") }
            return lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")
        }

        /// Sends a request and returns the whole answer.
        private func ask(_ port: Int, _ line: String, _ fields: [String] = [], body: String? = nil) throws -> String {
            let connection = try TCPSocket.connectToLoopback(port: port)
            try connection.writeAll(Data(request(port, line, fields, body: body).utf8))
            return String(decoding: try connection.readToEnd(), as: UTF8.self)
        }

        private func read(_ connection: FileDescriptor, until words: String) throws -> String {
            var text = ""
            while !text.contains(words) {
                let data = try connection.read(count: 65_536)
                guard !data.isEmpty else { break }
                text += String(decoding: data, as: UTF8.self)
            }
            #expect(text.contains(words), "\(text.suffix(500))")
            return text
        }
    }
}
