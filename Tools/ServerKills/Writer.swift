import Foundation
import GRDB
import LabKit

/// Somebody who asks the server for changes, one after the other, and remembers what was asked and answered.
///
/// Thread rule: one thread at a time.
protocol Writer: AnyObject {
    /// Asks for one change.
    /// - Returns: false when the server was gone before it had answered.
    /// - Throws: ``Breach`` for an answer that does not fit those before.
    func write(to connection: ServerConnection, _ stream: inout SeedStream) throws -> Bool

    /// Compares what was answered with what is stored, and takes over what became of the request without an answer.
    /// - Throws: ``Breach`` for an answered change that is not there, and for one that is there twice.
    func settle(_ database: Database) throws
}

extension Writer {
    /// The object of an answer that must be a success.
    func responseObject(_ answer: ServerConnection.Answer, of what: String) throws -> JSONValue {
        let json = try JSONValue.parse(answer.body)
        try expect(answer.status == 200 && json["status"] == "OK", "\(what) was refused: \(json)")
        return json["responseObject"] ?? .null
    }

    /// Sends a back-office request; nil when the server was gone.
    func ask(
        _ connection: ServerConnection, _ path: String, _ object: JSONValue
    ) throws -> JSONValue? {
        let body = JSONValue.object(["requestObject": object]).encoded()
        return try connection.post("/rest/v3/\(path)", body).map { try responseObject($0, of: path) }
    }
}
