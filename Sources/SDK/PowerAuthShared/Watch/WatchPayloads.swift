package import Foundation

/// A question for, or news about, the activation (watch.md, P1 to P4).
package struct WatchStatusPayload: WatchPayload, Equatable {
    package enum Command: String, Sendable {
        case get = "get_session"
        case put = "put_session"
    }

    package let command: Command
    /// Identifier of the activation; nil for none.
    package let activationId: String?
    /// When the phone has sent it; nil if it does not count.
    package let order: WatchOrder?
    /// The server's time when the phone has sent it, in milliseconds since 1970; nil if not sent.
    package let serverTime: Int?

    package init(
        _ command: Command, activationId: String? = nil, order: WatchOrder? = nil, serverTime: Int? = nil
    ) {
        self.serverTime = serverTime
        self.command = command
        self.activationId = activationId
        self.order = order
    }

    package static let vendorName = "PA2WCSessionPacket_ActivationStatus"

    package init?(fields: WatchFields) {
        guard let command = fields.text(.activationCommand).flatMap(Command.init(rawValue:)) else { return nil }
        self.init(
            command, activationId: fields.text(.activationId), order: WatchOrder(fields: fields),
            serverTime: fields.number(.serverTime))
    }

    package var fields: WatchFields {
        var fields = WatchFields()
        fields[.activationCommand] = .text(command.rawValue)
        fields[.activationId] = activationId.map { .text($0) }
        fields.order = order
        fields[.serverTime] = serverTime.map { .integer($0) }
        return fields
    }
}

/// A question for, or news about, a token (watch.md, P5 to P9).
package struct WatchTokenPayload: WatchPayload, Equatable {
    package enum Command: String, Sendable {
        case get = "get_token"
        case put = "put_token"
        case remove = "remove_token"
    }

    package let command: Command
    package let tokenName: String
    /// The record as the keychain keeps it.
    package let tokenData: Data?
    /// The phone does not have the token.
    package let isNotFound: Bool
    /// When the phone has sent it; nil if it does not count.
    package let order: WatchOrder?
    /// The server's time when the phone has sent it, in milliseconds since 1970; nil if not sent.
    package let serverTime: Int?

    package init(
        _ command: Command, tokenName: String, tokenData: Data? = nil, isNotFound: Bool = false,
        order: WatchOrder? = nil, serverTime: Int? = nil
    ) {
        self.serverTime = serverTime
        self.order = order
        self.command = command
        self.tokenName = tokenName
        self.tokenData = tokenData
        self.isNotFound = isNotFound
    }

    package static let vendorName = "PA2WCSessionPacket_TokenData"

    package init?(fields: WatchFields) {
        guard let command = fields.text(.tokenCommand).flatMap(Command.init(rawValue:)),
            let name = fields.text(.tokenName), !name.isEmpty
        else { return nil }
        let data = fields.text(.tokenData).flatMap { Data(base64Encoded: $0) }
        let isNotFound = (fields.number(.tokenNotFound) ?? 0) != 0
        if command == .put && (data ?? Data()).isEmpty && !isNotFound { return nil }
        self.init(
            command, tokenName: name, tokenData: data, isNotFound: isNotFound, order: WatchOrder(fields: fields),
            serverTime: fields.number(.serverTime))
    }

    package var fields: WatchFields {
        var fields = WatchFields()
        fields[.tokenCommand] = .text(command.rawValue)
        fields[.tokenName] = .text(tokenName)
        fields[.tokenData] = tokenData.map { .text($0.base64EncodedString()) }
        if isNotFound { fields[.tokenNotFound] = .boolean(true) }
        fields.order = order
        fields[.serverTime] = serverTime.map { .integer($0) }
        return fields
    }
}

/// The watch has executed the command (watch.md, P10).
package struct WatchSuccessPayload: WatchPayload, Equatable {
    package init() {}

    package static let vendorName = "PA2WCSessionPacket_Success"

    /// The value of the code does not matter.
    package init?(fields: WatchFields) {
        guard fields.number(.successCode) != nil else { return nil }
    }

    package var fields: WatchFields {
        var fields = WatchFields()
        fields[.successCode] = .integer(1)
        return fields
    }
}
