// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Requests, complete with their head.
enum HTTPRequestBytes {
    static func post(_ path: String, _ body: [UInt8], headers: [String: String] = [:]) -> [UInt8] {
        var head = """
            POST \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json\r\n
            """
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        return Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body
    }
}

/// Single calls outside the measurement.
struct HTTPCall {
    let server: ServerAddress

    func post<Answer: Decodable>(_ path: String, _ body: some Encodable) throws -> Answer {
        try post(path, body: JSONEncoder().encode(body))
    }

    func post<Answer: Decodable>(_ path: String, body: Data, headers: [String: String] = [:]) throws -> Answer {
        try JSONDecoder().decode(Answer.self, from: Data(text(path, body: body, headers: headers).utf8))
    }

    /// The body of the answer.
    func text(_ path: String, body: Data, headers: [String: String]) throws -> String {
        let connection = try Connection(server)
        try connection.send(HTTPRequestBytes.post(server.path + path, Array(body), headers: headers))
        var answer = try connection.receive()
        while answer == nil { answer = try connection.receive() }
        let text = String(decoding: answer ?? [], as: UTF8.self)
        guard text.hasPrefix("HTTP/1.1 200"), let end = text.range(of: "\r\n\r\n") else {
            throw LoadFailure("\(path) was answered with \(text)")
        }
        let rest = text[end.upperBound...]
        guard text[..<end.lowerBound].lowercased().contains("transfer-encoding: chunked") else { return String(rest) }
        return Self.unchunked(rest)
    }

    /// The content of a chunked body, each chunk after its length.
    private static func unchunked(_ body: Substring) -> String {
        var (content, rest) = ([UInt8](), Array(body.utf8)[...])
        while let end = rest.firstIndex(of: 0x0A) {
            let digits = String(decoding: rest[..<end], as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            guard let size = Int(digits, radix: 16), size > 0 else { break }
            content += rest[(end + 1)...].prefix(size)
            rest = rest.dropFirst(end + 1 - rest.startIndex + size + 2)
        }
        return String(decoding: content, as: UTF8.self)
    }
}
