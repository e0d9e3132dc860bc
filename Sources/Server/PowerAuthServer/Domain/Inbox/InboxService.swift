import LabKit

/// Messages for users (mobile-token.md, section 20.3).
///
/// Thread rule: worker threads only; all methods block.
struct InboxService: Sendable {
    let context: ServiceContext

    /// The parameters of a message.
    struct NewMessage: Sendable {
        var userId: Identifier?
        /// The applications whose apps show it; all when it is empty.
        var applicationIds: [Identifier] = []
        var format = InboxMessage.Format.text
        var subject: String?
        var summary: String?
        var body: String?
        /// Whether no push is sent to devices.
        var isSilent = false
    }

    /// How long subject and summary may be.
    static let lineLength = 8...255
    /// How long a body may be.
    static let bodyLength = 8...65536
    /// The maximum page size: as many messages as `getAllMessages` of the SDK fetches by default.
    private static let longestPage = 1000

    /// Puts a message into the inbox of a user, and notifies their devices.
    /// - Throws: `invalidRequest` for a missing field or one of a wrong length, `invalidApplication`.
    func create(_ new: NewMessage) throws -> InboxMessage {
        guard let userId = new.userId.nonBlank else { throw ServiceError.invalid("userId is missing") }
        let subject = try Self.checked(new.subject, "subject", Self.lineLength)
        let summary = try Self.checked(new.summary, "summary", Self.lineLength)
        let body = try Self.checked(new.body, "body", Self.bodyLength)
        return try context.change { change in
            let applications =
                try new.applicationIds.isEmpty
                ? ApplicationStore.all(change.database)
                : OperationService.applications(change.database, new.applicationIds)
            let message = InboxMessage(
                id: Identifiers.uuid(), userId: userId, applications: applications, format: new.format,
                subject: subject, summary: summary, body: body, created: change.now)
            try InboxStore.insert(change.database, message)
            if !new.isSilent { change.push(Self.push(message)) }
            return message
        }
    }

    private static func push(_ message: InboxMessage) -> Push {
        .message(
            PushMessage(
                title: message.subject, body: message.summary, sound: "default", isPersonal: true,
                extras: ["messageType": "mtoken.inboxMessage.new", "inboxId": .string(message.id.text)]),
            .init(userId: message.userId, applications: message.applications.map(\.row)))
    }

    private static func checked(_ text: String?, _ field: String, _ length: ClosedRange<Int>) throws -> String {
        guard let text, length.contains(text.count) else {
            throw ServiceError.invalid(
                "\(field) must have \(length.lowerBound) to \(length.upperBound) characters")
        }
        return text
    }

    // MARK: The app's side

    /// The messages that the app of an activation shows.
    private func owner(_ activation: Activation) -> InboxStore.Owner {
        .init(userId: activation.userId, application: activation.application)
    }

    func unreadCount(_ activation: Activation) throws -> Int {
        try context.read { try InboxStore.unreadCount($0, owner(activation)) }
    }

    /// A page, newest first, without the bodies.
    ///
    /// A page size that is too large is refused and not reduced: apps take a page shorter than requested for the last
    /// one.
    /// - Throws: `invalidRequest` for an impossible page.
    func list(_ activation: Activation, page: Int, size: Int, isUnreadOnly: Bool) throws -> [InboxMessage] {
        let (offset, overflow) = page.multipliedReportingOverflow(by: size)
        guard page >= 0, (1...Self.longestPage).contains(size), !overflow else {
            throw ServiceError.invalid("page must not be negative and size must be 1 to \(Self.longestPage)")
        }
        return try context.read {
            try InboxStore.list($0, owner(activation), isUnreadOnly: isUnreadOnly, limit: size, offset: offset)
        }
    }

    /// - Throws: `invalidRequest` for a message that is not the caller's.
    func detail(_ activation: Activation, id: Identifier?) throws -> InboxMessage {
        guard let id, let message = try context.read({ try InboxStore.find($0, owner(activation), id: id) }) else {
            throw ServiceError.invalid("the user has no message \(id?.text ?? "without id")")
        }
        return message
    }

    /// Marks a message as read; one that was read before stays as it is.
    /// - Throws: as ``detail(_:id:)``.
    func markRead(_ activation: Activation, id: Identifier?) throws {
        guard try detail(activation, id: id).read == nil else { return }
        try context.change { try InboxStore.markRead($0.database, owner(activation), id: id, at: $0.now) }
    }

    func markAllRead(_ activation: Activation) throws {
        try context.change { try InboxStore.markRead($0.database, owner(activation), at: $0.now) }
    }
}
