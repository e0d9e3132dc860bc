// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabPeer
import LabPoints
import PowerAuth2
import WultraMobileTokenSDK
import WultraPowerAuthNetworking

/// An app's use of Mobile Token: one networking service, the services on top of it, and what their delegates report.
///
/// Main queue only, as the SDK's manual says.
final class MobileTokenApp {
    private let peer: Peer
    private let sdk: () throws -> PowerAuthSDK
    /// By the instance identifier of their SDK object.
    private var services: [String: Services] = [:]

    /// What the operations' delegate and watcher report goes into the trace.
    private lazy var reporter = OperationReporter(peer: peer)

    /// - Parameters:
    ///   - peer: the process.
    ///   - sdk: the app's SDK object; throws when it was refused.
    init(peer: Peer, sdk: @escaping () throws -> PowerAuthSDK) {
        self.peer = peer
        self.sdk = sdk
    }

    /// The services, which an app makes once and keeps.
    struct Services {
        let networking: WPNNetworkingService
        let operations: any WMTOperations
        let push: any WMTPush
        let inbox: any WMTInbox
        let watcher: WMTOperationExpirationWatcher
    }

    func ready() throws -> Services {
        let instance = try sdk().configuration.instanceId
        if let services = services[instance] { return services }
        let networking = try makeNetworking()
        let made = Services(
            networking: networking,
            operations: networking.createWMTOperations(pollingOptions: [.pauseWhenOnBackground]),
            push: networking.createWMTPush(), inbox: networking.createWMTInbox(),
            watcher: WMTOperationExpirationWatcher())
        made.operations.delegate = reporter
        made.watcher.delegate = reporter
        services[instance] = made
        return made
    }

    /// Lets the services of an SDK object go, which keep it alive.
    func forgetServices(ofInstance instance: String) { services[instance] = nil }

    /// A networking service of its own, in the language of the others. All of them take turns with signed requests.
    func makeNetworking() throws -> WPNNetworkingService {
        let sdk = try sdk()
        guard let url = URL(string: sdk.configuration.baseEndpointUrl) else {
            throw ControlError.badArgument(
                "`baseEndpointUrl` of '\(peer.app.name)' is no URL: '\(sdk.configuration.baseEndpointUrl)'.")
        }
        let spec = peer.app.powerAuth
        return WPNNetworkingService(
            powerAuth: sdk,
            config: WPNConfig(
                baseUrl: url,
                sslValidation: spec.sslValidation == .noValidation ? .noValidation : .default,
                timeoutIntervalForRequest: spec.requestTimeout?.seconds ?? 20),
            serviceName: "LabApp",
            acceptLanguage: services[sdk.configuration.instanceId]?.networking.acceptLanguage ?? "en")
    }

    /// What the last fetch, claim or detail brought.
    private(set) var known: [String: WMTUserOperation] = [:]

    /// Keeps operations for the commands that name them later.
    func remember(_ operations: [WMTUserOperation]) {
        for operation in operations { known[operation.id] = operation }
    }

    /// The operation to reject: as fetched before, or just named, as no data are sent.
    func operationToReject(_ id: String) -> any WMTOperation { known[id] ?? WMTLocalOperation(id: id, data: "") }

    /// The operation to approve: as given by its data, or as fetched before.
    /// - Throws: `ControlError` for one that was never fetched.
    func operation(_ id: String, data: String?) throws -> any WMTOperation {
        if let data { return WMTLocalOperation(id: id, data: data) }
        if let operation = known[id] { return operation }
        throw ControlError.badArgument(
            "The app has not fetched the operation '\(id)'; fetch it with `getOperations` or `getDetail`, or give its `data`."
        )
    }
}

/// Records in the trace what the Mobile Token SDK reports to the app.
private final class OperationReporter: WMTOperationsDelegate, WMTOperationExpirationWatcherDelegate {
    private let peer: Peer

    init(peer: Peer) { self.peer = peer }

    func operationsChanged(operations: [WMTUserOperation], removed: [WMTUserOperation], added: [WMTUserOperation]) {
        peer.emit(.operationsChanged, ["operations": ids(operations), "removed": ids(removed), "added": ids(added)])
    }

    func operationsFailed(error: WMTError) {
        peer.emit(.operationsFailed, ["reason": .string(error.reason.rawValue)])
    }

    func operationsLoading(loading: Bool) { peer.emit(.operationsLoading, ["loading": .bool(loading)]) }

    func operationsExpired(_ expiredOperations: [any WMTExpirableOperation]) {
        peer.emit(.operationsExpired, ["operations": ids(expiredOperations.compactMap { $0 as? WMTUserOperation })])
    }

    private func ids(_ operations: [WMTUserOperation]) -> JSONValue {
        .array(operations.map { .string($0.id) })
    }
}
