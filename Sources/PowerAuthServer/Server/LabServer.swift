import Foundation
import Hummingbird
import Logging
import NIOCore

/// A PowerAuth server and the mobile-facing server in front of it, in one process.
///
/// Thread rule: any thread. ``run(onListening:)`` returns when ``stop()`` was called or listening failed.
public final class LabServer: Sendable {
    /// Where a listening server is reached.
    public struct Listening: Sendable {
        /// The port on the configured host.
        public let port: Int
        /// The identifier of the first application.
        public let applicationId: String
        /// What the mobile SDK of that application is configured with.
        public let mobileSdkConfig: String
    }

    let services: ServerServices
    let workers: WorkerThreads
    private let configuration: ServerConfiguration
    private let faults: ServerFaults
    private let journal: (any ServerJournal)?
    private let application: (id: String, mobileSdkConfig: String)
    private let task = StoppableTask()

    /// Opens the database, and creates the first application if there is none. Blocks.
    /// - Parameters:
    ///   - configuration: where and how.
    ///   - clock: what every window, expiry and time stamp is measured with.
    ///   - journal: told about everything that happens.
    ///   - faults: where a lab interferes.
    /// - Throws: whatever keeps the database from being opened, in words for the operator.
    public init(
        configuration: ServerConfiguration, clock: any ServerClock = SystemClock(),
        journal: (any ServerJournal)? = nil, faults: ServerFaults = ServerFaults()
    ) throws {
        self.configuration = configuration
        self.journal = journal
        self.faults = faults
        services = try ServerServices(
            configuration: configuration, clock: clock, journal: journal, faults: faults)
        application = try services.firstApplication(id: configuration.applicationId)
        workers = WorkerThreads(count: configuration.workerThreads)
    }

    /// Listens and answers until ``stop()``.
    /// - Parameter onListening: called once, on a thread of the event loop, when connections are accepted.
    /// - Throws: when the port cannot be bound.
    public func run(onListening: @escaping @Sendable (Listening) -> Void) async throws {
        var logger = Logger(label: "lab-server")
        logger.logLevel = .error
        let frontend = httpApplication(logger: logger) { port in
            self.journal?.record(.started(port: port, applicationId: self.application.id), operation: nil)
            onListening(
                Listening(
                    port: port, applicationId: self.application.id, mobileSdkConfig: self.application.mobileSdkConfig))
        }
        try await task.run { try await frontend.run() }
        journal?.record(.stopped, operation: nil)
        try services.context.database.close()
    }

    /// Stops listening; requests that are being answered get their answer. Returns at once.
    public func stop() {
        task.cancel()
    }

    /// The Hummingbird application.
    /// - Parameter onPort: called with the port when it listens.
    func httpApplication(
        logger: Logger, onPort: @escaping @Sendable (Int) -> Void = { _ in }
    ) -> Hummingbird.Application<RouterResponder<BasicRequestContext>> {
        let frontend = HTTPFrontend(
            endpoints: services.endpoints, workers: workers, journal: journal,
            faults: .init(requestReceived: faults.requestReceived, responseSent: faults.responseSent))
        return Hummingbird.Application(
            router: frontend.router(),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port), serverName: "lab-server"),
            onServerRunning: { channel in onPort(channel.localAddress?.port ?? 0) },
            logger: logger)
    }
}

/// A task that can be cancelled from outside, also before it runs.
///
/// Thread rule: any thread; the state is guarded by the lock.
private final class StoppableTask: @unchecked Sendable {
    private let lock = NSLock()
    // Guarded by `lock`, which is what makes the class safe to share.
    private var task: Task<Void, any Error>?
    private var isCancelled = false

    func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let task = lock.withLock { () -> Task<Void, any Error>? in
            guard !isCancelled else { return nil }
            let task = Task { try await body() }
            self.task = task
            return task
        }
        do {
            try await task?.value
        } catch is CancellationError {
            // Asked for by `cancel`.
        }
    }

    func cancel() {
        lock.withLock {
            isCancelled = true
            task?.cancel()
        }
    }
}
