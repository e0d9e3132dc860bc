import Foundation
import LabKit
import SDKTestSupport
import TestSupport
import Testing
import WultraMobileTokenSDK

/// However many pages an inbox has, all of it is loaded, each message once (mobile-token.md, section 8.2).
@Suite("Sizes of an inbox", .endsInTime)
struct InboxSizeTests {
    private static let list = "/api/inbox/message/list"
    private static let pageSize = 3

    private static func page(_ ids: some Sequence<Int>) -> Answer {
        .ok(
            .array(
                ids.map { id in
                    [
                        "id": .string("\(id)"), "type": "text", "subject": "s", "summary": "s", "read": false,
                        "timestampCreated": "2026-03-01T08:00:00Z",
                    ]
                }))
    }

    @Test("Every page is asked for, and one more when the last one is full", arguments: [0, 2, 3, 4, 6, 7])
    func pages(count: Int) async throws {
        let app = try await ServiceApp.activated()
        let inbox = app.networking.createWMTInbox()
        for _ in 1...2 {
            let before = try app.bodies(Self.list).count
            let starts = Array(stride(from: 0, through: count, by: Self.pageSize))
            for start in starts { app.answer(Self.list, Self.page(start..<min(start + Self.pageSize, count))) }
            let found = try await result { inbox.getAllMessages(pageSize: Self.pageSize, completion: $0) }.get()
            #expect(found.map(\.id) == (0..<count).map { "\($0)" })
            #expect(try app.bodies(Self.list).count - before == starts.count)
        }
    }

    @Test("No more pages are asked for than messages are wanted", arguments: 1...8)
    func limit(limit: Int) async throws {
        let app = try await ServiceApp.activated()
        let inbox = app.networking.createWMTInbox()
        app.answer(Self.list, Self.page(0..<3), Self.page(3..<6), Self.page(6..<7))
        let found = try await result {
            inbox.getAllMessages(pageSize: Self.pageSize, messageLimit: limit, completion: $0)
        }.get()
        #expect(found.map(\.id) == (0..<min(limit, 7)).map { "\($0)" })
        #expect(try app.bodies(Self.list).count == (limit + 2) / 3)
    }

    @Test("A message that is repeated much later counts once", arguments: 1...4)
    func doubles(distance: Int) async throws {
        let app = try await ServiceApp.activated()
        let inbox = app.networking.createWMTInbox()
        // As many pages lie between the two.
        for start in stride(from: 0, to: distance * 3, by: 3) { app.answer(Self.list, Self.page(start..<start + 3)) }
        app.answer(Self.list, Self.page([0, 100]))
        let found = try await result { inbox.getAllMessages(pageSize: Self.pageSize, completion: $0) }.get()
        #expect(found.map(\.id) == (0..<distance * 3).map { "\($0)" } + ["100"])
    }
}
