// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabPoints
import LabSystem
import TestSupport
import Testing

@testable import LabTools
@testable import ScenarioEngine

@Suite("An instance starts its processes, notices their ends and leaves nothing behind", .endsInTime)
struct LabInstanceTests {
    /// An instance whose programs are scripts that end with it; the test answers for its phone.
    private final class Lab {
        let instance: LabInstance
        private let directory: TemporaryDirectory
        private var endpoints: [ControlServer] = []

        /// Reports that the server listens, and ends when the test says so.
        static let server = """
            #!/bin/sh
            root="$2"
            new="$root/server/new"
            printf '{"baseURL":"http://127.0.0.1:1","enrollmentURL":"e","backOfficeURL":"b",' > "$new"
            printf '"applicationId":"a","configuration":"c","pid":%d,"port":1}' $$ >> "$new"
            mv "$new" "$root/server/ready.json"
            while [ -d "$root" ]; do
                if [ -e "$root/end-server" ]; then exit 3; fi
                sleep 0.02
            done

            """
        static let agent = "#!/bin/sh\nwhile [ -d \"$2\" ]; do sleep 0.02; done\n"

        init(server: String? = Lab.server, agent: String = Lab.agent, share: HostAssignment? = nil) throws {
            let directory = try TemporaryDirectory()
            self.directory = directory
            try Files.createDirectory(directory.file("bin"))
            let programs: [(name: String, text: String?)] = [("lab-server", server), ("device-agent", agent)]
            for (name, text) in programs {
                guard let text else { continue }
                try Files.write(Data(text.utf8), to: directory.file("bin/\(name)"), mode: 0o700)
            }
            let devices = ["phone", "watch"].map { name in
                DeviceSpec(name: name, kind: name == "phone" ? .phone : .watch, apps: [])
            }
            let topology = Topology(
                name: "t", devices: share == nil ? [devices[0]] : devices,
                links: share == nil ? [] : [LinkSpec(name: "pairing", phone: "phone", watch: "watch", transport: .tcp)])
            instance = try LabInstance(
                topology: topology, runDirectory: directory.file("run"), seed: 1,
                executables: Executables(directory: directory.file("bin")), labFile: nil, share: share)
        }

        func file(_ name: String) -> String { directory.file(name) }

        /// Lets the test process answer pings at an endpoint.
        func answer(at endpoint: InstanceEndpoint) throws {
            endpoints.append(try ControlServer(instance.layout, endpoint) { _, responder in responder.succeed() })
        }

        func end() {
            // After the end of the instance its processes have no identifiers.
            if Files.exists(instance.layout.root) {
                instance.kill()
                _ = instance.stop()
            }
            for endpoint in endpoints { endpoint.stop() }
        }
    }

    private func play(
        server: String? = Lab.server, agent: String = Lab.agent, share: HostAssignment? = nil,
        _ body: @escaping @Sendable (Lab) throws -> Void
    ) async throws {
        try await onThread {
            let lab = try Lab(server: server, agent: agent, share: share)
            defer { lab.end() }
            try body(lab)
        }
    }

    @Test func `It starts, and after its end nothing is left and nothing is complained of`() async throws {
        try await play { lab in
            try lab.answer(at: .agent("phone"))
            try lab.instance.start()
            #expect(lab.instance.serverReady?.port == 1)
            #expect(lab.instance.launchTimes.isEmpty)
            #expect(lab.instance.unwantedDeaths == [])
            #expect(lab.instance.stop() == [])
            #expect(!Files.exists(lab.instance.layout.root))
            #expect(lab.instance.stop() == [], "a second end does nothing")
        }
    }

    /// Leaves a process in its group that it does not end, which writes a file when it is asked to end.
    private static let agentOfAGroup = """
        #!/bin/sh
        cd "${0%/*}" || exit
        sh -c 'trap "touch asked; exit" TERM; echo $$ > new; mv new pid; while [ -e pid ]; do sleep 0.02; done' &
        while [ -d "$2" ]; do sleep 0.02; done

        """

    @Test
    func `After the end a kill reaches nothing: another process may have the identifier of one that has ended`()
        async throws
    {
        try await play(agent: Self.agentOfAGroup) { lab in
            try lab.answer(at: .agent("phone"))
            try lab.instance.start()
            let file = lab.file("bin/pid")
            while !Files.exists(file) { sched_yield() }
            let text = String(decoding: try Files.read(file), as: UTF8.self)
            let pid = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
            let other = try ProcessWatch(pid: pid)
            defer { try? other.signal(SIGKILL) }
            #expect(lab.instance.stop() == [])
            lab.instance.kill()
            // One that was killed does not write the file any longer.
            try other.signal(SIGTERM)
            #expect(try other.waitForExit(timeoutNanoseconds: LabDuration.seconds(20).stretched.nanoseconds))
            #expect(Files.exists(lab.file("bin/asked")))
        }
    }

    /// How the server ends, and what is complained of afterwards.
    struct End: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var isKilled = false
        var isExpected = false
        var hasFault = false
        let notice: String
        let complaint: String?
    }

    static let ends = [
        End(testDescription: "it exits", notice: "exit code 3", complaint: "exited with code 3"),
        End(testDescription: "it is killed", isKilled: true, notice: "SIGKILL", complaint: "ended by SIGKILL"),
        End(
            testDescription: "a fault has killed it", isKilled: true, hasFault: true, notice: "SIGKILL", complaint: nil),
        End(
            testDescription: "it exits after a fault that kills", hasFault: true, notice: "exit code 3",
            complaint: "exited with code 3"),
        End(testDescription: "a command ends it", isKilled: true, isExpected: true, notice: "SIGKILL", complaint: nil),
    ]

    @Test(arguments: ends)
    func `A process that ends before its time is noticed, and complained of unless something explains it`(_ end: End)
        async throws
    {
        try await play { lab in
            try lab.answer(at: .agent("phone"))
            try lab.instance.start()
            let pid = try #require(lab.instance.serverReady?.pid)
            if end.isExpected { lab.instance.connection.parts.expectEnd(pid) }
            if end.hasFault {
                let traces = lab.instance.manifest.tracesDirectory
                try TraceWriter(directory: traces, process: "server", incarnation: 1).emit(
                    .faultFired, ["action": "kill"])
            }
            if end.isKilled {
                try Signals.send(SIGKILL, to: pid)
            } else {
                try Files.touch("\(lab.instance.layout.root)/end-server")
            }
            let ended = try lab.instance.connection.parts.waitForEnd(except: [], wakeUp: -1)
            #expect(ended.map(\.endpoint) == [.server])
            #expect(ended.map(\.notice) == ["the server has ended: \(end.notice)"])
            let bell = try EventDescriptor()
            bell.signal()
            #expect(try lab.instance.connection.parts.waitForEnd(except: [.server], wakeUp: bell.rawDescriptor).isEmpty)
            let log = lab.file("run/logs/server.log")
            #expect(
                lab.instance.stop()
                    == (end.complaint.map { ["the server had \($0) before it was asked to end; its log is \(log)"] }
                        ?? [])
            )
        }
    }

    @Test func `A server that is started again replaces the one that has ended`() async throws {
        try await play { lab in
            try lab.answer(at: .agent("phone"))
            try lab.instance.start()
            let first = try #require(lab.instance.serverReady?.pid)
            try Files.touch("\(lab.instance.layout.root)/end-server")
            #expect(try lab.instance.connection.parts.waitForEnd(except: [], wakeUp: -1).count == 1)
            try Files.remove("\(lab.instance.layout.root)/end-server")
            try lab.answer(at: .server)
            try lab.instance.connection.parts.startServer()
            let second = try #require(lab.instance.serverReady?.pid)
            #expect(second != first)
            #expect(ProcessTable.isAlive(second))
            #expect(lab.instance.stop() == [])
            #expect(throws: LabFailure.self) { try lab.instance.connection.parts.startServer() }
        }
    }

    // MARK: Failing starts

    private static let failing = "#!/bin/sh\necho one\necho the last word\nexit 1\n"

    @Test func `A part that does not start is named with its last words and its log, and reported once`() async throws {
        try await play(server: nil) { lab in
            let error = #expect(throws: LabFailure.self) { try lab.instance.start() }
            #expect(
                error?.description
                    == "The program \(lab.file("bin/lab-server")) is missing. Build the whole package.")
            #expect(lab.instance.stop() == [])
        }
        try await play(server: Self.failing) { lab in
            try lab.answer(at: .agent("phone"))
            let error = #expect(throws: LabFailure.self) { try lab.instance.start() }
            let log = lab.file("run/logs/server.log")
            #expect(error?.description == "The server did not become ready. It said: the last word (log: \(log))")
            #expect(lab.instance.stop() == [])
        }
        try await play(agent: Self.failing) { lab in
            let error = #expect(throws: LabFailure.self) { try lab.instance.start() }
            let text = error?.description ?? ""
            #expect(text.hasPrefix("The device `phone` did not start: peerDied: "), "\(text)")
            let log = lab.file("run/logs/a.phone.log")
            #expect(text.hasSuffix(". It said: the last word (log: \(log))"), "\(text)")
            #expect(lab.instance.stop() == [])
        }
    }

    // MARK: Two hosts

    @Test
    func `An owner prints where it listens, what is played elsewhere, and how the other host joins`() async throws {
        let share = HostAssignment(
            side: .owner, devices: ["phone"], linkAddresses: ["pairing": "tcp://127.0.0.1:*", "second": "tcp://h:7"])
        try await play(share: share) { lab in
            let (lines, errors) = (Recorder<String>(), Recorder<String>())
            let session = InteractiveSession(
                topology: nil, labFile: nil, seed: nil, interruption: Interruption(), print: { lines.add($0) },
                printError: { errors.add($0) })
            try lab.answer(at: .agent("phone"))
            let key = lab.file("keys/join.key")
            let end = try session.listen(at: JoinAddress(host: "127.0.0.1", port: 0), keyPath: key, for: lab.instance)
            #expect(
                lines.all.map { $0.replacing(/127\.0\.0\.1:[0-9]{4,5}/, with: "127.0.0.1:PORT") } == [
                    "instance \(lab.instance.manifest.id), topology t", "  server  http://127.0.0.1:1", "  phone  ",
                    "  watch  on the other host",
                    "Use it with `lab exec server hasValidActivation`; `lab steps` lists the commands. Ctrl-C ends it.",
                    "Listening at tcp://127.0.0.1:PORT for the lab of watch, encrypted, for holders of the key only:",
                    "  the link pairing at a free port beside it", "  the link second at tcp://h:7",
                    "Copy \(key) to the other host, and join there:",
                    "  lab up --only watch --join tcp://127.0.0.1:PORT --key join.key",
                ])
            #expect(errors.all.isEmpty)
            #expect(Files.exists(key))
            end()
            #expect(!Files.exists(key))
            #expect(lab.instance.stop() == [])
        }
    }
}
