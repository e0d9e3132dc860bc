// SPDX-License-Identifier: Apache-2.0

public import LabCore

extension Vocabulary {
    static let sdkObjectCommands: [any Command.Type] = [CreateSDK.self, UseSDK.self]
    static let requestCommands: [any Command.Type] = [CancelRequest.self]
}

public struct CreateSDK: Command {
    public static let info = CommandInfo(
        "createSDK", of: [.app, .app2, .appExtension],
        "Makes an SDK object in the running process, in place of the one with the same instance identifier; later commands use it."
    )
    @Field("`instanceId` of its configuration; that of `lab.yaml` when left out.") public var instanceId: String?
    @Field("`appGroup` to share through; that of `lab.yaml` when left out.") public var appGroup: String?
    @Field("`appIdentifier` of the app among those that share; that of `lab.yaml` when left out.")
    public var appIdentifier: String?
    @Field(
        "`sharedMemoryIdentifier`; that of `lab.yaml` when left out, or computed.",
        limit: "1 to 4 of the characters A-Z a-z 0-9 - +")
    public var sharedMemoryIdentifier: String?
    @Field("`algorithm` of SDK 2.0, as an update of the app may change it; that of `lab.yaml` when left out.")
    public var algorithm: PowerAuthSpec.Algorithm?

    public struct Result: FieldObject {
        @Field(.instanceId) public var instanceId: String
        @Field("Identifier of the shared memory in use; nothing for an object that shares nothing.")
        public var sharedMemoryIdentifier: String?
        public init() {}
    }
    public init() {}
}

public struct UseSDK: Command {
    public static let info = CommandInfo(
        "useSDK", of: [.app, .app2, .appExtension],
        "Lets later commands use an SDK object that the process has made before.")
    @Field("Its instance identifier; that of the object made at the start when left out.")
    public var instanceId: String?
    public init() {}
}

public struct CancelRequest: Command {
    public static let info = CommandInfo(
        "cancelRequest", of: .allApps,
        "Cancels the request that another command of the app waits for, wherever it is; that command fails with `cancelled`."
    )
    @Field("Name of the command that waits; the one that was given last when left out.") public var command: String?
    public init() {}
}
