// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import LabCore
import LabSystem
import Synchronization
import TestSupport
import Testing

@Suite("Instances", .endsInTime)
struct InstanceTests {
    @Test func `A new instance is private, owned and described`() throws {
        let test = try TestInstance(labFile: "/somewhere/lab.yaml")
        #expect(try Files.isPrivateDirectory(test.layout.root))
        #expect(Lease.isHeld(test.layout))
        let manifest = try InstanceManifest.read(test.layout)
        #expect(manifest.id == test.layout.id)
        #expect(manifest.runnerPid == ProcessInfo.processInfo.processIdentifier)
        _ = try LabClock.open(test.layout.clockPath)
        _ = try FaultTable.open(test.layout.faultsPath)
    }

    @Test func `An instance without a given name gets eight small letters and digits, different each time`() throws {
        let ids = try (1...10).map { _ in try TestInstance().layout.id }
        for id in ids { #expect(id.wholeMatch(of: #/[a-z0-9]{8}/#) != nil, "\(id)") }
        #expect(Set(ids).count == ids.count)
    }

    @Test func `Living instances are found by their lab file`() throws {
        let test = try TestInstance(labFile: "/a/lab.yaml")
        #expect(try Instance.live(madeFrom: "/a/lab.yaml", in: test.runtimeRoot) == [test.layout])
        #expect(try Instance.live(madeFrom: "/b/lab.yaml", in: test.runtimeRoot) == [])
        #expect(try Instance.live(in: test.runtimeRoot) == [test.layout])
        try test.instance.end()
        #expect(try Instance.live(in: test.runtimeRoot) == [])
    }

    @Test func `An ended instance leaves nothing behind`() throws {
        let test = try TestInstance()
        let name = "\(test.layout.sharedMemoryPrefix)phone-1-abc"
        _ = try SharedMemoryObject.create(name: name, size: 256)
        defer { try? SharedMemoryObject.unlink(name: name) }
        #expect(try test.instance.end())
        #expect(try Files.list(test.runtimeRoot) == [])
        #expect(try !SharedMemoryObject.list().contains(name))
    }

    @Test func `Members are notified of the end, and the last one removes the instance`() throws {
        let test = try TestInstance()
        let agent = try Membership(joining: test.layout)
        let lost = DispatchSemaphore(value: 0)
        try Lease.watch(test.layout) {
            // A real agent kills its children here. The runner may also be the last to leave.
            _ = try? agent.leave()
            lost.signal()
        }
        #expect(try test.instance.end(), "waits for the member that leaves last")
        #expect(!Files.exists(test.layout.root))
        lost.wait()
    }

    @Test func `A member that stays keeps the instance`() throws {
        let test = try TestInstance()
        let agent = try Membership(joining: test.layout)
        #expect(try !test.instance.end(timeout: .milliseconds(1)))
        #expect(Files.exists(test.layout.root))
        #expect(try agent.leave())
        #expect(!Files.exists(test.layout.root))
    }

    @Test func `When members leave together, exactly one removes the instance`() throws {
        for _ in 0..<20 {
            let test = try TestInstance()
            let members = try (0..<4).map { _ in try Membership(joining: test.layout) }
            let counter = Counter()
            let threads = members.map { member in
                runOnThread(name: "leaver") { if (try? member.leave()) == true { counter.increase() } }
            }
            if try test.instance.end() { counter.increase() }
            threads.forEach { $0.join() }
            #expect(!Files.exists(test.layout.root))
            // `end` reports true both when it removed the instance and when it saw it removed.
            #expect((1...2).contains(counter.value))
        }
    }

    @Test func `A second leave waits until the first one has removed the instance`() throws {
        for _ in 0..<5 {
            let test = try TestInstance()
            // Makes the removal slow.
            for number in 0..<500 { try Data().write(to: URL(filePath: "\(test.layout.devicesDirectory)/\(number)")) }
            let agent = try Membership(joining: test.layout)
            #expect(try !test.instance.end(timeout: .milliseconds(1)))
            let answers = Mutex<[Bool]>([])
            let threads = (0..<3).map { _ in
                runOnThread(name: "leaver") {
                    let wasLast = (try? agent.leave()) ?? false
                    // A process that ends now leaves nothing behind.
                    let left = (try? Files.list(test.runtimeRoot)) ?? ["unknown"]
                    answers.withLock { $0.append(wasLast && left.isEmpty) }
                }
            }
            threads.forEach { $0.join() }
            #expect(answers.withLock { $0 } == [true, true, true])
        }
    }

    @Test func `An ended instance cannot be joined`() throws {
        let test = try TestInstance()
        try test.instance.end()
        #expect(throws: InstanceError.noInstance(path: test.layout.root)) { try Membership(joining: test.layout) }
        #expect(throws: InstanceError.noInstance(path: test.layout.root)) { try InstanceManifest.read(test.layout) }
        #expect(throws: InstanceError.noInstance(path: test.layout.root)) { try Lease.watch(test.layout) {} }
    }

    @Test func `A cancelled watch stays silent`() throws {
        let test = try TestInstance()
        let called = Flag()
        let other = DispatchSemaphore(value: 0)
        try Lease.watch(test.layout) { called.set() }.cancel()
        try Lease.watch(test.layout) { other.signal() }
        try test.instance.end()
        other.wait()
        #expect(!called.isSet)
    }

    @Test(.verifies("size", "DeadInstances.restTime"))
    func `Instances of dead processes are swept, living ones are not`() throws {
        let test = try TestInstance()
        // A kill -9 of all processes leaves all but the locks. All tests on the machine share the names of memory.
        let number = UInt32.random(in: 0..<1_000_000)
        let dead = InstanceLayout(root: "\(test.runtimeRoot)/dead\(number)")
        try Files.createDirectory("\(dead.root)/devices/phone")
        for path in [dead.leasePath, dead.membersPath, dead.manifestPath] { try Files.touch(path) }
        let name = "\(dead.sharedMemoryPrefix)phone-1-abc"
        _ = try SharedMemoryObject.create(name: name, size: 256)
        defer { try? SharedMemoryObject.unlink(name: name) }
        // Not instances: an unrelated directory, and one that is just being made.
        try Files.createDirectory("\(test.runtimeRoot)/Documents")
        try Files.createDirectory("\(test.runtimeRoot)/files")
        let young = test.layout.unfinished(maker: ProcessInfo.processInfo.processIdentifier).root
        try Files.createDirectory(young)
        // Its maker was killed: no process has this number.
        try Files.createDirectory(test.layout.unfinished(maker: Int32.max).root)
        // The remains of a kill during a removal, and an instance that is being removed now.
        let half = InstanceLayout(root: "\(test.runtimeRoot)/half").hidden.root
        try Files.createDirectory("\(half)/devices/phone")
        let removed = InstanceLayout(root: "\(test.runtimeRoot)/removed").hidden.root
        try Files.createDirectory("\(removed)/devices/phone")
        let remover = FileLock(try FileDescriptor.open(removed, flags: O_RDONLY | O_DIRECTORY))
        try #require(try remover.tryLock())

        // Its directory has been removed without it.
        let gone = "/lab-gone\(number)-phone-1-abc"
        _ = try SharedMemoryObject.create(name: gone, size: 256)
        defer { try? SharedMemoryObject.unlink(name: gone) }
        #expect(try !DeadInstances(in: test.runtimeRoot).sharedMemory.contains(gone), "it is young")
        var longAgo = [timeval(tv_sec: 1_700_000_000, tv_usec: 0), timeval(tv_sec: 1_700_000_000, tv_usec: 0)]
        utimes("/dev/shm\(gone)", &longAgo)
        let left = try DeadInstances(in: test.runtimeRoot)
        #expect(
            left.directories.map { Files.name(of: $0) } == [
                ".new-\(Int32.max)-\(test.layout.id)", ".tmp-half", "dead\(number)",
            ])
        // Other tests have objects of their own.
        #expect(left.sharedMemory.contains(gone))
        #expect(!left.sharedMemory.contains(name))

        let second = try Instance.create(in: test.runtimeRoot) { .test($0) }
        let expected = [
            (young as NSString).lastPathComponent, ".tmp-removed", "Documents", "files", test.layout.id,
            second.layout.id,
        ]
        #expect(try Set(Files.list(test.runtimeRoot)) == Set(expected))
        #expect(try !SharedMemoryObject.list().contains(name))
        try second.end()
        #expect(Files.exists("\(removed)/devices/phone"))
        try remover.unlock()
        try Instance.sweepStale(in: test.runtimeRoot)
        #expect(!Files.exists(removed))
    }

    @Test func `An orphaned member keeps its instance from the sweep`() throws {
        let test = try TestInstance()
        let agent = try Membership(joining: test.layout)
        #expect(try !test.instance.end(timeout: .zero))
        try Instance.sweepStale(in: test.runtimeRoot)
        #expect(Files.exists(test.layout.root))
        try agent.leave()
    }

    @Test func `Two instances cannot have one id`() throws {
        let test = try TestInstance()
        #expect(throws: SystemError.self) {
            try Instance.create(id: test.layout.id, in: test.runtimeRoot) { .test($0) }
        }
        #expect(try Files.list(test.runtimeRoot) == [test.layout.id])
    }

    @Test(arguments: ["", "a-b", "A", "a/b", "abcdefghijklmnopq", "."])
    func `An id is short and plain`(id: String) throws {
        let directory = try TemporaryDirectory()
        #expect(throws: InstanceError.invalidName(id)) { try Instance.create(id: id, in: directory.path) { .test($0) } }
    }

    @Test func `A failing description leaves nothing behind`() throws {
        let directory = try TemporaryDirectory()
        #expect(throws: CancellationError.self) {
            try Instance.create(in: directory.path) { _ in throw CancellationError() }
        }
        #expect(try Files.list(directory.path) == [])
    }

    @Test(.verifies("size", "InstanceLayout.maximumSocketPath"))
    func `A socket path is checked against the kernel's limit`() throws {
        let layout = InstanceLayout(root: "/" + String(repeating: "x", count: 94))
        // The kernel takes 107 bytes.
        for name in ["sixsix", "seven77", "eight888"] {
            let path = "\(layout.root)/s/p.\(name)"
            if path.utf8.count <= 107 {
                #expect(try layout.socketPath(.peer(name)) == path)
            } else {
                #expect(throws: InstanceError.socketPathTooLong(path: path)) { try layout.socketPath(.peer(name)) }
            }
        }
        #expect(try layout.socketPath(.peer("seven77")).utf8.count == 107)
        #expect(throws: InstanceError.invalidName("p.../x")) { try layout.socketPath(.peer("../x")) }
    }

    @Test func `The runtime directory must be private`() throws {
        let directory = try TemporaryDirectory()
        let shared = directory.file("shared")
        try Files.createDirectory(shared, mode: 0o755)
        #expect(throws: InstanceError.notPrivate(path: shared)) {
            try Instance.runtimeRoot(environment: ["LAB_RUNTIME_DIR": shared])
        }
        let root = try Instance.runtimeRoot(environment: ["XDG_RUNTIME_DIR": directory.path])
        #expect(root == directory.file("palab"))
        #expect(try Files.isPrivateDirectory(root))
    }

    @Test func `Incarnations are numbered from one without repeats`() throws {
        let test = try TestInstance()
        #expect(try Incarnations.next(test.layout, "main") == 1)
        let numbers = Recorder<Int>()
        let threads = (0..<4).map { _ in
            runOnThread(name: "starter") {
                for _ in 0..<10 { if let number = try? Incarnations.next(test.layout, "main") { numbers.add(number) } }
            }
        }
        threads.forEach { $0.join() }
        #expect(numbers.all.sorted() == Array(2...41))
        #expect(try Incarnations.next(test.layout, "watch") == 1)
        #expect(throws: InstanceError.invalidName("../x")) { try Incarnations.next(test.layout, "../x") }
    }

    @Test func `The wait ends when the server is ready`() throws {
        let test = try TestInstance()
        let ready = ServerReady(
            baseURL: "http://127.0.0.1:1", enrollmentURL: "http://127.0.0.1:1/enrollment-server", backOfficeURL: "",
            applicationId: "a", configuration: "c", pid: 1, port: 1)
        #expect(try ServerReady.wait(test.layout, timeout: .milliseconds(1)) == nil)
        let layout = test.layout
        let writer = runOnThread(name: "server") { try? ready.write(layout) }
        #expect(try ServerReady.wait(test.layout, timeout: .seconds(30)) == ready)
        writer.join()
    }
}
