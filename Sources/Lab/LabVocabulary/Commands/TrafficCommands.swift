// SPDX-License-Identifier: Apache-2.0

public import LabCore

extension Vocabulary {
    /// Commands about what goes over the network between apps and server, and what goes wrong with it.
    static let trafficCommands: [any Command.Type] = [
        SlowAnswers.self, FailRequests.self, DropConnections.self, CorruptAnswers.self, EditAnswers.self,
        ShowWrongCertificate.self, HealTraffic.self, ListTrafficFaults.self, ListRequests.self,
    ]
}

/// A resource that apps ask, by its path below `/pa/v3/` and `/pa/v4/`; those of the Mobile Token API by the path below
/// `/api/`, or below `/api/auth/token/app/`.
public enum MobileEndpoint: String, Choice {
    case activationCreate = "activation/create"
    case activationDetail = "activation/detail"
    case activationRemove = "activation/remove"
    case activationRename = "activation/rename"
    case activationStatus = "activation/status"
    case keystoreCreate = "keystore/create"
    case recoveryConfirm = "recovery/confirm"
    case signatureValidate = "signature/validate"
    case status
    case tokenCreate = "token/create"
    case tokenRemove = "token/remove"
    case upgradeCommit = "upgrade/commit"
    case upgradeStart = "upgrade/start"
    case userInfo = "user/info"
    case vaultUnlock = "vault/unlock"
    case activationConfirm = "activation/confirm"
    case authValidate = "auth/validate"
    case passwordChange = "password/change"
    case biometryAdd = "biometry/add"
    case biometryRemove = "biometry/remove"
    case upgradeConfirm = "upgrade/confirm"
    case operationList = "operation/list"
    case operationHistory = "operation/history"
    case operationDetail = "operation/detail"
    case operationClaim = "operation/detail/claim"
    case operationAuthorize = "operation/authorize"
    case operationCancel = "operation/cancel"
    case pushRegister = "push/device/register/token"
    case inboxCount = "inbox/count"
    case inboxList = "inbox/message/list"
    case inboxDetail = "inbox/message/detail"
    case inboxRead = "inbox/message/read"
    case inboxReadAll = "inbox/message/read-all"
    /// All of them.
    case any = "*"

    /// The path that the server answers at; `*` stands for any text, and `|` stands between alternatives.
    public var path: String {
        switch self {
        case .any: "/pa/v3/*|/pa/v4/*|/api/*"
        case .operationList, .operationHistory, .operationDetail, .operationClaim, .operationAuthorize,
            .operationCancel:
            "/api/auth/token/app/" + rawValue
        case .pushRegister, .inboxCount, .inboxList, .inboxDetail, .inboxRead, .inboxReadAll: "/api/" + rawValue
        default: "/pa/v3/\(rawValue)|/pa/v4/\(rawValue)"
        }
    }
}

/// A fault of the network that was armed.
public struct ArmedTrafficFault: FieldObject {
    @Field(.faultId) public var id: String
    public init() {}
}

public struct SlowAnswers: Command {
    public static let info = CommandInfo(
        "slow", of: .server, "Lets requests wait before the server works on them, by the lab's clock.",
        endedBy: HealTraffic.self, countedBy: ListTrafficFaults.self)
    @Field(.faultEndpoint) public var endpoint: MobileEndpoint
    @Field("How long each waits; `advance` ends it.", limit: .upTo(.minutes(10))) public var by: LabDuration
    @Field(.faultTimes, limit: .atLeast(1)) public var times: Int?
    @Field(.faultSkip, limit: .atLeast(0)) public var skip: Int = 0
    public typealias Result = ArmedTrafficFault
    public init() {}
}

public struct FailRequests: Command {
    public static let info = CommandInfo(
        "fail", of: .server, "Answers requests with an HTTP status, without doing anything.",
        endedBy: HealTraffic.self, countedBy: ListTrafficFaults.self)
    @Field(.faultEndpoint) public var endpoint: MobileEndpoint
    @Field("The HTTP status.", limit: .between(200, 599)) public var status: Int = 503
    @Field("The code in the error of the answer; `ERROR_GENERIC` when left out.") public var code: String?
    @Field("The message in the error of the answer; a general one when left out.") public var message: String?
    @Field("The whole body in place of the error: a text is sent as it is, any other value as JSON.")
    public var body: JSONValue?
    @Field(
        "The media type of the body; `application/json` when left out.",
        limit: "1 to 255 printable characters of ASCII")
    public var contentType: String?
    @Field(.faultTimes, limit: .atLeast(1)) public var times: Int?
    @Field(.faultSkip, limit: .atLeast(0)) public var skip: Int = 0
    public typealias Result = ArmedTrafficFault
    public init() {}
}

public struct DropConnections: Command {
    public static let info = CommandInfo(
        "drop", of: .server, "Breaks the connections of requests.", endedBy: HealTraffic.self,
        countedBy: ListTrafficFaults.self)
    @Field(.faultEndpoint) public var endpoint: MobileEndpoint
    /// Where a connection breaks.
    public enum Moment: String, Choice {
        case request, answer
    }
    @Field(
        "`request`: the server never learns of it. `answer`: the server has done its part, and the app never learns.")
    public var lost: Moment = .request
    @Field(.faultTimes, limit: .atLeast(1)) public var times: Int?
    @Field(.faultSkip, limit: .atLeast(0)) public var skip: Int = 0
    public typealias Result = ArmedTrafficFault
    public init() {}
}

public struct CorruptAnswers: Command {
    public static let info = CommandInfo(
        "corrupt", of: .server, "Changes a byte in the middle of answers.", endedBy: HealTraffic.self,
        countedBy: ListTrafficFaults.self)
    @Field(.faultEndpoint) public var endpoint: MobileEndpoint
    @Field(.faultTimes, limit: .atLeast(1)) public var times: Int?
    @Field(.faultSkip, limit: .atLeast(0)) public var skip: Int = 0
    public typealias Result = ArmedTrafficFault
    public init() {}
}

public struct EditAnswers: Command {
    public static let info = CommandInfo(
        "edit", of: .server,
        "Edits the JSON of answers before they leave: first `remove`, then `replace`, then `add`.",
        endedBy: HealTraffic.self, countedBy: ListTrafficFaults.self)
    @Field(.faultEndpoint) public var endpoint: MobileEndpoint
    /// Which JSON of an answer is edited.
    public enum Part: String, Choice {
        case content, outer, body
    }
    @Field(
        "`content`: what is encrypted in the answer, in its innermost layer, or the body where nothing is. `outer`: the outer of two encrypted layers. `body`: the body as it is sent, with what is encrypted in it."
    )
    public var part: Part = .content
    @Field(
        "Members and elements of lists that are removed, by their paths; an answer without one leaves unchanged, and the scenario fails.",
        limit: "names of members, and indices of elements from 0, with dots between them, such as `list.0.status`")
    public var remove: [String]?
    @Field("New values of members and elements that are there, by their paths.")
    public var replace: [String: JSONValue]?
    @Field(
        "Values of members that are not there, by their paths; an element comes before the one with its index, or at the end of its list."
    )
    public var add: [String: JSONValue]?
    @Field(.faultTimes, limit: .atLeast(1)) public var times: Int?
    @Field(.faultSkip, limit: .atLeast(0)) public var skip: Int = 0
    public typealias Result = ArmedTrafficFault
    public init() {}
}

public struct ShowWrongCertificate: Command {
    public static let info = CommandInfo(
        "wrongCertificate", of: .server, "Shows new connections another certificate than the right one.",
        endedBy: HealTraffic.self, countedBy: ListTrafficFaults.self)
    /// What is wrong with the certificate; the words are those of `tls` in `lab.yaml`.
    public enum Kind: String, Choice {
        case expired
        case selfSigned = "self-signed"
        case wrongHost = "wrong-host"
    }
    @Field("What is wrong with it.") public var kind: Kind = .selfSigned
    @Field("How many connections see it; all when left out.", limit: .atLeast(1)) public var times: Int?
    public typealias Result = ArmedTrafficFault
    public init() {}
}

public struct HealTraffic: Command {
    public static let info = CommandInfo(
        "heal", of: [.server, .link],
        "Ends all faults of the network or the link, or one; they need not have fired.")
    @Field(.faultToEnd) public var id: String?
    public init() {}
}

public struct ListTrafficFaults: Command {
    public static let info = CommandInfo(
        "trafficFaults", of: [.server, .link], "Lists the faults of the network or the link.")

    public struct Fault: FieldObject {
        @Field(.faultId) public var id: String
        @Field("How many requests, connections or messages it was about.") public var matched: Int
        @Field("How many it has hit.") public var fired: Int
        @Field("Why an answer could not be edited, of the newest one for which that is so.")
        public var mistake: String?
        public init() {}
    }
    public typealias Result = [Fault]
    public init() {}
}

public struct ListRequests: Command {
    public static let info = CommandInfo(
        "requests", of: .server, "Lists the requests of apps, oldest first, with what was encrypted in them.")
    @Field("Only those for this resource.") public var endpoint: MobileEndpoint = .any
    @Field("Only those after the request of this number.", limit: .atLeast(0)) public var after: Int = 0

    public struct Request: FieldObject {
        @Field("Number of the request since the server started, from 1.") public var number: Int
        @Field(.httpMethod) public var method: String
        @Field("Path below the mount point.") public var path: String
        @Field("Header fields by their names.") public var headers: [String: JSONValue]
        @Field("The body as it was sent: JSON, else text.") public var body: JSONValue
        @Field("What was encrypted in the body; nothing when nothing was.") public var decrypted: JSONValue
        @Field("The status that was answered; nothing when the connection was broken.") public var status: Int?
        @Field("What was encrypted in the answer; nothing when nothing was.") public var decryptedAnswer: JSONValue
        @Field("The body of an answer in which nothing was encrypted: JSON, else text; nothing when it was empty.")
        public var answer: JSONValue
        @Field(.faultId) public var fault: String?
        public init() {}
    }

    public struct Result: FieldObject {
        @Field("How many there were.") public var count: Int
        @Field("The requests.") public var requests: [Request]
        public init() {}
    }
    public init() {}
}
