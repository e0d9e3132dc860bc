// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing
import ZeroMQ

/// Each test keeps its sockets on its own thread by not suspending.
@Suite("Polling of ZeroMQ sockets", .endsInTime)
struct ZeroMQPollTests {
    private let context = ZeroMQContext()

    /// Two ends of a connection, which is made at once.
    private func pair(_ name: String) throws -> (here: ZeroMQSocket, there: ZeroMQSocket) {
        let (here, there) = (try ZeroMQSocket(context, .pair), try ZeroMQSocket(context, .pair))
        try here.bind("inproc://\(name)")
        try there.connect("inproc://\(name)")
        return (here, there)
    }

    @Test func `Each socket to read, socket to write and descriptor has its own flag, in the given order`() throws {
        let (here, there) = try pair("flags")
        // Without another end nothing can be read or written.
        let lonely = try ZeroMQSocket(context, .pair)
        var ends: [Int32] = [-1, -1]
        var others: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        try #require(pipe(&others) == 0)
        defer { for end in ends + others { close(end) } }
        let descriptors = [others[0], ends[0]]

        let nothing = try ZeroMQPoll.poll(
            sockets: [lonely, here], writers: [lonely], descriptors: descriptors, timeoutMilliseconds: 1)
        #expect(nothing.sockets == [false, false])
        #expect(nothing.writers == [false])
        #expect(nothing.descriptors == [false, false])
        #expect(!nothing.isAny)

        let writable = try ZeroMQPoll.poll(
            sockets: [lonely, here], writers: [lonely, here, there], descriptors: descriptors)
        #expect(writable.sockets == [false, false])
        #expect(writable.writers == [false, true, true])
        #expect(writable.descriptors == [false, false])
        #expect(writable.isAny)

        #expect(try there.send([Data("x".utf8)]))
        let readable = try ZeroMQPoll.poll(sockets: [lonely, here], writers: [lonely], descriptors: descriptors)
        #expect(readable.sockets == [false, true])
        #expect(readable.writers == [false])
        #expect(readable.descriptors == [false, false])
        #expect(readable.isAny)
        #expect(try here.receive() == [Data("x".utf8)])

        let written = write(ends[1], "x", 1)
        try #require(written == 1)
        let described = try ZeroMQPoll.poll(sockets: [lonely, here], writers: [lonely], descriptors: descriptors)
        #expect(described.sockets == [false, false])
        #expect(described.writers == [false])
        #expect(described.descriptors == [false, true])
        #expect(described.isAny)
    }

    @Test func `A descriptor whose other side is closed is ready, and so is one that is not open`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        close(ends[1])
        #expect(try ZeroMQPoll.poll(sockets: [], descriptors: [ends[0], Int32.max]).descriptors == [true, true])
    }
}
