// SPDX-License-Identifier: Apache-2.0

import LabControl
public import LabCore
import LabPoints
public import LabVocabulary
public import PowerAuthShared
import SimulatedDevice
import Synchronization

/// The SDK objects of an app's process, one for each instance identifier, and the one that commands are for.
///
/// An object whose configuration was refused is kept as its refusal: the app keeps running, as one that checks the
/// failable initialiser, and each command of the SDK fails with the cause. After a refusal that was due to the device,
/// the object is made again for the next command, as an app does when protected data have become available.
///
/// Main queue only, as an app's own code would use the SDK.
public final class SDKObjects<SDK> {
    private let spec: PowerAuthSpec
    private let make: (PowerAuthSpec) throws -> SDK
    private var objects: [String: (spec: PowerAuthSpec, made: Result<SDK, InvalidConfiguration>)] = [:]
    private var usedInstance: String

    /// Called with the instance identifier before an object is let go: nothing else may hold it.
    public var willReplace: (String) -> Void = { _ in }

    /// Makes the object that the topology describes.
    /// - Parameter make: makes an SDK object; an `InvalidConfiguration` that it throws is kept.
    /// - Throws: any other error of `make`.
    public init(peer: Peer, make: @escaping (PowerAuthSpec) throws -> SDK) throws {
        spec = peer.app.powerAuth
        usedInstance = spec.instanceId
        self.make = make
        try create(spec)
    }

    /// The object that commands are for.
    /// - Throws: the cause when its configuration was refused.
    public func used() throws -> SDK {
        guard let object = objects[usedInstance] else { throw Self.unknown(usedInstance) }
        if case .failure(let cause) = object.made, cause.mayPass { try create(object.spec) }
        guard let made = objects[usedInstance]?.made else { throw Self.unknown(usedInstance) }
        return try made.get()
    }

    /// Registers `createSDK` and `useSDK` with a peer.
    /// - Parameter configuration: the configuration in use of an object.
    public func register(on peer: Peer, configuration: @escaping (SDK) -> PowerAuthConfiguration) {
        peer.handleSync(CreateSDK.self) { [self] arguments in
            try create(spec.changed(by: arguments))
            let configuration = try configuration(used())
            return CreateSDK.Result {
                $0.instanceId = configuration.instanceId
                $0.sharedMemoryIdentifier = configuration.sharingConfiguration?.sharedMemoryIdentifier
            }
        }
        peer.handleSync(UseSDK.self) { [self] arguments in
            let instance = arguments.instanceId ?? spec.instanceId
            guard objects[instance] != nil else { throw Self.unknown(instance) }
            usedInstance = instance
        }
    }

    private func create(_ spec: PowerAuthSpec) throws {
        let instance = spec.instanceId
        willReplace(instance)
        // First the end of the old object, which gives its locks back.
        objects[instance] = nil
        usedInstance = instance
        do {
            objects[instance] = (spec, .success(try make(spec)))
        } catch let cause as InvalidConfiguration {
            objects[instance] = (spec, .failure(cause))
        }
    }

    private static func unknown(_ instance: String) -> ControlError {
        .device(
            .wrongState,
            "the process has no SDK object with the instance identifier '\(instance)'; `createSDK` makes one")
    }
}

extension PowerAuthSpec {
    /// The configuration of `lab.yaml` with what the command gives.
    fileprivate func changed(by command: CreateSDK) throws -> PowerAuthSpec {
        var spec = self
        if let instanceId = command.instanceId { spec.instanceId = instanceId }
        let given = [command.appGroup, command.appIdentifier, command.sharedMemoryIdentifier].compactMap { $0 }
        guard spec.sharing != nil || given.isEmpty else {
            throw ControlError.badArgument("the app shares nothing; give it `sharing` in `lab.yaml`")
        }
        guard spec.sdk == .full2 || command.algorithm == nil else {
            throw ControlError.badArgument(
                "only SDK 2.0 chooses an `algorithm`; give the app `sdk: \"2.0\"` in `lab.yaml`")
        }
        if let algorithm = command.algorithm { spec.algorithm = algorithm }
        if let appGroup = command.appGroup { spec.sharing?.appGroup = appGroup }
        if let appIdentifier = command.appIdentifier { spec.sharing?.appIdentifier = appIdentifier }
        if let identifier = command.sharedMemoryIdentifier { spec.sharing?.sharedMemoryIdentifier = identifier }
        return spec
    }
}

extension PowerAuthConfiguration {
    /// The configuration that a topology gives to an app; what it leaves open comes from the lab's own server.
    /// - Parameter server: where the lab's server listens; asked only when the topology leaves something open.
    public convenience init(_ spec: PowerAuthSpec, server: () throws -> ServerReady) throws {
        try self.init(
            instanceId: spec.instanceId,
            baseEndpointUrl: spec.baseEndpointUrl ?? server().enrollmentURL,
            configuration: spec.configuration ?? server().configuration)
        sharingConfiguration = spec.sharing.map { sharing in
            let configuration = PowerAuthSharingConfiguration(
                appGroup: sharing.appGroup, appIdentifier: sharing.appIdentifier,
                keychainAccessGroup: sharing.keychainAccessGroup)
            configuration.sharedMemoryIdentifier = sharing.sharedMemoryIdentifier
            return configuration
        }
    }
}

extension PowerAuthKeychainConfiguration {
    /// The keychain settings that a topology gives to an app.
    public convenience init(_ spec: PowerAuthSpec) {
        self.init()
        keychainAttribute_AccessGroup = spec.keychainAccessGroup
        keychainAttribute_UserDefaultsSuiteName = spec.userDefaultsSuiteName
        linkBiometricItemsToCurrentSet = spec.biometryKey == .currentSet
        allowBiometricAuthenticationFallbackToDevicePasscode = spec.biometryKey == .anySetOrPasscode
    }
}

extension PowerAuthClientConfiguration {
    /// The settings of the HTTP client that a topology gives to an app.
    public convenience init(_ spec: PowerAuthSpec) {
        self.init()
        if let timeout = spec.requestTimeout { defaultRequestTimeout = timeout.seconds }
        switch spec.sslValidation {
        case .system: break
        case .noValidation: sslValidationStrategy = PowerAuthClientSslNoValidationStrategy()
        }
    }
}

/// The requests of the SDK that commands of a peer wait for, so that `cancelRequest` can end one at any moment.
///
/// Thread rule: commands are registered and carried out on the main queue; an SDK may report on any thread.
public final class RunningRequests: Sendable {
    private struct Request {
        let number: Int
        let command: String
        let fail: @Sendable (ControlError) -> Void
        /// Nil until the SDK has given it.
        var task: UncheckedTransfer<any PowerAuthOperationTask>?
    }

    private struct State {
        var count = 0
        var running: [Request] = []
    }

    private let peer: Peer
    private let state = Mutex(State())

    /// Registers `cancelRequest` with a peer.
    public init(peer: Peer) {
        self.peer = peer
        peer.handleSync(CancelRequest.self) { [self] in try cancel($0.command) }
    }

    /// Registers a command whose outcome comes from a request of the SDK.
    /// - Parameter start: starts the request with the given reply and gives its task; nil when it has ended already.
    public func handle<C: Command>(
        _ command: C.Type,
        _ start:
            @escaping (C, @escaping CommandDispatcher<Void>.Reply<C.Result>) throws -> (any PowerAuthOperationTask)?
    ) {
        peer.handle(command) { [self] arguments, reply in
            let number = begin(C.name) { reply(.failure($0)) }
            do {
                let task = try start(arguments) { [self] outcome in
                    if end(number) { return reply(outcome) }
                    peer.emit(
                        .log,
                        [
                            "level": "error",
                            "message": .string(
                                "The SDK has called the completion of `\(C.name)`, which was cancelled or had its answer."
                            ),
                        ])
                }
                if let task { keep(task, of: number) }
            } catch {
                _ = end(number)
                throw error
            }
        }
    }

    private func begin(_ command: String, _ fail: @escaping @Sendable (ControlError) -> Void) -> Int {
        state.withLock { state in
            state.count += 1
            state.running.append(Request(number: state.count, command: command, fail: fail))
            return state.count
        }
    }

    private func keep(_ task: any PowerAuthOperationTask, of number: Int) {
        let task = UncheckedTransfer(task)
        state.withLock { state in
            guard let index = state.running.firstIndex(where: { $0.number == number }) else { return }
            state.running[index].task = task
        }
    }

    /// True if the request had not ended before.
    private func end(_ number: Int) -> Bool {
        state.withLock { state in
            guard let index = state.running.firstIndex(where: { $0.number == number }) else { return false }
            state.running.remove(at: index)
            return true
        }
    }

    private func cancel(_ command: String?) throws {
        let request = state.withLock { state in
            state.running.last { $0.task != nil && (command == nil || $0.command == command) }
        }
        guard let request, let task = request.task?.value else {
            throw ControlError.device(
                .wrongState, "no request of \(command.map { "`\($0)`" } ?? "any command") is under way")
        }
        task.cancel()
        // A task that has reported already is no longer cancelled, and its command gets what was reported.
        guard task.isCancelled, end(request.number) else { return }
        request.fail(
            ControlError(
                .cancelled, message: "`cancelRequest` has cancelled the request of `\(request.command)`"))
    }
}
