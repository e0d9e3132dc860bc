import PowerAuthProtocol

/// The devices registered for pushes (mobile-token.md, section 20.1).
///
/// Every change is one transaction of the only writer, so that simultaneous registrations run one after the other and
/// end in one row, without conflicts to retry. Thread rule: worker threads only; all methods block.
struct PushRegistrationService: Sendable {
    let context: ServiceContext

    /// A device's registration data.
    struct Device: Sendable {
        let applicationId: Identifier
        let token: String
        let platform: PushPlatform
        var environment: PushEnvironment?
        let activationId: Identifier
    }

    /// Registers a device: a new token replaces the one of the activation, a token under a new activation moves there.
    /// - Throws: `invalidApplication`, `activationNotFound` for an unknown or removed activation, `invalidRequest` when
    ///   several devices have the token.
    @discardableResult
    func register(_ device: Device) throws -> PushRegistration {
        try TextLimit.ordinary.check(device.token, "token")
        return try context.change { change in
            guard let application = try ApplicationStore.find(change.database, id: device.applicationId) else {
                throw ServiceError(.invalidApplication, "no application \(device.applicationId)")
            }
            let activation = try change.activation(device.activationId)
            guard activation.status != .removed else {
                throw ServiceError(.activationNotFound, "activation \(activation.id) is removed")
            }
            let registration = PushRegistration(
                id: try row(of: device, application.row, in: change), application: application.row,
                token: device.token, platform: device.platform, environment: device.environment,
                activationId: activation.id, userId: activation.userId, isActive: activation.status == .active,
                lastRegistered: change.now)
            try PushRegistrationStore.save(change.database, registration)
            return registration
        }
    }

    /// The row that a registration takes over. An activation has one row at most, so that its token does not matter.
    private func row(of device: Device, _ application: Int64, in change: WriteTransaction) throws -> Int64? {
        if let own = try PushRegistrationStore.find(change.database, activationId: device.activationId) {
            return own.id
        }
        let others = try PushRegistrationStore.list(change.database, token: device.token, application: application)
        guard others.count <= 1 else {
            throw ServiceError.invalid("several activations have registered this token")
        }
        return others.first?.id
    }

    /// Forgets every device of an application with a token.
    func remove(token: String, application: Int64) throws {
        try context.change { try PushRegistrationStore.delete($0.database, token: token, application: application) }
    }
}
