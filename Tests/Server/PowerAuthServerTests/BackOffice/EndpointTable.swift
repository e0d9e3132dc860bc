// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import HTTPTypes
import LabCore
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// The fields of a request object.
typealias Fields = [String: any Sendable]

/// The tests of one back-office endpoint: a request that succeeds with the exact shape of its answer, and one row for
/// every error it documents (server.md, sections 5 to 18).
struct EndpointTable: Sendable {
    /// Below `/rest/v3`.
    let path: String
    /// Nil for the bare `{"status":"OK"}`.
    let shape: Shape?
    /// A request that succeeds, with all fields that the endpoint has, as far as they fit together.
    let sample: @Sendable (World) async throws -> Fields
    let rows: [Row]

    init(
        path: String, shape: Shape?, rows: [Row] = [], sample: @escaping @Sendable (World) async throws -> Fields
    ) {
        self.path = path
        self.shape = shape
        self.sample = sample
        self.rows = rows
    }

    /// The same table with rows of requests that are refused.
    func refusing(_ rows: [Row]) -> EndpointTable {
        EndpointTable(path: path, shape: shape, rows: self.rows + rows, sample: sample)
    }

    /// A request that is refused: the sample with a change.
    struct Row: Sendable {
        let title: String
        /// The code of the answer.
        let code: String
        /// The message of the answer; nil for the text that belongs to the code.
        var message: String?
        var configure: (@Sendable (inout ServerConfiguration) -> Void)?
        /// Whether the row leaves a server behind that no other row can use.
        var isDestructive = false
        let change: @Sendable (World, Fields) async throws -> Fields

        /// The message that belongs to the code.
        var expectedMessage: String? { message ?? ServiceErrorCode(rawValue: code)?.message }

        /// The sample without a field.
        static func without(_ field: String, _ code: ServiceErrorCode, message: String? = nil) -> Row {
            Row(title: "without \(field)", code: code.rawValue, message: message) { _, sample in
                sample.filter { $0.key != field }
            }
        }

        /// The sample with other values of some fields.
        static func with(_ fields: Fields, _ code: ServiceErrorCode, message: String? = nil) -> Row {
            Row(
                title: "with \(fields.keys.sorted().joined(separator: ", ")) changed", code: code.rawValue,
                message: message
            ) { _, sample in
                sample.merging(fields) { $1 }
            }
        }

        /// The sample, or another request, after something was done to the server.
        static func when(
            _ title: String, _ code: ServiceErrorCode, message: String? = nil,
            _ change: @escaping @Sendable (World, Fields) async throws -> Fields
        ) -> Row {
            Row(title: title, code: code.rawValue, message: message, change: change)
        }

        /// The sample on a server of another configuration.
        static func configured(
            _ title: String, _ code: ServiceErrorCode,
            _ configure: @escaping @Sendable (inout ServerConfiguration) -> Void
        ) -> Row {
            Row(title: title, code: code.rawValue, configure: configure) { $1 }
        }

        /// The sample, or another request, on a server whose database was damaged.
        static func damaged(
            _ title: String, _ code: ServiceErrorCode, _ statement: String,
            _ change: @escaping @Sendable (World, Fields) async throws -> Fields = { $1 }
        ) -> Row {
            Row(title: title, code: code.rawValue, isDestructive: true) { world, sample in
                let fields = try await change(world, sample)
                try world.execute(statement)
                return fields
            }
        }

        /// As ``when(_:_:message:_:)``, for a code that is not in the table of business errors.
        static func when(
            _ title: String, code: String, message: String,
            _ change: @escaping @Sendable (World, Fields) async throws -> Fields
        ) -> Row {
            Row(title: title, code: code, message: message, change: change)
        }
    }

    /// Every table there is.
    static let all: [EndpointTable] =
        system + applications + activations + activationAdministration + keyExchanges + signatures + encrypted
        + recovery + integrations + templates + operations

    static subscript(path: String) -> EndpointTable? { all.first { $0.path == path } }
}

extension EndpointTable: CustomTestStringConvertible {
    var testDescription: String { path }
}

/// A server that a row of a table acts on.
struct World: Sendable {
    let fixture: ServerFixture
    let client: ServerClient

    /// Starts a server of its own.
    static func run<Value: Sendable>(
        _ configure: @escaping @Sendable (inout ServerConfiguration) -> Void = { _ in },
        _ body: @Sendable (World) async throws -> Value
    ) async throws -> Value {
        let fixture = try ServerFixture {
            $0.hasLabPowers = true; configure(&$0)
        }
        return try await fixture.run { try await body(World(fixture: fixture, client: $0)) }
    }

    /// What `/openapi.json` of a server with all its resources says; it is large, and always the same.
    static var description: JSONValue { get async throws { try await descriptionOfServer.value } }
    private static let descriptionOfServer = Task {
        try await run { try JSONValue.parse(try await $0.client.send("/openapi.json", method: .get).body) }
    }

    /// Damages the database as no request can.
    func execute(_ statement: String) throws {
        try StoredDatabase.open(fixture.directory, foreignKeys: false).write { try $0.execute(sql: statement) }
        // The server does not see the writes of another connection.
        fixture.server.services.context.database.cache.forgetAll()
    }

    /// Calls an endpoint, which must not fail.
    @discardableResult
    func call(_ path: String, _ fields: Fields) async throws -> Answer {
        let answer = try await client.backOffice(path, fields)
        try #require(answer.status == 200, "\(path) answered \(answer.code ?? "nothing")")
        return answer
    }

    // MARK: Activations

    /// A device whose activation is in a state; one that never got a key when the state is CREATED.
    func device(_ state: ActivationState, _ extra: Fields = [:]) async throws -> TestDevice {
        let (id, code) = try await client.initiate(extra)
        var device = try TestDevice(client, .v3_3)
        device.activationId = id
        if state == .created { return device }
        try await device.exchange("activation/prepare", ["activationCode": code]).expectOK()
        if state == .pendingCommit { return device }
        try await call("activation/commit", ["activationId": id])
        switch state {
        case .blocked: try await call("activation/block", ["activationId": id])
        case .removed: try await call("activation/remove", ["activationId": id])
        default: break
        }
        return device
    }

    /// The identifier of an activation in a state.
    func activation(_ state: ActivationState, _ extra: Fields = [:]) async throws -> String {
        try await device(state, extra).activationId
    }

    // MARK: Encrypted messages

    /// The inner layer of a key exchange, as a mobile-facing server passes it on.
    func keyExchange(
        _ inner: Fields = [:], plaintext: Data? = nil, version: ProtocolVersion = .v3_3
    ) async throws -> Fields {
        let device = try TestDevice(client, version)
        let scope = try await device.applicationScope()
        let content =
            try plaintext
            ?? JSONSerialization.data(
                withJSONObject: ["devicePublicKey": StrictBase64.encode(device.deviceKey.publicKey.uncompressed)]
                    .merging(inner) { $1 })
        let (sealed, _) = try device.seal(content, scope, .activationLayer2)
        return try sealed.fields().merging([
            "applicationKey": device.configuration.applicationKeyText, "protocolVersion": version.rawValue,
        ]) { $1 }
    }

    /// A message of a device in activation scope.
    func message(
        _ device: TestDevice, _ purpose: EciesSharedInfo1, _ plaintext: Data = Data("{}".utf8)
    ) async throws -> Fields {
        let (sealed, _) = try device.seal(plaintext, try await device.activationScope(), purpose)
        return try sealed.fields().merging([
            "activationId": device.activationId, "applicationKey": device.configuration.applicationKeyText,
            "protocolVersion": device.version.rawValue,
        ]) { $1 }
    }

    /// The key of a version that is no longer supported, of the first application.
    func unsupportedKey() async throws -> String {
        let version: Fields = ["applicationId": "lab", "applicationVersionId": UUID().uuidString]
        let key = try await call("application/version/create", version).required("applicationKey")
        try await call("application/version/unsupport", version)
        return key
    }

    /// The key of another application.
    func foreignKey() async throws -> String {
        let id = UUID().uuidString
        try await call("application/create", ["applicationId": id])
        return try await call("application/detail", ["applicationId": id]).required("versions.0.applicationKey")
    }
}
