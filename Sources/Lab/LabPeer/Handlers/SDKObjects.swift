public import LabKit
public import PowerAuthShared

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
    ///
    /// - Parameters:
    ///   - peer: the process.
    ///   - make: makes an SDK object; an `InvalidConfiguration` that it throws is kept.
    /// - Throws: any other error of `make`.
    public init(peer: Peer, make: @escaping (PowerAuthSpec) throws -> SDK) throws {
        spec = peer.app.powerAuth
        usedInstance = spec.instanceId
        self.make = make
        try create(spec)
    }

    /// The object that commands are for.
    ///
    /// - Throws: the cause when its configuration was refused.
    public func used() throws -> SDK {
        guard let object = objects[usedInstance] else { throw Self.unknown(usedInstance) }
        if case .failure(let cause) = object.made, cause.mayPass { try create(object.spec) }
        guard let made = objects[usedInstance]?.made else { throw Self.unknown(usedInstance) }
        return try made.get()
    }

    /// Registers `createSDK` and `useSDK` with a peer.
    ///
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
        if let appGroup = command.appGroup { spec.sharing?.appGroup = appGroup }
        if let appIdentifier = command.appIdentifier { spec.sharing?.appIdentifier = appIdentifier }
        if let identifier = command.sharedMemoryIdentifier { spec.sharing?.sharedMemoryIdentifier = identifier }
        return spec
    }
}
