import LabKit

/// `/application/roles/**` and `/application/config/**` (server.md, sections 6.3 and 6.4).
struct ApplicationSettingsEndpoints: Sendable {
    let service: ApplicationSettingsService

    private struct RolesRequest: Decodable {
        var applicationId: Identifier?
        var applicationRoles: [Identifier]?
    }

    private struct RolesView: Codable {
        let applicationId: Identifier
        let applicationRoles: [Identifier]

        init(_ application: Application) {
            applicationId = application.id
            applicationRoles = application.roles
        }
    }

    private struct KeyReference: Decodable {
        var applicationId: Identifier?
        var key: String?
    }

    private struct ConfigRequest: Decodable {
        var applicationId: Identifier?
        var key: String?
        var values: [JSONValue]?
    }

    private struct ConfigView: Codable {
        struct Entry: Codable {
            let key: String
            let values: [JSONValue]
        }
        let applicationId: Identifier
        let applicationConfigs: [Entry]
    }

    private struct EntryView: Codable {
        let applicationId: Identifier
        let key: String
        let values: [JSONValue]
    }

    var endpoints: [Endpoint] {
        [
            .backOffice("/application/roles/list") { (request: ApplicationField) in
                RolesView(try service.application(id: request.applicationId))
            },
            roles("/application/roles/create", .add),
            roles("/application/roles/update", .replace),
            roles("/application/roles/remove", .remove),
            .backOffice("/application/config/detail") { (request: ApplicationField) in
                ConfigView(
                    applicationId: request.applicationId ?? .none,
                    applicationConfigs: try service.configuration(applicationId: request.applicationId)
                        .map(ConfigView.Entry.init))
            },
            .backOffice("/application/config/create") { (request: ConfigRequest) in
                let key = try service.configure(
                    applicationId: request.applicationId, key: request.key, values: request.values)
                return EntryView(applicationId: request.applicationId ?? .none, key: key, values: request.values ?? [])
            },
            .backOfficeAction("/application/config/remove") { (request: KeyReference) in
                try service.removeConfiguration(applicationId: request.applicationId, key: request.key)
            },
        ]
    }

    private func roles(_ path: String, _ change: ActivationService.ListChange) -> Endpoint {
        .backOffice(path) { (request: RolesRequest) in
            RolesView(
                try service.changeRoles(applicationId: request.applicationId, request.applicationRoles, change))
        }
    }
}
