// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import LabCore

/// A client that requests changes from the server, one after the other, and remembers requests and answers.
///
/// Thread rule: one thread at a time.
protocol Writer: AnyObject {
    /// Asks for one change.
    /// - Returns: false if the server died before it answered.
    /// - Throws: ``Breach`` for an answer that does not fit those before.
    func write(to connection: ServerConnection, _ stream: inout SeedStream) throws -> Bool

    /// Compares the answers with the stored state, and adopts the outcome of the unanswered request.
    /// - Throws: ``Breach`` for an answered change that is missing or stored twice.
    func settle(_ database: Database) throws
}

extension Writer {
    /// The object of an answer that must be a success.
    func responseObject(_ answer: ServerConnection.Answer, of what: String) throws -> JSONValue {
        let json = try JSONValue.parse(answer.body)
        try require(answer.status == 200 && json["status"] == "OK", "\(what) was refused: \(json)")
        return json["responseObject"] ?? .null
    }

    /// Sends a back-office request; nil if the server has died.
    func ask(
        _ connection: ServerConnection, _ path: String, _ object: JSONValue
    ) throws -> JSONValue? {
        let body = JSONValue.object(["requestObject": object]).encoded()
        return try connection.post("/rest/v3/\(path)", body).map { try responseObject($0, of: path) }
    }
}
