import Foundation
import LabKit
import LabSystem
import PowerAuthServer

/// A server on its own: prints where it listens, ends with SIGTERM or SIGINT.
struct StandaloneServer {
    let directory: String
    let port: Int
    let application: String
    let readyFile: String?

    /// Blocks until the server has stopped.
    func run() throws {
        var configuration = ServerConfiguration(directory: directory)
        configuration.port = port
        configuration.applicationId = application
        let server = try LabServer(configuration: configuration, clock: SystemClock())
        try Stopping.onSignal {
            Stopping.watchdog()
            server.stop()
        }
        let readyFile = readyFile
        try Foreground.run {
            try await server.run { listening in
                let ready = ServerReady(listening)
                // Straight to the descriptor: a reader of a pipe must not wait for a buffer to fill.
                FileHandle.standardOutput.write(
                    Data(
                        """
                        listening on     \(ready.baseURL)
                        mobile API       \(ready.enrollmentURL)/pa/v3
                        back-office API  \(ready.backOfficeURL)/rest/v3
                        application      \(ready.applicationId)
                        SDK config       \(ready.configuration)

                        """.utf8))
                guard let readyFile else { return }
                do {
                    try Files.write(JSONValue(encoding: ready).encoded(), to: readyFile)
                } catch {
                    Stopping.fail("cannot write \(readyFile): \(error)")
                }
            }
        }
    }
}
