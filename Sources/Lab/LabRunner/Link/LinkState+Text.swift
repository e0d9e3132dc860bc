import Foundation
import LabKit

extension LinkState {
    /// The lines for people.
    public var lines: [String] {
        devices.flatMap { device in
            (device.problem.map { ["\(device.name) does not answer: \($0)"] } ?? [])
                + device.links.flatMap { Self.lines(of: $0, on: device.name) }
        }
    }

    private static func lines(of end: InspectLink.End, on device: String) -> [String] {
        let state = end.isInRange == false ? "out of range" : end.isUp ? "up" : "not up"
        let contact = end.lastContact.map { "last contact \(InspectionText.time($0)) ago" } ?? "never a contact"
        let silence = end.unanswered > 0 ? ", \(end.unanswered) of 3 pings unanswered" : ""
        return ["\(end.link) on \(device), with \(end.peer): \(state), \(contact)\(silence)"]
            + end.apps.flatMap { InspectionText.rows($0.app, [text(of: $0)]) }
            + InspectionText.rows("condition", end.conditions.map(text))
            + InspectionText.rows("outbox", lines(of: end.outbox))
            + InspectionText.rows("inbox", lines(of: end.inbox))
            + InspectionText.rows("not reported", end.untold.map(text))
            + InspectionText.rows("context", end.contexts.map(text))
            + InspectionText.rows("message", end.messages.map(text))
    }

    private static func text(of app: InspectLink.App) -> String {
        let own =
            !app.isAttached
            ? "not running"
            : !app.isActivated
                ? "running, session not activated" : "activated" + (app.isForeground ? ", in the foreground" : "")
        let other = app.isReachable ? "reachable" : app.isCounterpartInstalled ? "not reachable" : "not installed"
        return "\(own); \(app.counterpart) is \(other)"
    }

    private static func text(of condition: InspectLink.Condition) -> String {
        let held = condition.held > 0 ? "; \(condition.held) held up" : ""
        return "\(condition.id) \(condition.direction.title): \(condition.effect); hit \(condition.fired) of "
            + "\(condition.matched)\(held)"
    }

    private static func lines(of outbox: InspectLink.Outbox) -> [String] {
        let count = outbox.sent + outbox.waiting
        let head = count == 0 ? "empty" : "\(outbox.sent) sent, \(outbox.waiting) waiting"
        return ["\(head); confirmed up to \(outbox.confirmed)"]
            + outbox.transfers.map(text) + rest(of: count, listed: outbox.transfers)
    }

    private static func lines(of inbox: InspectLink.Inbox) -> [String] {
        let head = inbox.waiting == 0 ? "empty" : "\(inbox.waiting) waiting"
        return ["\(head); received up to \(inbox.received)"]
            + inbox.transfers.map(text) + rest(of: inbox.waiting, listed: inbox.transfers)
    }

    private static func rest(of count: Int, listed: [InspectLink.Transfer]) -> [String] {
        count > listed.count ? ["… and \(count - listed.count) more"] : []
    }

    private static func text(of transfer: InspectLink.Transfer) -> String {
        let number = transfer.number.map { "\($0) " } ?? ""
        let state =
            switch transfer.state {
            case .waiting: "waiting"
            case .sent: "sent"
            case .ended: "taken back or refused, which the other device does not know yet"
            case .handedOver: "handed to its app"
            }
        return "\(number)\(transfer.id) of \(transfer.app ?? "a deleted app"), \(transfer.size) bytes, \(state)"
    }

    private static func text(of ended: InspectLink.Ended) -> String {
        "\(ended.id) of \(ended.app): " + (ended.code.map { "ended with \($0)" } ?? "arrived")
    }

    private static func text(of context: InspectLink.Context) -> String {
        let state =
            context.isOwn
            ? context.isDone ? "confirmed" : "not confirmed" : context.isDone ? "reported" : "not reported"
        return
            "\(context.isOwn ? "of" : "for") \(context.app), version \(context.version), \(context.size) bytes, \(state)"
    }

    private static func text(of message: InspectLink.Message) -> String {
        let state =
            switch message.state {
            case .sent: "sent, not confirmed"
            case .replyAwaited: "waits for its reply"
            case .held: "waits for its app"
            case .handedOver: "handed to its app"
            case .unanswered: "its app has not replied"
            }
        let time = message.timeLeft.map { ", for \(InspectionText.time($0)) more" } ?? ""
        return "\(message.id) \(message.isOwn ? "of" : "for") \(message.app), \(state)\(time)"
    }
}
