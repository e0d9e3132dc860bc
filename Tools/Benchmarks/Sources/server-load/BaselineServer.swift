// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Hummingbird

/// The minimum work of any server of this kind: Hummingbird reads a request, one row is updated and committed in
/// SQLite with the lab server's settings, and a constant is the answer.
struct BaselineServer {
    /// The argument that makes this program the baseline.
    static let argument = "--baseline"
    /// The answer to every request: a verdict like the lab server's.
    static let answer = """
        {"responseObject":{"activationFlags":[],"activationId":"7f2c9a52-4d0e-4b6c-9d27-3f8d1b6e0a11",\
        "activationStatus":"ACTIVE","applicationId":"lab","applicationRoles":[],"blockedReason":null,\
        "remainingAttempts":5,"signatureType":"POSSESSION_KNOWLEDGE","signatureValid":true,"userId":"load"},"status":"OK"}
        """

    /// The work between request and answer.
    enum Work: Equatable {
        case constant, update
        /// Like constant, with an answer of the given number of bytes.
        case long(bytes: Int)

        var path: String {
            switch self {
            case .constant: "/constant"
            case .update: "/update"
            case .long(let bytes): "/constant/\(bytes)"
            }
        }
    }

    let directory: String

    /// Prints its address like the lab server, and answers until it is ended.
    func run() async throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let database = try Self.open(directory + "/baseline.sqlite")
        let answer = ByteBuffer(string: Self.answer)
        @Sendable func response() -> Response {
            Response(
                status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: answer))
        }
        let router = Router()
        router.post(RouterPath(Work.constant.path)) { request, _ in
            _ = try await request.body.collect(upTo: 65536)
            return response()
        }
        router.post("/constant/{bytes}") { request, context in
            _ = try await request.body.collect(upTo: 65536)
            let bytes = context.parameters.get("bytes", as: Int.self) ?? 0
            // Blanks after JSON are not part of it.
            var long = answer
            long.writeRepeatingByte(0x20, count: max(0, bytes - answer.readableBytes))
            return Response(
                status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: long))
        }
        router.post(RouterPath(Work.update.path)) { request, _ in
            _ = try await request.body.collect(upTo: 65536)
            try await database.write { database in
                try database.cachedStatement(
                    sql: "UPDATE activation SET counter = counter + 1, ctr_data = ?, t_last_used = ? WHERE id = ?"
                ).execute(arguments: [Data(count: 16), 1, "activation-7"])
            }
            return response()
        }
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                // Directly to the descriptor: the reader of the pipe must not wait for a full buffer.
                let line = "listening on     http://127.0.0.1:\(channel.localAddress?.port ?? 0)\n"
                FileHandle.standardOutput.write(Data(line.utf8))
            })
        try await application.runService()
    }

    private static func open(_ path: String) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
            // Its log has no checkpoints, which can only help it.
            try database.execute(sql: "PRAGMA wal_autocheckpoint = 0")
        }
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE activation (id TEXT PRIMARY KEY, counter INTEGER, ctr_data BLOB, t_last_used INTEGER)
                    """)
            for number in 0..<64 {
                try database.execute(
                    sql: "INSERT INTO activation VALUES (?, 0, NULL, 0)", arguments: ["activation-\(number)"])
            }
        }
        return pool
    }
}
