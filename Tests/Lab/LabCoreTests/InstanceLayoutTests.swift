// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import LabCore

@Suite("The layout of an instance", .endsInTime)
struct InstanceLayoutTests {
    private let layout = InstanceLayout(root: "/run/i")

    @Test func `Every file has its path below the directory of the instance`() throws {
        let paths: [(String, String)] = [
            (layout.manifestPath, "/run/i/instance.json"),
            (layout.clockPath, "/run/i/clock"),
            (layout.faultsPath, "/run/i/faults"),
            (layout.leasePath, "/run/i/lease"),
            (layout.membersPath, "/run/i/members"),
            (layout.outsideFilesPath, "/run/i/outside.jsonl"),
            (layout.incarnationsDirectory, "/run/i/incarnations"),
            (layout.socketsDirectory, "/run/i/s"),
            (layout.serverDirectory, "/run/i/server"),
            (layout.serverReadyPath, "/run/i/server/ready.json"),
            (layout.requestsPath(incarnation: 2), "/run/i/server/requests#2.jsonl"),
            (layout.authorityPath, "/run/i/server/tls/ca.pem"),
            (layout.devicesDirectory, "/run/i/devices"),
            (layout.deviceDirectory("d"), "/run/i/devices/d"),
            (layout.backupsDirectory, "/run/i/backups"),
            (try layout.backupDirectory("b"), "/run/i/backups/b"),
            (layout.snapshotsDirectory, "/run/i/snapshots"),
            (layout.hibernationPath("d"), "/run/i/devices/d/hibernation.json"),
            (layout.keychainPath("d"), "/run/i/devices/d/keychain.sqlite"),
            (layout.groupsDirectory("d"), "/run/i/devices/d/groups"),
            (layout.appsDirectory("d"), "/run/i/devices/d/apps"),
            (layout.bootDirectory("d", 3), "/run/i/devices/d/boot-3"),
            (layout.linkDatabasePath("d", "p"), "/run/i/devices/d/links/p.sqlite"),
            (layout.hidden.root, "/run/.tmp-i"),
            (layout.unfinished(maker: 12).root, "/run/.new-12-i"),
            (layout.sharedMemoryPrefix, "/lab-i-"),
            (try layout.socketPath(.agent("d")), "/run/i/s/a.d"),
            (try layout.address(of: .agent("d")), "ipc:///run/i/s/a.d"),
            (try layout.endpointLockPath(.agent("d")), "/run/i/s/a.d.lock"),
            (try layout.invitationPath("l"), "/run/i/s/l.l.invitation"),
        ]
        for (path, expected) in paths { #expect(path == expected) }
        #expect(Set(paths.map { $0.1 }).count == paths.count)
    }

    @Test(arguments: ["/run/i", "/run/i/"]) func `A slash at the end of the directory does not count`(root: String) {
        #expect(InstanceLayout(root: root) == layout)
        #expect(InstanceLayout(root: root).id == "i")
        #expect(InstanceLayout(root: "/").root == "/")
    }

    @Test(
        arguments: [
            (".new-12-i", 12), (".new-1-abc9", 1), (".new-12", nil), (".new-x-i", nil), (".new-12-I", nil),
            (".new-12-i-j", nil), (".new--i", nil), ("xnew-12-i", nil), (".tmp-12-i", nil), ("i", nil), ("", nil),
        ] as [(String, Int32?)])
    func `The maker of an unfinished directory is known by its name`(name: String, maker: Int32?) {
        #expect(InstanceLayout.maker(ofUnfinished: name) == maker)
    }

    @Test func `Lower-case letters and digits are an id, up to sixteen of them`() {
        for id in ["a", "0", "az09", String(repeating: "x", count: 16)] { #expect(InstanceLayout.isID(id), "\(id)") }
        for id in ["", "A", "`", "{", "/", ":", "a-b", "é", String(repeating: "x", count: 17)] {
            #expect(!InstanceLayout.isID(id), "\(id)")
        }
    }

    @Test(
        arguments: [
            ("/lab-i-phone-1", "i"), ("/lab-i-", "i"), ("/lab-i", nil), ("lab-i-x", nil), ("/lab-I-x", nil),
            ("/lab--x", nil), ("/other-i-x", nil),
        ] as [(String, String?)])
    func `Shared memory belongs to the instance in its name, if there is one`(name: String, id: String?) {
        #expect(InstanceLayout.id(ofSharedMemory: name) == id)
    }

    @Test(
        arguments: [
            ("l.wrist.invitation", "wrist"), ("l.a.b.invitation", "a.b"), ("l.wrist", nil), ("p.main.invitation", nil),
            (".invitation", nil), ("l..invitation", nil),
        ] as [(String, String?)])
    func `An invitation is the one of the link in its name`(name: String, link: String?) {
        #expect(InstanceLayout.link(ofInvitation: name) == link)
    }

    @Test func `A name has up to a hundred letters, digits and plain signs, and does not begin with a dot`() throws {
        for count in Sizes.around(100) {
            let name = String(repeating: "x", count: count)
            let isTaken = (try? InstanceLayout.check(name)) != nil
            #expect(isTaken == (count <= 100))
        }
        for name in ["a", "Z", "aZ09-_.", "-", "_"] { try InstanceLayout.check(name) }
        for name in ["", ".", ".a", "a/b", "a b", "a@", "a[", "a`", "a{", "a:", "a,", "é", "a\0"] {
            #expect(throws: InstanceError.invalidName(name)) { try InstanceLayout.check(name) }
        }
    }

    @Test func `Every path that has a name in it refuses one that is no name`() {
        let name = "../x"
        let refusals: [() throws -> String] = [
            { try layout.socketPath(.peer(name)) }, { try layout.address(of: .agent(name)) },
            { try layout.endpointLockPath(.link(name)) }, { try layout.invitationPath(name) },
        ]
        for refusal in refusals { #expect(throws: InstanceError.self) { try refusal() } }
    }

    @Test(
        arguments: [
            (InstanceEndpoint.peer("main"), "p.main", "main", "the app main"),
            (.agent("phone.2"), "a.phone.2", "phone.2", "the agent of phone.2"),
            (.server, "server", "server", "the server"),
            (.join, "join", "join", "the runner of the instance"),
            (.apps(device: "watch"), "w.watch", "watch", "the agent of watch"),
            (.link("wrist"), "l.wrist", "wrist", "the link wrist"),
        ])
    func `A file name identifies the process that answers`(
        endpoint: InstanceEndpoint, file: String, actor: String, title: String
    ) {
        #expect(endpoint.fileName == file)
        #expect(InstanceEndpoint(fileName: file) == endpoint)
        #expect(endpoint.actor == actor)
        #expect(endpoint.description == title)
    }

    @Test(arguments: ["", "p", "p.", "x.main", "main", ".main", "Server"])
    func `Other file names are not endpoints`(file: String) {
        #expect(InstanceEndpoint(fileName: file) == nil)
    }
}
