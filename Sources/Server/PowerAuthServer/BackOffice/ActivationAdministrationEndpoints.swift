// SPDX-License-Identifier: Apache-2.0

import PowerAuthProtocol

/// `/activation/**` beside the life cycle: passwords, names, flags, search and mass changes
/// (server.md, sections 7.5, 7.9 and 7.10).
struct ActivationAdministrationEndpoints: Sendable {
    let service: ActivationService

    private struct OtpRequest: Decodable {
        var activationId: Identifier?
        var externalUserId: Identifier?
        var activationOtp: String?
    }

    private struct UpdatedView: Codable {
        let activationId: Identifier
        let updated: Bool
    }

    private struct NameRequest: Decodable {
        var activationId: Identifier?
        var activationName: String?
        var externalUserId: Identifier?
    }

    private struct NameView: Codable {
        let activationId: Identifier
        @ExplicitNull var activationName: String?
        let activationStatus: String
    }

    private struct FlagsRequest: Decodable {
        var activationId: Identifier?
        var activationFlags: [Identifier]?
    }

    private struct FlagsView: Codable {
        let activationId: Identifier
        let activationFlags: [Identifier]

        init(_ activation: Activation) {
            activationId = activation.id
            activationFlags = activation.flags
        }
    }

    private struct LookupRequest: Decodable {
        var userIds: [Identifier]?
        var applicationIds: [Identifier]?
        var timestampLastUsedBefore: RequestedDate?
        var timestampLastUsedAfter: RequestedDate?
        var activationStatus: EnumName<ActivationState>?
        var activationFlags: [Identifier]?
    }

    private struct LookupView: Codable { let activations: [ActivationView] }

    private struct StatusRequest: Decodable {
        var activationIds: [Identifier]?
        var activationStatus: EnumName<ActivationState>?
    }

    private struct StatusView: Codable { let updated: Bool }

    var endpoints: [Endpoint] {
        [
            .backOffice("/activation/otp/update") { (request: OtpRequest) in
                let activation = try service.updateOtp(
                    activationId: request.activationId, otp: request.activationOtp,
                    externalUserId: request.externalUserId)
                return UpdatedView(activationId: activation.id, updated: true)
            },
            .backOffice("/activation/name/update") { (request: NameRequest) in
                try Violations.check([
                    ("activationId", request.activationId?.text), ("activationName", request.activationName),
                    ("externalUserId", request.externalUserId?.text),
                ])
                let activation = try service.rename(
                    activationId: request.activationId, name: request.activationName,
                    externalUserId: request.externalUserId)
                return NameView(
                    activationId: activation.id, activationName: activation.name,
                    activationStatus: activation.status.name)
            },
            .backOffice("/activation/flags/list") { (request: ActivationField) in
                FlagsView(try service.flags(activationId: request.activationId))
            },
            flags("/activation/flags/create", .add),
            flags("/activation/flags/update", .replace),
            flags("/activation/flags/remove", .remove),
            .backOffice("/activation/lookup") { (request: LookupRequest) in
                let found = try service.lookup(
                    .init(
                        userIds: request.userIds ?? [], applicationIds: request.applicationIds ?? [],
                        usedBefore: request.timestampLastUsedBefore?.time,
                        usedAfter: request.timestampLastUsedAfter?.time, status: request.activationStatus?.value,
                        flags: request.activationFlags ?? []))
                return LookupView(activations: found.map(ActivationView.init))
            },
            .backOffice("/activation/status/update") { (request: StatusRequest) in
                try service.setStatus(activationIds: request.activationIds, request.activationStatus?.value)
                return StatusView(updated: true)
            },
        ]
    }

    private func flags(_ path: String, _ change: ActivationService.ListChange) -> Endpoint {
        .backOffice(path) { (request: FlagsRequest) in
            FlagsView(try service.changeFlags(activationId: request.activationId, request.activationFlags, change))
        }
    }
}

/// The sentence of `invalidRequest` for fields that must be there (server.md, section 2.4).
enum Violations {
    /// - Parameters:
    ///   - fields: texts that must not be blank.
    ///   - present: other fields, and whether they are there.
    /// - Throws: `invalidRequest` naming every violation, sorted by field.
    static func check(_ fields: [(name: String, value: String?)], present: [(name: String, isThere: Bool)] = []) throws
    {
        let blank = fields.filter { $0.value.nonBlank == nil }.map { "requestObject.\($0.name) - must not be blank" }
        let missing = present.filter { !$0.isThere }.map { "requestObject.\($0.name) - must not be null" }
        let violations = (blank + missing).sorted()
        guard violations.isEmpty else { throw ServiceError.invalid(violations.joined(separator: ", ")) }
    }
}
