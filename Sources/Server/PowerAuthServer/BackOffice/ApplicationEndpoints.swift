// SPDX-License-Identifier: Apache-2.0

import LabCore
import PowerAuthProtocol

/// `/application/**` without its callbacks (server.md, sections 6.1, 6.3 and 6.4).
struct ApplicationEndpoints: Sendable {
    let service: ApplicationService
    let settings: ApplicationSettingsService
    let api: BackOfficeAPI

    private struct VersionReference: Decodable {
        var applicationId: Identifier?
        var applicationVersionId: Identifier?
    }

    private struct KeyReference: Decodable { var applicationKey: Identifier? }

    private struct ApplicationView: Codable {
        let applicationId: Identifier
        let applicationRoles: [Identifier]

        init(_ application: Application) { (applicationId, applicationRoles) = (application.id, application.roles) }
    }

    private struct ApplicationList: Codable { let applications: [ApplicationView] }

    private struct DetailView: Codable {
        struct Version: Codable {
            let applicationVersionId: Identifier
            let applicationKey: Identifier
            let applicationSecret: String
            let mobileSdkConfig: String
            let supported: Bool
        }
        let applicationId: Identifier
        let masterPublicKey: String
        let applicationRoles: [Identifier]
        let versions: [Version]
    }

    private struct ApplicationIdView: Codable { let applicationId: Identifier }

    private struct NewVersionView: Codable {
        let applicationVersionId: Identifier
        @ExplicitNull var applicationVersionName: String?
        let applicationKey: Identifier
        let applicationSecret: String
        let mobileSdkConfig: String
        let supported: Bool
    }

    private struct SupportView: Codable {
        let applicationVersionId: Identifier
        let supported: Bool
    }

    private struct RolesRequest: Decodable {
        var applicationId: Identifier?
        var applicationRoles: [Identifier]?
    }

    private struct ConfigReference: Decodable {
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
            .backOffice("/application/list") {
                ApplicationList(applications: try service.list().map(ApplicationView.init))
            },
            .backOffice("/application/create") { (request: ApplicationField) in
                ApplicationView(try service.create(id: request.applicationId))
            },
            .backOffice("/application/detail") { (request: ApplicationField) in
                let detail = try service.detail(id: request.applicationId)
                return DetailView(
                    applicationId: detail.application.id, masterPublicKey: StrictBase64.encode(detail.masterPublicKey),
                    applicationRoles: detail.application.roles,
                    versions: try detail.versions.map { version, configuration in
                        DetailView.Version(
                            applicationVersionId: version.id, applicationKey: version.applicationKey,
                            applicationSecret: version.applicationSecret,
                            mobileSdkConfig: try self.configuration(version, configuration),
                            supported: version.isSupported)
                    })
            },
            .backOffice("/application/detail/version") { (request: KeyReference) in
                ApplicationIdView(applicationId: try service.application(ofKey: request.applicationKey).id)
            },
            .backOffice("/application/version/create") { (request: VersionReference) in
                let (version, configuration) = try service.createVersion(
                    applicationId: request.applicationId, versionId: request.applicationVersionId)
                return NewVersionView(
                    applicationVersionId: version.id, applicationVersionName: nil,
                    applicationKey: version.applicationKey, applicationSecret: version.applicationSecret,
                    mobileSdkConfig: try self.configuration(version, configuration), supported: true)
            },
            support("/application/version/support", true),
            support("/application/version/unsupport", false),
            .backOffice("/application/roles/list") { (request: ApplicationField) in
                ApplicationView(try settings.application(id: request.applicationId))
            },
            roles("/application/roles/create", .add),
            roles("/application/roles/update", .replace),
            roles("/application/roles/remove", .remove),
            .backOffice("/application/config/detail") { (request: ApplicationField) in
                ConfigView(
                    applicationId: request.applicationId ?? .none,
                    applicationConfigs: try settings.configuration(applicationId: request.applicationId)
                        .map(ConfigView.Entry.init))
            },
            .backOffice("/application/config/create") { (request: ConfigRequest) in
                let key = try settings.configure(
                    applicationId: request.applicationId, key: request.key, values: request.values)
                return EntryView(applicationId: request.applicationId ?? .none, key: key, values: request.values ?? [])
            },
            .backOfficeAction("/application/config/remove") { (request: ConfigReference) in
                try settings.removeConfiguration(applicationId: request.applicationId, key: request.key)
            },
        ]
    }

    /// The configuration string of a version, with the master keys that the clients of the API know.
    private func configuration(_ version: ApplicationVersion, _ ofVersion3: String) throws -> String {
        switch api {
        case .v3: ofVersion3
        case .v4: try service.mobileSdkConfigV4(version)
        }
    }

    private func support(_ path: String, _ supported: Bool) -> Endpoint {
        .backOffice(path) { (request: VersionReference) in
            let version = try service.setSupported(
                applicationId: request.applicationId, versionId: request.applicationVersionId, supported)
            return SupportView(applicationVersionId: version.id, supported: supported)
        }
    }

    private func roles(_ path: String, _ change: ActivationService.ListChange) -> Endpoint {
        .backOffice(path) { (request: RolesRequest) in
            ApplicationView(
                try settings.changeRoles(applicationId: request.applicationId, request.applicationRoles, change))
        }
    }
}
