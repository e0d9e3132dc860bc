// SPDX-License-Identifier: Apache-2.0

import GRDB
import LabCore

extension ServerServices {
    /// Every resource below `/rest/v3` (server.md, section 4), the same ones below `/rest/v4` (protocol-4.md, section 16),
    /// and the back end of the vendor's tests below `/v2`.
    var backOfficeEndpoints: [Endpoint] {
        let integrations = IntegrationEndpoints(service: IntegrationService(context: context))
        let all =
            resources(of: .v3, integrations) + resources(of: .v4, integrations).compactMap(BackOfficeV4.renamed)
            + FacadeEndpoints(context: context).endpoints
        return all.map(integrations.restricted)
    }

    /// The resources as one generation of the API has them, with the names of the first one.
    private func resources(of api: BackOfficeAPI, _ integrations: IntegrationEndpoints) -> [Endpoint] {
        SystemEndpoints(context: context, names: names, api: api).endpoints
            + ApplicationEndpoints(
                service: applications, settings: ApplicationSettingsService(context: context), api: api
            ).endpoints
            + ActivationEndpoints(activations: activations, statuses: statuses, policy: context.policy).endpoints
            + ActivationAdministrationEndpoints(service: activations).endpoints
            + SignatureEndpoints(context: context, api: api).endpoints
            + TokenEndpoints(service: tokens, api: api).endpoints
            + CryptographyEndpoints(context: context).endpoints
            + RecoveryEndpoints(service: RecoveryService(context: context)).endpoints
            + integrations.endpoints
            + CallbackEndpoints(service: CallbackService(context: context)).endpoints
            + OperationTemplateEndpoints(service: OperationTemplateService(context: context)).endpoints
            + OperationEndpoints(context: context).endpoints
    }
}

/// `/status`, `/error/list` and `/telemetry/report` (server.md, section 5).
struct SystemEndpoints: Sendable {
    let context: ServiceContext
    let names: ServerNames
    let api: BackOfficeAPI

    private struct Status: Codable {
        var status = "OK"
        let applicationName: String
        let applicationDisplayName: String
        let applicationEnvironment: String
        let version: String
        var buildTime = BackOfficeDate(ServerVersion.buildTime)
        let timestamp: BackOfficeDate
    }

    private struct ErrorList: Codable {
        struct Entry: Codable {
            let code: String
            let value: String
        }
        let errors: [Entry]
    }

    private struct ReportRequest: Decodable {
        var name: String?
        var parameters: [String: JSONValue]?
    }

    private struct ReportView: Codable {
        struct Data: Codable {
            let application: String
            let users: Int
            let days: Int
        }
        let name: String
        let reportData: Data
    }

    var endpoints: [Endpoint] {
        [
            .backOffice("/status", EndpointBodies(request: nil, response: Status.self)) { request in
                try .object(
                    Status(
                        applicationName: names.name, applicationDisplayName: names.displayName,
                        applicationEnvironment: names.environment,
                        version: ServerVersion.reported(at: request.mountPoint),
                        timestamp: BackOfficeDate(context.clock.now())))
            },
            .backOffice("/error/list") {
                ErrorList(
                    errors: BackOfficeV4.codes(of: api).map { .init(code: $0.rawValue, value: $0.message) })
            },
            .backOffice("/telemetry/report", report),
        ]
    }

    @Sendable private func report(_ request: ReportRequest) throws -> ReportView {
        try Violations.check([("name", request.name)])
        let name = request.name ?? ""
        guard let application = request.parameters?["application"]?.stringValue.nonBlank else {
            throw ErrorResponse.telemetry("The parameter application is missing.")
        }
        let days = try days(of: name, request.parameters ?? [:])
        let since = context.clock.now().advanced(by: -Int64(days) * 86_400_000)
        let users = try context.read { database in
            try Int.fetchOne(
                database,
                sql: """
                    SELECT COUNT(DISTINCT user_id) FROM activation
                    JOIN application ON application.id = activation.application
                    WHERE app_id = ? AND t_last_used >= ?
                    """, arguments: [application, since.milliseconds]) ?? 0
        }
        return ReportView(name: name, reportData: .init(application: application, users: users, days: days))
    }

    private func days(of name: String, _ parameters: [String: JSONValue]) throws -> Int {
        switch name {
        case "CURRENT_MAU": return 30
        case "USERS_IN_PAST_DAYS":
            guard let days = parameters["days"]?.integerValue, (1...365).contains(days) else {
                throw ErrorResponse.telemetry("The parameter days must be 1 to 365.")
            }
            return Int(days)
        default: throw ErrorResponse.telemetry("There is no report with this name.")
        }
    }
}

/// The reported version; clients choose their behaviour by it (server.md, section 27).
enum ServerVersion {
    static let reported = "1.9.0"
    /// Below it the same data is served to clients that refuse everything after 1.5.
    static let olderMountPoint = "/compat15/powerauth-java-server"

    /// The version that a server says it is to the callers of a mount point.
    static func reported(at mountPoint: String) -> String { mountPoint == olderMountPoint ? "1.5.0" : reported }

    /// The release whose behaviour this is, 2024-10-01T08:00:00Z.
    static let buildTime = ServerTime(milliseconds: 1_727_769_600_000)
}

// Request objects and answers that are the same for several resources of the back office.

/// A request whose only field of its own names an application.
struct ApplicationField: Decodable, Sendable { var applicationId: Identifier? }

/// A request whose only field of its own names an activation.
struct ActivationField: Decodable, Sendable { var activationId: Identifier? }

/// A request that names a callback, an integration or a temporary key.
struct IdentifierField: Decodable, Sendable { var id: Identifier? }

/// The result of removing one of them.
struct RemovedView: Codable {
    let id: Identifier
    let removed: Bool
}

/// A request that names what it changes, beside the new content of it.
struct Identified<ID: Decodable & Sendable, Content: Decodable & Sendable>: Decodable, Sendable {
    let id: ID?
    let content: Content

    private enum CodingKeys: CodingKey { case id }

    init(from decoder: any Decoder) throws {
        id = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(ID.self, forKey: .id)
        content = try Content(from: decoder)
    }
}
