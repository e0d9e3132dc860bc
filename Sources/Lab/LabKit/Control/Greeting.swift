import Foundation

/// How a control client and a server meet.
///
/// A client says hello on each new connection and sends requests after the server's welcome, so that the server knows
/// all clients that it must notify before it ends.
enum Greeting {
    /// What the client says first.
    static let hello = Data(#"{"hello":true}"#.utf8)

    /// The server's answer: which process it is.
    static func welcome(pid: Int32) -> JSONValue { .object(["welcome": .integer(Int64(pid))]) }

    /// Reads the server's answer; nil if it is not a welcome.
    static func pid(in json: JSONValue) -> Int32? { json["welcome"]?.integerValue.flatMap { Int32(exactly: $0) } }
}
