// SPDX-License-Identifier: Apache-2.0

public import Hummingbird
public import HummingbirdCore
import Logging
import ServiceLifecycle

/// Runs a test while a server of the test's own listens on a port of this machine; given the port.
///
/// - Throws: what the test throws, or ``NotListening``. The server has ended then.
public func serving(
    _ router: Router<BasicRequestContext>, over server: HTTPServerBuilder = .http1(), _ body: (Int) async throws -> Void
) async throws {
    let (ports, found) = AsyncStream<Int>.makeStream()
    let application = Application(
        router: router, server: server,
        configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
        onServerRunning: { channel in
            if let port = channel.localAddress?.port { found.yield(port) }
            found.finish()
        },
        logger: Logger(label: "tests"))
    let services = ServiceGroup(
        configuration: ServiceGroupConfiguration(services: [application], logger: application.logger))
    try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask {
            // Without a port the stream ends here, so that no task waits for one.
            defer { found.finish() }
            try await services.run()
        }
        guard let port = await ports.first(where: { _ in true }) else { throw NotListening() }
        do {
            try await body(port)
        } catch {
            await services.triggerGracefulShutdown()
            throw error
        }
        await services.triggerGracefulShutdown()
    }
}

/// The server could not listen on loopback.
public struct NotListening: Error {}
