// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import LabControl

/// What an owner concludes from the reports of the library.
@Suite("The guest's connection", .endsInTime)
struct GuestConnectionTests {
    private let one = Data([1])
    private let two = Data([2])

    @Test func `The end of the guest's connection counts until the guest has left, the end of another one does not`() {
        var connection = GuestConnection()
        connection.accept(7)
        connection.accept(8)
        connection.greet(one, over: 7)
        #expect(connection.guest == one && !connection.hasEnded)
        connection.end(8)
        #expect(!connection.hasEnded)
        connection.end(7)
        #expect(connection.hasEnded && connection.guest == one)
        connection.accept(7)
        connection.end(8)
        #expect(connection.hasEnded, "another connection with the same descriptor is not the guest's")
        connection.leave()
        #expect(!connection.hasEnded && connection.guest == nil)
        connection.end(7)
        #expect(!connection.hasEnded)
    }

    @Test func `A hello over a connection that has already ended is from a guest that is lost`() {
        var connection = GuestConnection()
        connection.accept(7)
        connection.end(7)
        connection.greet(one, over: 7)
        #expect(connection.hasEnded)
    }

    @Test func `The next guest, with the descriptor of the lost one, is there`() {
        var connection = GuestConnection()
        connection.greet(one, over: 7)
        connection.end(7)
        connection.accept(7)
        connection.greet(two, over: 7)
        #expect(connection.guest == two && !connection.hasEnded)
        connection.end(7)
        #expect(connection.hasEnded)
    }

    @Test func `The end of any connection may be that of a guest whose connection is unknown`() {
        var connection = GuestConnection()
        connection.end(7)
        connection.greet(one, over: nil)
        #expect(!connection.hasEnded)
        connection.end(8)
        #expect(connection.hasEnded)
    }
}
