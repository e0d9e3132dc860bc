// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPConnections
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import LabCore
import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle
import Synchronization

/// A PowerAuth server and the mobile-facing server in front of it, in one process.
///
/// Thread rule: any thread. ``run(onListening:)`` returns when ``stop()`` was called or listening failed.
public final class LabServer: Sendable {
    /// A server that listens, and the application that waits for devices.
    public struct Listening: Sendable {
        /// The root of all services.
        public let baseURL: String
        /// The port on the configured host.
        public let port: Int
        /// The identifier of the first application.
        public let applicationId: String
        /// The mobile SDK configuration of that application.
        public let mobileSdkConfig: String
        /// The same with the master keys of protocol 4, for SDK 2.0.
        public let mobileSdkConfigV4: String
        /// The certificate of the authority to trust; nil for plain HTTP.
        public let certificateAuthorityPath: String?
        /// The credentials of the back office; nil when it is open.
        public let credentials: Credentials?
        /// Who can reach the server, and with which access.
        public let exposure: ListenPolicy
        /// The access token of `/lab`; nil for a server without lab powers.
        public let labAccess: LabAccess?
    }

    /// User name and password of HTTP Basic for the back office.
    public struct Credentials: Sendable {
        /// The `clientToken` of an integration.
        public let userName: String
        /// Its `clientSecret`.
        public let password: String
    }

    /// The server cannot accept connections at the wanted address.
    public struct ListeningFailure: Error, CustomStringConvertible {
        /// The address and port.
        public let address: String
        /// The message of the operating system.
        public let cause: String

        public var description: String {
            "cannot listen on \(address): \(cause). Stop the process that uses the port, or choose another one."
        }
    }

    let services: ServerServices
    let workers: WorkerThreads
    private let configuration: ServerConfiguration
    private let faults: ServerFaults
    let journal: (any ServerJournal)?
    private let metrics = ServerMetrics()
    /// The lab's control over the server; nil for a server without lab powers.
    let powers: TestControls?
    /// Who may use them.
    let labAccess: LabAccess?
    private let certificates: LabCertificates?
    private let exposure: ListenPolicy
    let credentials: Credentials?
    /// Whether the stop of the server is in the journal.
    private let isStopNoted = Flag()
    private let application: ServerServices.FirstApplication
    private let shutdown = GracefulShutdown()

    /// Opens the database, and creates the first application if it has no application. Blocks.
    /// - Parameters:
    ///   - configuration: where and how.
    ///   - clock: used for every window, expiry and time stamp.
    ///   - journal: receives all events.
    ///   - faults: the fault points of a lab.
    ///   - pushGateway: delivers notifications to devices; without one they are only recorded.
    /// - Throws: ``ListenPolicy/Refusal`` for a server that would be open to the network; errors of opening the
    ///   database, with messages for the operator.
    public init(
        configuration: ServerConfiguration, clock: any ServerClock, journal: (any ServerJournal)? = nil,
        faults: ServerFaults = ServerFaults(), pushGateway: (any PushGateway)? = nil
    ) throws {
        self.configuration = configuration
        exposure = try ListenPolicy(configuration)
        let journal = CompositeJournal(journals: [metrics] + (journal.map { [$0] } ?? []))
        self.journal = journal
        self.faults = faults
        let record = try configuration.requestRecordPath.map { try RequestRecord(path: $0) }
        powers = configuration.hasLabPowers ? TestControls(record: record) : nil
        services = try ServerServices(
            configuration: configuration, clock: clock, journal: journal, faults: faults,
            pushGateway: pushGateway, labIdentityProvider: powers?.identityProvider)
        labAccess = try powers.map { _ in try LabAccess(directory: configuration.directory) }
        certificates = try configuration.certificate.map { _ in
            try LabCertificates(directory: configuration.directory + "/tls", now: clock.now())
        }
        credentials = try services.firstIntegration()
        application = try services.firstApplication(
            id: configuration.applicationId, hasDefaultTemplates: configuration.hasDefaultTemplates)
        try ConfiguredTemplates(context: services.context)
            .store(configuration.operationTemplates, configuration.uiTemplates)
        workers = WorkerThreads(count: configuration.workerThreads)
    }

    /// Listens and answers until ``stop()``.
    /// - Parameters:
    ///   - port: another port than the configured one.
    ///   - onListening: called once, on a thread of the event loop, when connections are accepted.
    /// - Throws: when the port cannot be bound; another call with another port is possible then.
    public func run(port: Int? = nil, onListening: @escaping @Sendable (Listening) -> Void) async throws {
        var logger = Logger(label: "lab-server")
        // What goes wrong in a request is in the journal; what is left is noise of closed connections.
        logger.logLevel = .critical
        let isListening = Flag()
        let frontend = try httpApplication(port: port, logger: logger) { port in
            isListening.raise()
            self.journal?.record(.started(port: port, applicationId: self.application.id), operation: nil)
            let baseURL = self.exposure.url(port: port)
            self.powers?.identityProvider.listens(at: baseURL)
            onListening(
                Listening(
                    baseURL: baseURL, port: port, applicationId: self.application.id,
                    mobileSdkConfig: self.application.mobileSdkConfig,
                    mobileSdkConfigV4: self.application.mobileSdkConfigV4,
                    certificateAuthorityPath: self.certificates?.authorityPath, credentials: self.credentials,
                    exposure: self.exposure, labAccess: self.labAccess))
        }
        let context = services.context
        // They end one after the other, the last one first, and each can use those before it until it has ended.
        let group = ServiceGroup(
            services: [context.database, context.pushes, JobThread(context), frontend], logger: logger)
        let hasRun: Bool
        do {
            hasRun = try await shutdown.run(group)
        } catch {
            guard !isListening.isRaised else { throw error }
            throw ListeningFailure(address: "\(configuration.host):\(port ?? configuration.port)", cause: "\(error)")
        }
        noteStop()
        if !hasRun { try await context.database.end() }
    }

    /// Stops listening; requests that are being answered get their answer. Returns at once.
    public func stop() { shutdown.trigger() }

    /// Records in the journal that the server has stopped, once: for a process that ends with open connections.
    public func noteStop() {
        guard isStopNoted.raise() else { return }
        journal?.record(.stopped, operation: nil)
    }

    var endpoints: [Endpoint] {
        let labEndpoints =
            powers.map {
                LabEndpoints(
                    context: services.context, powers: $0,
                    snapshots: SnapshotService(
                        database: services.context.database, directory: configuration.directory + "/snapshots")
                ).endpoints
            } ?? []
        let integrations = IntegrationEndpoints(service: IntegrationService(context: services.context))
        let described =
            services.endpoints
            + labEndpoints.map { LabIdentityEndpoints.isOpen($0) ? $0 : guarded(integrations.restricted($0)) }
        let held = described.map { $0.holdingLengths() }
        let monitoring = MonitoringEndpoints(
            context: services.context, names: services.names, metrics: metrics, described: held)
        return held + monitoring.endpoints
    }

    /// The same resource of `/lab`, restricted to requests with its token, or the one that opens the sign-in page.
    private func guarded(_ endpoint: Endpoint) -> Endpoint {
        guard let labAccess, let provider = powers?.identityProvider else { return endpoint }
        return endpoint.admitting { request in
            guard labAccess.admits(request) || LabIdentityEndpoints.mayBrowse(request, to: provider) else {
                throw ErrorResponse.labToken
            }
        }
    }

    /// - Parameter onPort: called with the port when it listens.
    /// - Throws: when the certificate cannot be made.
    func httpApplication(
        port: Int? = nil, logger: Logger, onPort: @escaping @Sendable (Int) -> Void = { _ in }
    ) throws -> Hummingbird.Application<AnyMethodRouter.Responder> {
        let frontend = HTTPFrontend(
            endpoints: endpoints, workers: workers, waitingRoom: services.waitingRoom, clock: services.context.clock,
            journal: journal, faults: faults, lab: powers,
            browserGuard: BrowserGuard(hostNames: configuration.hostNames + [configuration.host]),
            correlationHeader: configuration.correlationHeader, reading: services.context.policy.reading)
        return Hummingbird.Application(
            router: frontend.router(), server: try transport(),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: port ?? configuration.port), serverName: "lab-server"),
            onServerRunning: { channel in onPort(channel.localAddress?.port ?? 0) }, logger: logger)
    }

    /// HTTP, within TLS when a certificate is shown.
    private func transport() throws -> HTTPServerBuilder {
        let http = HTTPServerBuilder.persistentHTTP1(configuration.limits.ofConnections)
        guard let certificates, let kind = configuration.certificate else { return http }
        let tlsConfiguration: TLSConfiguration
        let now = services.context.clock.now()
        if let lab = powers {
            tlsConfiguration = try certificates.configuration(kind, for: exposure.hosts, now: now) {
                lab.faults.hitConnection()
            }
        } else {
            tlsConfiguration = try certificates.configuration(kind, for: exposure.hosts, now: now)
        }
        return try .tls(http, tlsConfiguration: tlsConfiguration)
    }
}

/// Something that becomes true once. Thread rule: any thread.
private final class Flag: Sendable {
    private let value = Atomic(false)

    var isRaised: Bool { value.load(ordering: .acquiring) }

    /// - Returns: whether it became true by this call.
    @discardableResult func raise() -> Bool { !value.exchange(true, ordering: .acquiringAndReleasing) }
}

/// Ends a service group from outside, even if requested before the group runs.
///
/// Thread rule: any thread.
final class GracefulShutdown: Sendable {
    private let state = Mutex<(group: ServiceGroup?, isTriggered: Bool)>((nil, false))

    /// Runs the group until it ends by itself or by ``trigger()``.
    /// - Returns: false, with nothing run, if ``trigger()`` was called before.
    func run(_ group: ServiceGroup) async throws -> Bool {
        let isTooLate = state.withLock { state in
            state.group = group
            return state.isTriggered
        }
        if !isTooLate { try await group.run() }
        return !isTooLate
    }

    /// Lets the group stop taking connections and finish the requests it has. Returns at once.
    func trigger() {
        let group = state.withLock { state in
            state.isTriggered = true
            return state.group
        }
        guard let group else { return }
        Task { await group.triggerGracefulShutdown() }
    }
}
