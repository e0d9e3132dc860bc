// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem
import TestSupport
import Testing

@testable import LabCore

@Suite("The memory of a device that is to continue", .endsInTime)
struct HibernationTests {
    private let test: TestInstance
    private var layout: InstanceLayout { test.layout }

    init() throws { test = try TestInstance() }

    @Test func `It is read as it was written, and is absent once it is removed`() throws {
        try Files.createDirectory(layout.deviceDirectory("phone"))
        #expect(try Hibernation.read(layout, device: "phone") == nil)
        let hibernation = Hibernation(
            linksInRange: ["pairing": false, "other": true],
            memory: ["0123456789abcdef": Data([0, 255]), "fedcba9876543210": Data()])
        try hibernation.write(layout, device: "phone")
        #expect(try Hibernation.read(layout, device: "phone") == hibernation)
        try Hibernation.remove(layout, device: "phone")
        #expect(try Hibernation.read(layout, device: "phone") == nil)
        try Hibernation.remove(layout, device: "phone")
    }

    @Test func `It has the shared memory of its device only, of whichever boot`() throws {
        let digits = "0123456789abcdef"
        let names =
            ["phone-3-\(digits)", "phone-2-3-\(digits)", "phones-3-\(digits)", "phone-x-\(digits)"]
            .map { layout.sharedMemoryPrefix + $0 } + ["\(layout.sharedMemoryPrefix)phone-3-abc"]
        for name in names {
            let mapped = try SharedMemoryObject.create(name: name, size: 2).map()
            withExtendedLifetime(mapped) { mapped.bytes.copyBytes(from: Data(name.utf8.suffix(2))) }
        }
        defer { for name in names { try? SharedMemoryObject.unlink(name: name) } }
        let hibernation = try Hibernation(of: "phone", in: layout, linksInRange: ["pairing": true])
        #expect(hibernation == Hibernation(linksInRange: ["pairing": true], memory: [digits: Data("ef".utf8)]))
        #expect(try Hibernation(of: "watch", in: layout, linksInRange: [:]).memory.isEmpty)
    }

    @Test(
        arguments: [
            "", "{", "[]", #"{"linksInRange":{}}"#, #"{"linksInRange":{},"memory":{"../../outside":"AA=="}}"#,
            #"{"linksInRange":{},"memory":{"0123456789abcde":"AA=="}}"#,
            #"{"linksInRange":{},"memory":{"0123456789abcdef0":"AA=="}}"#,
            #"{"linksInRange":{},"memory":{"0123456789ABCDEF":"AA=="}}"#,
            #"{"linksInRange":{},"memory":{"0123456789abcdef":"?"}}"#,
        ])
    func `A damaged one is refused with its path`(text: String) throws {
        try Files.createDirectory(layout.deviceDirectory("phone"))
        let path = layout.hibernationPath("phone")
        try Files.write(Data(text.utf8), to: path)
        #expect(throws: InstanceError.unreadable(path: path, expected: "the memory of a device")) {
            try Hibernation.read(layout, device: "phone")
        }
    }
}
