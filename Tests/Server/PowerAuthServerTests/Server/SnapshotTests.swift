import Foundation
import TestSupport
import Testing

@testable import PowerAuthServer

/// The states that a lab keeps under names.
@Suite("Snapshots", .endsInTime)
struct SnapshotTests {
    private func snapshots(_ fixture: ServerFixture) -> SnapshotService {
        SnapshotService(
            database: fixture.server.services.context.database, directory: fixture.directory.path + "/kept")
    }

    private func applications(_ fixture: ServerFixture) throws -> [Identifier] {
        try fixture.server.services.applications.list().map(\.id)
    }

    @Test("Snapshots are listed by name, without other files; the last one of a name is restored, until it is removed")
    func names() throws {
        let fixture = try ServerFixture()
        let snapshots = snapshots(fixture)
        #expect(try snapshots.names() == [])
        let longest = String(repeating: "x", count: 64)
        for name in ["b", longest, "A_1-z"] { try snapshots.take(name) }
        _ = try fixture.server.services.applications.create(id: "one")
        try snapshots.take("b")
        _ = try fixture.server.services.applications.create(id: "two")
        try Data("text".utf8).write(to: URL(filePath: fixture.directory.path + "/kept/note.txt"))
        #expect(try snapshots.names() == ["A_1-z", "b", longest])
        try snapshots.restore("b")
        #expect(try applications(fixture) == ["lab", "one"])
        try snapshots.restore("A_1-z")
        #expect(try applications(fixture) == ["lab"])
        try snapshots.remove("A_1-z")
        #expect(try snapshots.names() == ["b", longest])
        let error = #expect(throws: ServiceError.self) { try snapshots.restore("A_1-z") }
        #expect(error?.cause == "unknown snapshot A_1-z; existing: b, \(longest)")
    }

    @Test(
        "A name that is no plain word is refused, and nothing is kept",
        arguments: [nil, "", "a.b", "../a", "a/b", "a "])
    func refusals(name: String?) throws {
        let fixture = try ServerFixture()
        let snapshots = snapshots(fixture)
        for long in [name, String(repeating: "x", count: 65), "\u{E9}"] {
            #expect(throws: ServiceError.self) { try snapshots.take(long) }
            #expect(throws: ServiceError.self) { try snapshots.restore(long) }
            #expect(throws: ServiceError.self) { try snapshots.remove(long) }
        }
        #expect(try snapshots.names() == [])
        let error = #expect(throws: ServiceError.self) { try snapshots.remove("none") }
        #expect(error?.cause == "unknown snapshot none; existing: none")
    }
}
