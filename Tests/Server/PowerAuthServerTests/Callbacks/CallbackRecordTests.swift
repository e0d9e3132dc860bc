// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import LabCore
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// What callbacks report, and how they are stored and shown (server.md, sections 16.1 and 16.3).
@Suite("Records of callbacks", .endsInTime)
struct CallbackRecordTests {
    // MARK: Payloads

    /// Creates a callback for a type of changes in the first application.
    private func create(_ type: CallbackType, _ attributes: [String], on fixture: ServerFixture) throws {
        _ = try CallbackService(context: fixture.server.services.context).create(
            .init(
                applicationId: "lab", name: "hook", type: type, url: "http://127.0.0.1:1/hook", attributes: attributes))
    }

    private func application(of fixture: ServerFixture) throws -> Application {
        try #require(try fixture.server.services.context.read { try ApplicationStore.find($0, id: "lab") })
    }

    private func payloads(_ fixture: ServerFixture) throws -> [JSONValue] {
        try texts(fixture).map { try JSONValue.parse($0) }
    }

    private func texts(_ fixture: ServerFixture) throws -> [String] {
        try fixture.server.services.context.read {
            try String.fetchAll($0, sql: "SELECT payload FROM callback_event ORDER BY id")
        }
    }

    /// An operation that is approved, with another value in each field.
    private func approved(in applications: [Application], finalized: ServerTime?) -> OperationRecord {
        OperationRecord(
            id: "operation", userId: "user", applications: applications, externalId: "external",
            activationFlag: "flag", activationId: "activation", operationType: "type", templateName: "template",
            data: "A1", parameters: ["name": "value"], additionalData: ["key": 1], status: .approved,
            statusReason: "reason", signatureTypes: [.possession, .possessionKnowledge], failureCount: 2,
            maxFailureCount: 7, riskFlags: "XF", proximitySeed: Data([1]), created: ServerTime(milliseconds: 1_000),
            expires: ServerTime(milliseconds: 2_000), finalized: finalized)
    }

    @Test func `A change of an activation is reported with the wanted values of its own`() throws {
        let fixture = try ServerFixture()
        let values: [String: JSONValue] = [
            "userId": "user", "activationName": "name", "deviceInfo": "device", "platform": "platform",
            "protocol": "POWERAUTH", "activationFlags": ["flag-1", "flag-2"], "activationStatus": "BLOCKED",
            "blockedReason": "LOST", "applicationId": "lab",
        ]
        try create(.activationStatusChange, [], on: fixture)
        try create(.activationStatusChange, Array(values.keys) + ["type", "unknown"], on: fixture)
        try create(.operationStatusChange, ["userId"], on: fixture)
        let activation = Activation.sample(.blocked(.sample, reason: "LOST"), of: try application(of: fixture))
        try fixture.server.services.context.change { try $0.announce(activation) }
        let always: [String: JSONValue] = ["type": "ACTIVATION", "activationId": "activation"]
        #expect(try payloads(fixture) == [.object(always), .object(always.merging(values) { $1 })])
    }

    @Test
    func `A change of an operation is reported with the wanted values of its own, once for each application`() throws {
        let fixture = try ServerFixture()
        let values: [String: JSONValue] = [
            "userId": "user", "applications": ["lab", "other"], "operationType": "type",
            "parameters": ["name": "value"], "additionalData": ["key": 1], "activationFlag": "flag",
            "status": "APPROVED", "data": "A1", "failureCount": 2, "maxFailureCount": 7,
            "signatureType": ["POSSESSION", "POSSESSION_KNOWLEDGE"], "externalId": "external",
            "timestampCreated": "1970-01-01T00:00:01.000+00:00", "timestampExpires": "1970-01-01T00:00:02.000+00:00",
            "timestampFinalized": "1970-01-01T00:00:03.000+00:00",
        ]
        try create(.activationStatusChange, ["userId"], on: fixture)
        try create(.operationStatusChange, Array(values.keys), on: fixture)
        let other = try fixture.server.services.applications.create(id: "other")
        let operation = approved(
            in: [try application(of: fixture), other], finalized: ServerTime(milliseconds: 3_000))
        try fixture.server.services.context.change { try $0.announce(operation) }
        let always: [String: JSONValue] = ["type": "OPERATION", "operationId": "operation"]
        #expect(try payloads(fixture) == [.object(always.merging(values) { $1 })])
        _ = try CallbackService(context: fixture.server.services.context).create(
            .init(applicationId: "other", name: "hook", type: .operationStatusChange, url: "http://127.0.0.1:1/hook"))
        try fixture.server.services.context.change { try $0.announce(operation) }
        let later = Array(try payloads(fixture).dropFirst())
        #expect(later == [.object(always.merging(values) { $1 }), .object(always)])
    }

    @Test(arguments: [false, true])
    func `A message begins with its kind and its identifier, and has dates in the form of the setting`(
        areNumeric: Bool
    ) throws {
        let fixture = try ServerFixture { $0.policy.callbacks.hasNumericDates = areNumeric }
        try create(
            .operationStatusChange, ["timestampFinalized", "timestampExpires", "timestampCreated", "status", "userId"],
            on: fixture)
        try create(.activationStatusChange, ["blockedReason", "activationStatus", "userId"], on: fixture)
        let application = try application(of: fixture)
        try fixture.server.services.context.change {
            try $0.announce(approved(in: [application], finalized: ServerTime(milliseconds: 3_000)))
            try $0.announce(approved(in: [application], finalized: nil))
            try $0.announce(Activation.sample(.blocked(.sample, reason: "LOST"), of: application))
        }
        func moment(_ second: Int) -> String {
            areNumeric ? "\(second)000" : "\"1970-01-01T00:00:0\(second).000+00:00\""
        }
        let operation =
            #"{"type":"OPERATION","operationId":"operation","userId":"user","status":"APPROVED","timestampCreated":"#
            + moment(1) + #","timestampExpires":"# + moment(2) + #","timestampFinalized":"#
        #expect(
            try texts(fixture) == [
                operation + moment(3) + "}", operation + "null}",
                #"{"type":"ACTIVATION","activationId":"activation","userId":"user","activationStatus":"BLOCKED","#
                    + #""blockedReason":"LOST"}"#,
            ])
    }

    // MARK: Authentication

    /// An authentication with another value in each field.
    /// - Parameter secrets: five, in the order of the fields.
    private func authentication(_ text: String, _ secrets: [String?]) -> CallbackAuthentication {
        CallbackAuthentication(
            certificate: CallbackAuthentication.Certificate(
                enabled: true, useCustomKeyStore: true, keyStoreLocation: "keys\(text)", keyStorePassword: secrets[0],
                keyAlias: "alias\(text)", keyPassword: secrets[1], useCustomTrustStore: false,
                trustStoreLocation: "trust\(text)", trustStorePassword: secrets[2]),
            httpBasic: CallbackAuthentication.Basic(enabled: false, username: "name\(text)", password: secrets[3]),
            oauth2: CallbackAuthentication.OAuth2(
                enabled: true, tokenUri: "uri\(text)", clientId: "client\(text)", clientSecret: secrets[4],
                scope: "scope\(text)"))
    }

    private static let old: [String?] = (0..<5).map { "old-\($0)" }

    @Test(arguments: 0...5)
    func `A secret that is not given stays, the others and all that is no secret are replaced`(given: Int) throws {
        var (wanted, kept) = ([String?](repeating: nil, count: 5), Self.old)
        // The last round gives none.
        if given < 5 { (wanted[given], kept[given]) = ("new", "new") }
        var changed = authentication("-new", wanted)
        changed.keepSecrets(of: authentication("", Self.old))
        #expect(try JSONValue(encoding: changed) == JSONValue(encoding: authentication("-new", kept)))
    }

    @Test
    func `A way that is not given stays away with its secrets, and one that is new has no others than its own`() throws
    {
        var removed = CallbackAuthentication()
        removed.keepSecrets(of: authentication("", Self.old))
        #expect(try JSONValue(encoding: removed) == JSONValue(encoding: CallbackAuthentication()))
        var new = authentication("", [nil, nil, nil, nil, nil])
        new.keepSecrets(of: nil)
        new.keepSecrets(of: CallbackAuthentication())
        #expect(try JSONValue(encoding: new) == JSONValue(encoding: authentication("", [nil, nil, nil, nil, nil])))
    }

    @Test(arguments: 0..<5)
    func `Of each secret only its presence is shown, and all the rest as it is`(present: Int) throws {
        var secrets = [String?](repeating: nil, count: 5)
        secrets[present] = "secret"
        func isSet(_ index: Int) -> JSONValue { .bool(index == present) }
        let expected: JSONValue = [
            "certificate": [
                "enabled": true, "useCustomKeyStore": true, "keyStoreLocation": "keys",
                "keyStorePasswordSet": isSet(0), "keyAlias": "alias", "keyPasswordSet": isSet(1),
                "useCustomTrustStore": false, "trustStoreLocation": "trust", "trustStorePasswordSet": isSet(2),
            ],
            "httpBasic": ["enabled": false, "username": "name", "passwordSet": isSet(3)],
            "oauth2": [
                "enabled": true, "tokenUri": "uri", "clientId": "client", "clientSecretSet": isSet(4),
                "scope": "scope",
            ],
        ]
        let view = CallbackAuthenticationView(authentication("", secrets))
        #expect(try JSONValue.parse(JSONBody.encode(view)) == expected)
    }

    @Test func `The header of HTTP Basic is that of an enabled way with a name`() {
        func header(_ isEnabled: Bool, _ name: String?, _ password: String?) -> String? {
            let basic = CallbackAuthentication.Basic(enabled: isEnabled, username: name, password: password)
            return CallbackAuthentication(httpBasic: basic).basicHeader
        }
        #expect(header(true, "u", "p") == "Basic " + Data("u:p".utf8).base64EncodedString())
        #expect(header(true, "u", nil) == "Basic " + Data("u:".utf8).base64EncodedString())
        #expect(header(false, "u", "p") == nil && header(true, nil, "p") == nil)
        #expect(CallbackAuthentication().basicHeader == nil)
    }

    // MARK: Rows

    @Test func `A callback is read as it was written, and as it was changed`() throws {
        let fixture = try ServerFixture()
        let context = fixture.server.services.context
        let application = try application(of: fixture)
        func callback(_ text: String, _ number: Int, _ type: CallbackType) -> Callback {
            Callback(
                id: "callback", application: application, name: "name\(text)", type: type, url: "url\(text)",
                attributes: ["attribute\(text)", "more"], authentication: authentication(text, Self.old),
                retention: Int64(number), initialBackoff: Int64(number) + 1, maxAttempts: number + 2)
        }
        for saved in [
            callback("", 1, .activationStatusChange), callback("-2", 7, .operationStatusChange),
            Callback(
                id: "callback", application: application, name: "n", type: .activationStatusChange, url: "u",
                attributes: [], authentication: CallbackAuthentication()),
        ] {
            try context.change { try CallbackStore.save($0.database, saved, at: $0.now) }
            let found = try #require(try context.read { try CallbackStore.find($0, id: "callback") })
            #expect("\(found)" == "\(saved)")
            let (same, other) = try context.read { database in
                (
                    try CallbackStore.list(database, of: application, type: saved.type).count,
                    try CallbackStore.list(
                        database, of: Application(row: application.row + 1, id: "x", roles: []), type: saved.type
                    ).count
                )
            }
            #expect(same == 1 && other == 0)
        }
    }
}
