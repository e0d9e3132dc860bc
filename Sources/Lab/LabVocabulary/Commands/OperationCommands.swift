// SPDX-License-Identifier: Apache-2.0

public import LabCore

extension Vocabulary {
    /// Commands of the server about operations, offline codes, pushes and the inbox.
    static let operationCommands: [any Command.Type] = [
        CreatePayment.self, CreateOperation.self, OperationDetail.self, CancelOperation.self, OfflineQR.self,
        VerifyOfflineCode.self, RegisterPushDevice.self, SendPush.self, SendInboxMessage.self,
    ]
}

/// An operation as the server sees it.
public struct ServerOperation: FieldObject {
    /// Where an operation is in its life.
    public enum State: String, Choice {
        case pending = "PENDING"
        case canceled = "CANCELED"
        case expired = "EXPIRED"
        case approved = "APPROVED"
        case rejected = "REJECTED"
        case failed = "FAILED"
    }

    @Field(.operationId) public var operationId: String
    @Field("User who decides; nothing while it is unclaimed.") public var userId: String?
    @Field("Type of the operation, the `name` that apps see.") public var operationType: String
    @Field("Text that is signed.") public var data: String
    @Field("State of the operation.") public var status: State
    @Field(.statusReason) public var statusReason: String?
    @Field("Approvals that failed so far.") public var failureCount: Int
    @Field("Failed approvals after which it fails.") public var maxFailureCount: Int
    @Field("Proximity code of this moment; nothing without a proximity check.") public var proximityOtp: String?
    @Field("What came with the decision, such as `authFactor` and `rejectReason`.")
    public var additionalData: [String: JSONValue]
    public init() {}
}

// mobile-token.md, section 17.7
public struct CreatePayment: Command {
    public static let info = CommandInfo(
        "createPayment", of: .server, "Creates a payment that the user approves or rejects in the app.")
    @Field(.decidingUser) public var userId: String = "alice"
    @Field("Amount, as it is signed.", limit: .decimal) public var amount: String = "250.50"
    @Field("Currency.", limit: .currency) public var currency: String = "EUR"
    @Field("Account that gets the money.") public var iban: String = "CZ6508000000192000145399"
    @Field("Text for the statement.") public var note: String?
    @Field(.proximityCheck) public var proximityCheck: Bool?
    public typealias Result = ServerOperation
    public init() {}
}

// mobile-token.md, section 18.2
public struct CreateOperation: Command {
    public static let info = CommandInfo(
        "createOperation", of: .server, "Creates an operation from a template: `login`, `payment` or one of your own.")
    @Field("Name of the template.") public var template: String
    @Field("Values for the template's placeholders.") public var parameters: [String: JSONValue] = [:]
    @Field("User who decides; without one, the user who claims it.") public var userId: String?
    @Field("Only this activation may approve it.") public var activationId: String?
    @Field("Only activations with this flag may decide.") public var activationFlag: String?
    @Field(.proximityCheck) public var proximityCheck: Bool?
    @Field("How long it waits; the template decides when left out.", limit: .upTo(.minutes(525_600)))
    public var expiresIn: LabDuration?
    public typealias Result = ServerOperation
    public init() {}
}

// mobile-token.md, section 18.1
public struct OperationDetail: Command {
    public static let info = CommandInfo("operation", of: .server, "Returns what the server knows about an operation.")
    @Field(.operationId) public var operationId: String
    public typealias Result = ServerOperation
    public init() {}
}

// mobile-token.md, section 18.6
public struct CancelOperation: Command {
    public static let info = CommandInfo("cancelOperation", of: .server, "Takes an operation back.")
    @Field(.operationId) public var operationId: String
    @Field(.statusReason, limit: "up to 32 characters") public var statusReason: String?
    public typealias Result = ServerOperation
    public init() {}
}

// mobile-token.md, section 19
public struct OfflineQR: Command {
    public static let info = CommandInfo(
        "offlineQR", of: .server, "Makes the QR code by which an operation is approved without a network.")
    @Field(.operationId) public var operationId: String
    @Field("Activation that the code is for; any of the application when left out.") public var activationId: String?

    public struct Result: FieldObject {
        @Field(.qrPayload) public var payload: String
        @Field(.offlineNonce) public var nonce: String
        public init() {}
    }
    public init() {}
}

// mobile-token.md, section 19
public struct VerifyOfflineCode: Command {
    public static let info = CommandInfo(
        "verifyOfflineCode", of: .server,
        "Checks the digits that a user typed: right ones approve the operation, wrong ones count as a failed approval.")
    @Field(.operationId) public var operationId: String
    @Field(.activationId) public var activationId: String
    @Field(.offlineNonce) public var nonce: String
    @Field("The digits, such as `12345678-12345678`.") public var digits: String

    public struct Result: FieldObject {
        @Field("Whether the operation is approved.") public var isValid: Bool
        @Field("Factors of the digits.") public var signatureType: String
        @Field(.remainingAttempts) public var remainingAttempts: Int
        @Field("The operation afterwards.") public var operation: ServerOperation
        public init() {}
    }
    public init() {}
}

// mobile-token.md, section 20.1
public struct RegisterPushDevice: Command {
    public static let info = CommandInfo(
        "registerPushDevice", of: .server,
        "Registers a device token for several activations of one application, each of which gets pushes there.")
    @Field(.deviceToken) public var token: String
    @Field("The activations; any other one loses the token.") public var activationIds: [String]
    @Field("The push service that has made the token; that of the server when left out.")
    public var environment: PushEnvironment?
    public init() {}
}

// mobile-token.md, section 20.2
public struct SendPush: Command {
    public static let info = CommandInfo(
        "sendPush", of: .server,
        "Sends a push notification to the devices of a user, and waits until it is handed over.")
    @Field("User whose devices get it.") public var userId: String = "alice"
    @Field("Title that the system shows.") public var title: String?
    @Field("Text that the system shows.") public var body: String?
    @Field("Whether it only wakes the app.") public var silent: Bool = false
    @Field("Whether only devices get it whose activation is active.") public var personal: Bool = false
    @Field("Only the device of this activation of the user.") public var activationId: String?
    @Field("The sender's own keys beside `aps`.") public var userInfo: [String: JSONValue] = [:]

    public struct Result: FieldObject {
        @Field("How many devices it was sent to.") public var sent: Int
        @Field("How many devices have taken it.") public var accepted: Int
        public init() {}
    }
    public init() {}
}

// mobile-token.md, section 20.3
public struct SendInboxMessage: Command {
    public static let info = CommandInfo(
        "sendInboxMessage", of: .server, "Puts a message into the inbox of a user, and notifies their devices by push.")
    @Field("User who gets it.") public var userId: String = "alice"
    @Field(.messageSubject, limit: "8 to 255 characters") public var subject: String = "New statement"
    @Field(.messageSummary, limit: "8 to 255 characters") public var summary: String = "Your statement is ready"
    @Field("Body.", limit: "8 to 65536 characters") public var body: String = "Open the app to see it."
    @Field(.bodyFormat) public var type: InboxMessage.Format = .text
    @Field("Whether devices are not notified by push.") public var silent: Bool = false

    public struct Result: FieldObject {
        @Field(.messageId) public var id: String
        public init() {}
    }
    public init() {}
}
