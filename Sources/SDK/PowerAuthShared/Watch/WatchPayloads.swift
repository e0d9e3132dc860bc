// SPDX-License-Identifier: Apache-2.0

import Foundation
package import SimulatedDevice
import Synchronization

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

    package init(_ command: Command, activationId: String? = nil, order: WatchOrder? = nil, serverTime: Int? = nil) {
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

/// Which of two messages of a phone is newer, regardless of their transport: an immediate message overtakes queued
/// transfers, and a reply overtakes both.
///
/// Two members of the packet, which the original does not know and ignores.
package struct WatchOrder: Equatable, Sendable {
    /// Installation of the phone's app that counts.
    package let origin: String
    /// Greater means newer, within one installation.
    package let number: Int

    package init(origin: String, number: Int) {
        self.origin = origin
        self.number = number
    }

    init?(fields: WatchFields) {
        guard let origin = fields.text(.orderOrigin), let number = fields.number(.orderNumber) else { return nil }
        self.init(origin: origin, number: number)
    }

    /// Reads what ``stored`` has written.
    init?(stored value: PreferenceValue?) {
        guard case .text(let text) = value, let slash = text.lastIndex(of: "/"),
            let number = Int(text[text.index(after: slash)...])
        else { return nil }
        self.init(origin: String(text[..<slash]), number: number)
    }

    var stored: PreferenceValue { .text("\(origin)/\(number)") }
}

/// Counts the messages of a phone's app to its watch. The count is kept in the app's preferences, so that it is removed
/// with the app: the next installation is another origin.
///
/// Thread rule: any thread.
package final class WatchOrderSource: Sendable {
    private static let key = "io.getlime.PowerAuth.WatchOrder"

    private let defaults: DefaultsSuite
    private let lock = Mutex(())

    package init(defaults: DefaultsSuite) { self.defaults = defaults }

    /// The order of a message that is made now. To be taken before its content is read, so that the greater number has
    /// the newer content.
    /// - Returns: nil when the preferences cannot be used; the watch then takes messages as they come.
    package func next() -> WatchOrder? {
        lock.withLock { _ in
            do {
                let last =
                    WatchOrder(stored: try defaults.read(Self.key)) ?? WatchOrder(origin: UUID().uuidString, number: 0)
                let next = WatchOrder(origin: last.origin, number: last.number + 1)
                try defaults.store(next.stored, forKey: Self.key)
                return next
            } catch {
                PowerAuthLog.write("Watch: a message has no number, because \(error).")
                return nil
            }
        }
    }
}
