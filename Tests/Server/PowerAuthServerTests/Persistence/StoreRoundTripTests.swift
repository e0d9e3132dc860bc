// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import LabCore
import LabVocabulary
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// What is written is read again, each value from its own column; a change leaves the rest as it was.
@Suite("Stored records", .endsInTime)
struct StoreRoundTripTests {
    private func time(_ milliseconds: Int64) -> ServerTime { ServerTime(milliseconds: milliseconds) }

    private func named(_ name: String, _ text: String) -> Identifier { Identifier(known: name + text) }

    private func write(_ fixture: ServerFixture, _ body: @escaping (Database) throws -> Void) throws {
        try fixture.server.services.context.change { try body($0.database) }
    }

    private func read<Value>(_ fixture: ServerFixture, _ body: (Database) throws -> Value) throws -> Value {
        try fixture.server.services.context.read(body)
    }

    private func application(of fixture: ServerFixture) throws -> Application {
        try #require(try read(fixture) { try ApplicationStore.find($0, id: "lab") })
    }

    // MARK: Operations

    private func operation(_ text: String, _ number: Int, _ application: Application) -> OperationRecord {
        OperationRecord(
            id: "operation", userId: named("user", text), applications: [application],
            externalId: named("external", text), activationFlag: named("flag", text),
            activationId: named("activation", text), operationType: named("type", text),
            templateName: named("template", text), data: "data\(text)", parameters: ["name": "value\(text)"],
            additionalData: ["key": .string("more\(text)")], status: number == 1 ? .pending : .approved,
            statusReason: "reason\(text)",
            signatureTypes: number == 1 ? [.possession, .possessionKnowledge] : [.possessionBiometry],
            failureCount: number + 1, maxFailureCount: number + 5, riskFlags: "XF\(text)",
            proximitySeed: Data([UInt8(number)]), created: time(1_000 * Int64(number)),
            expires: time(2_000 * Int64(number)), finalized: time(3_000 * Int64(number)))
    }

    @Test func `An operation is read as it was written; a change writes what can change, and nothing else`() throws {
        let fixture = try ServerFixture()
        let application = try application(of: fixture)
        let (first, second) = (operation("", 1, application), operation("-2", 2, application))
        func found() throws -> OperationRecord {
            try #require(try read(fixture) { try OperationStore.find($0, id: "operation") })
        }
        try write(fixture) { try OperationStore.insert($0, first) }
        #expect(try "\(found())" == "\(first)")
        #expect(try found().proximitySeed == first.proximitySeed)
        try write(fixture) { try OperationStore.update($0, second) }
        var due = first
        (due.userId, due.additionalData, due.status) = (second.userId, second.additionalData, second.status)
        (due.statusReason, due.failureCount) = (second.statusReason, second.failureCount)
        due.finalized = second.finalized
        #expect(try "\(found())" == "\(due)")
        #expect(try found().proximitySeed == first.proximitySeed)
    }

    private func template(_ name: Identifier, _ text: String, _ number: Int) -> OperationTemplate {
        OperationTemplate(
            id: nil, name: name, operationType: named("type", text), dataTemplate: "data\(text)",
            signatureTypes: number == 1 ? [.possession, .possessionKnowledge] : [.possessionBiometry],
            maxFailureCount: number + 1, expiration: Int64(number) + 5, riskFlags: "XF\(text)",
            isProximityCheckEnabled: number == 1)
    }

    @Test func `A template of operations is read as it was written, and replaced by one of its name`() throws {
        let fixture = try ServerFixture()
        var (one, other, replacement) = (template("a", "", 1), template("b", "-2", 2), template("a", "-3", 3))
        let new = (one, other, replacement)
        let ids = try fixture.server.services.context.change { change in
            try [new.0, new.1].map { try OperationTemplateStore.insert(change.database, $0) }
        }
        (one.id, other.id) = (ids[0], ids[1])
        func stored() throws -> [String] { try read(fixture, OperationTemplateStore.all).map { "\($0)" } }
        #expect(try stored() == ["\(one)", "\(other)"])
        let id = ids[0]
        #expect(try read(fixture) { try OperationTemplateStore.find($0, id: id) }?.name == "a")
        #expect(try read(fixture) { try OperationTemplateStore.find($0, name: "b") }?.id == other.id)
        try write(fixture) { try OperationTemplateStore.save($0, new.2) }
        replacement.id = id
        #expect(try stored() == ["\(replacement)", "\(other)"])
        try write(fixture) { try OperationTemplateStore.delete($0, id: id) }
        #expect(try stored() == ["\(other)"])
        try write(fixture) { try OperationTemplateStore.save($0, new.0) }
        #expect(try read(fixture) { try OperationTemplateStore.find($0, name: "a") }?.dataTemplate == "data")
    }

    @Test func `A text of operations is read as it was written, and replaced by one of its type and language`() throws {
        let fixture = try ServerFixture()
        func text(_ type: Identifier, _ language: String, _ text: String) -> UITemplate {
            UITemplate(
                placeholder: type, language: language, title: "title\(text)", message: "message\(text)",
                attributes: "attributes\(text)", resultTexts: "results\(text)", ui: "ui\(text)")
        }
        func stored(_ types: Set<Identifier>? = nil) throws -> [String] {
            try read(fixture) { try UITemplateStore.list($0, types: types) }.map { "\($0)" }
        }
        let (english, czech, other) = (text("a", "en", ""), text("a", "cs", "-2"), text("b", "en", "-3"))
        try write(fixture) { for template in [english, czech, other] { try UITemplateStore.save($0, template) } }
        #expect(try stored() == ["\(english)", "\(czech)", "\(other)"])
        #expect(try stored(["b", "c"]) == ["\(other)"])
        let replacement = text("a", "cs", "-4")
        try write(fixture) { try UITemplateStore.save($0, replacement) }
        #expect(try stored() == ["\(english)", "\(replacement)", "\(other)"])
        func isDeleted(_ type: Identifier, _ language: String) throws -> Bool {
            try fixture.server.services.context.change {
                try UITemplateStore.delete($0.database, placeholder: type, language: language)
            }
        }
        #expect(try isDeleted("a", "en") && !isDeleted("a", "en") && !isDeleted("b", "cs"))
        #expect(try stored() == ["\(replacement)", "\(other)"])
    }

    // MARK: Recovery and keys

    @Test(arguments: [true, false])
    func `The recovery settings of an application are read as they were written`(isFirst: Bool) throws {
        let fixture = try ServerFixture()
        let application = try application(of: fixture)
        #expect(try read(fixture) { try RecoveryStore.configuration($0, of: application) } == nil)
        let written = RecoveryConfiguration(
            isActivationRecoveryEnabled: isFirst, isPostcardEnabled: !isFirst, allowsMultipleCodes: isFirst,
            postcardPrivateKey: isFirst ? StoredSecret(mode: 1, bytes: Data([1])) : nil,
            postcardPublicKey: Data([2]), remotePublicKey: isFirst ? Data([3]) : nil)
        try write(fixture) { try RecoveryStore.save($0, written, of: application) }
        let found = try #require(try read(fixture) { try RecoveryStore.configuration($0, of: application) })
        #expect(found.isActivationRecoveryEnabled == isFirst && found.isPostcardEnabled == !isFirst)
        #expect(found.allowsMultipleCodes == isFirst && found.postcardPrivateKey == written.postcardPrivateKey)
        #expect(found.postcardPublicKey == Data([2]) && found.remotePublicKey == written.remotePublicKey)
    }

    @Test
    func `A recovery code is read with its PUKs as it was written, and revoked with those that are left`() throws {
        let fixture = try ServerFixture()
        let application = try application(of: fixture)
        let now = time(1_000)
        let row = try fixture.server.services.context.change { change in
            try RecoveryStore.insert(
                change.database, application: application, userId: "user", activationId: "activation", code: "CODE",
                status: .active, maxFailedAttempts: 7, pukHashes: ["one", "two", "three"], at: now)
        }
        func found() throws -> RecoveryCodeRecord {
            try #require(try read(fixture) { try RecoveryStore.find($0, row: row) })
        }
        var due = RecoveryCodeRecord(
            row: row, applicationId: "lab", userId: "user", activationId: "activation", code: "CODE",
            status: .active, failedAttempts: 0, maxFailedAttempts: 7,
            puks: [
                .init(index: 1, hash: "one", status: .valid), .init(index: 2, hash: "two", status: .valid),
                .init(index: 3, hash: "three", status: .valid),
            ])
        #expect(try "\(found())" == "\(due)")
        (due.status, due.failedAttempts, due.puks[0].status) = (.blocked, 3, .used)
        let changed = due
        try write(fixture) { try RecoveryStore.update($0, changed, at: now) }
        #expect(try "\(found())" == "\(due)")
        func isRevoked() throws -> Bool {
            try fixture.server.services.context.change { try RecoveryStore.revoke($0.database, row: row, at: now) }
        }
        #expect(try isRevoked() && !isRevoked())
        (due.status, due.puks[1].status, due.puks[2].status) = (.revoked, .invalid, .invalid)
        #expect(try "\(found())" == "\(due)")
    }

    @Test func `A temporary key is read as it was written, and deleted alone`() throws {
        let fixture = try ServerFixture()
        func key(_ id: Identifier, _ number: UInt8, activationId: Identifier?, address: String?) -> TemporaryKeyPair {
            TemporaryKeyPair(
                id: id, applicationKey: "application", activationId: activationId, address: address,
                privateKey: StoredSecret(mode: Int(number) - 1, bytes: Data([number])),
                expires: time(1_000 * Int64(number)))
        }
        let keys = [
            key("one", 1, activationId: "activation", address: nil), key("two", 2, activationId: nil, address: "::1"),
        ]
        try write(fixture) { for key in keys { try TemporaryKeyPairStore.insert($0, key) } }
        func found(_ id: Identifier) throws -> TemporaryKeyPair? {
            try read(fixture) { try TemporaryKeyPairStore.find($0, id: id) }
        }
        for key in keys {
            let stored = try #require(try found(key.id))
            #expect("\(stored)" == "\(key)")
            #expect(stored.privateKey == key.privateKey)
        }
        try write(fixture) { try TemporaryKeyPairStore.deleteExpired($0, at: ServerTime(milliseconds: 1_000)) }
        #expect(try found("one") != nil)
        try write(fixture) { try TemporaryKeyPairStore.deleteExpired($0, at: ServerTime(milliseconds: 1_001)) }
        #expect(try found("one") == nil && found("two") != nil)
    }

    // MARK: Messages

    @Test func `A message of the inbox is read as it was written, by its owner only`() throws {
        let fixture = try ServerFixture()
        let application = try application(of: fixture)
        let message = InboxMessage(
            id: "message", userId: "user", applications: [application], format: .html, subject: "subject",
            summary: "summary", body: "body", created: time(1_000), read: time(2_000))
        try write(fixture) { try InboxStore.insert($0, message) }
        let owner = InboxStore.Owner(userId: "user", application: application)
        let found = try #require(try read(fixture) { try InboxStore.find($0, owner, id: "message") })
        #expect("\(found)" == "\(message)")
        let others = [
            InboxStore.Owner(userId: "other", application: application),
            InboxStore.Owner(userId: "user", application: Application(row: application.row + 1, id: "x", roles: [])),
        ]
        for other in others {
            #expect(try read(fixture) { try InboxStore.find($0, other, id: "message") } == nil)
        }
    }
}

@Suite("Query columns", .endsInTime)
struct QueryColumnTests {
    private enum Person: String, QueryColumn {
        case id = "person.id"
        case name
        case nick
    }

    private enum Place: String, QueryColumn {
        case id = "place.id"
        case town
    }

    @Test func `The text of a query and the reading of its rows agree, also where two tables have columns of one name`()
        throws
    {
        let database = try DatabaseQueue()
        try database.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE person (nick TEXT, name TEXT NOT NULL, id INTEGER PRIMARY KEY);
                    CREATE TABLE place (town TEXT NOT NULL, id INTEGER PRIMARY KEY);
                    INSERT INTO person (id, name, nick) VALUES (1, 'Eva', NULL), (2, 'Jan', 'Honza');
                    INSERT INTO place (id, town) VALUES (7, 'Brno');
                    """)
        }
        let sql = "SELECT \(Person.list), \(Place.list) FROM person JOIN place ORDER BY person.id"
        #expect(sql.hasPrefix("SELECT person.id, name, nick, place.id, town FROM"))
        func describe(_ row: QueryRow<Person>) -> String {
            let (place, nick): (QueryRow<Place>, String?) = (row.following(), row[.nick])
            return
                "\(row[.id] as Int) \(row[.name] as String) \(nick ?? "-") \(place[.id] as Int) \(place[.town] as String)"
        }
        let (all, first) = try database.read { database in
            (
                try Row.fetchAll(database, sql: sql).map { describe(QueryRow($0)) },
                try QueryRow<Person>.first(database.cachedStatement(sql: sql), arguments: [], describe)
            )
        }
        #expect(all == ["1 Eva - 7 Brno", "2 Jan Honza 7 Brno"])
        #expect(first == all.first)
    }
}
