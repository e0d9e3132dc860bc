// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import LabCore
import PowerAuthProtocol

/// A device that signs: each accepted signature moves its counter by one, each wrong one is counted as a failure.
final class SigningWriter: Writer {
    /// The server's stored state of an activation.
    struct Stored: Equatable {
        /// How many signatures were accepted.
        var counter = 0
        /// How many failed since the last one.
        var failures = 0
    }

    /// A request whose answer has not come.
    private enum Pending {
        case right(SignatureHeader)
        case wrong
    }

    let userId: String
    private let exchange: ActivationKeyExchange
    private let configuration: MobileSdkConfiguration
    private var nextCounter: CounterData
    private var stored = Stored()
    private var pending: Pending?
    /// A signature that was accepted without a reply; it must not be accepted again.
    private var spent: SignatureHeader?

    init(userId: String, _ exchange: ActivationKeyExchange, _ configuration: MobileSdkConfiguration) {
        self.userId = userId
        self.exchange = exchange
        self.configuration = configuration
        nextCounter = exchange.counter
    }

    func write(to connection: ServerConnection, _ stream: inout SeedStream) throws -> Bool {
        if let spent {
            pending = .wrong
            guard let status = send(spent, connection) else { return false }
            try require(
                status == 401, "\(userId): a signature was accepted before a death and again behind it (\(status))")
            self.spent = nil
            stored.failures += 1
        } else if UInt64.random(in: 0..<5, using: &stream) == 0 {
            pending = .wrong
            guard let status = send(try header(isRight: false), connection) else { return false }
            try require(status == 401, "\(userId): a wrong signature was answered with \(status)")
            stored.failures += 1
        } else {
            let header = try header(isRight: true)
            pending = .right(header)
            guard let status = send(header, connection) else { return false }
            try require(status == 200, "\(userId): signature \(stored.counter) was answered with \(status)")
            accept()
        }
        pending = nil
        return true
    }

    func settle(_ database: Database) throws {
        let row = try Row.fetchOne(
            database, sql: "SELECT counter, failed FROM activation WHERE user_id = ?", arguments: [userId])
        guard let row else { throw Breach("\(userId): the activation is gone") }
        try settle(found: Stored(counter: row["counter"], failures: row["failed"]))
        let accepted = try Int.fetchOne(
            database, sql: "SELECT COUNT(*) FROM signature_audit WHERE user_id = ? AND valid", arguments: [userId])
        try require(
            accepted == stored.counter,
            "\(userId): the counter is \(stored.counter), the audit has \(accepted ?? 0) accepted signatures")
    }

    /// Compares with what is stored.
    func settle(found: Stored) throws {
        defer { pending = nil }
        if found == stored { return }
        switch pending {
        case .right(let header) where found == Stored(counter: stored.counter + 1, failures: 0):
            accept()
            spent = header
        case .wrong where found == Stored(counter: stored.counter, failures: stored.failures + 1):
            stored = found
            spent = nil
        default:
            throw Breach("\(userId): answered were \(stored), stored is \(found)")
        }
    }

    private func accept() {
        stored = Stored(counter: stored.counter + 1)
        nextCounter = nextCounter.next()
    }

    private func send(_ header: SignatureHeader, _ connection: ServerConnection) -> Int? {
        connection.post("/pa/v3/signature/validate", Self.body, header: (SignatureHeader.name, header.value))?.status
    }

    private static let body = Data("{}".utf8)

    private func header(isRight: Bool) throws -> SignatureHeader {
        let nonce = SymmetricSignature.randomNonce()
        let data = SymmetricSignature.normalize(
            method: "POST", uriId: "/pa/signature/validate", nonce: nonce, body: isRight ? Self.body : Data("{ }".utf8),
            applicationSecretText: configuration.applicationSecretText)
        let keys = SignatureKeys(exchange.keys, factors: [.possession, .knowledge])
        return SignatureHeader(
            version: .v3_3, activationId: exchange.activationId, applicationKey: configuration.applicationKeyText,
            nonce: nonce, signatureType: .possessionKnowledge,
            signature: try SymmetricSignature.online(version: .v3_3, keys: keys, counter: nextCounter, data: data))
    }
}
