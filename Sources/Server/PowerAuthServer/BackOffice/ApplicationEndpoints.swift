import PowerAuthProtocol

/// `/application/**` (server.md, section 6.1).
struct ApplicationEndpoints: Sendable {
    let service: ApplicationService

    private struct VersionReference: Decodable {
        var applicationId: Identifier?
        var applicationVersionId: Identifier?
    }

    private struct KeyReference: Decodable {
        var applicationKey: Identifier?
    }

    private struct ApplicationView: Codable {
        let applicationId: Identifier
        let applicationRoles: [Identifier]

        init(_ application: Application) {
            applicationId = application.id
            applicationRoles = application.roles
        }
    }

    private struct ApplicationList: Codable {
        let applications: [ApplicationView]
    }

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

        init(_ detail: ApplicationService.Detail) {
            applicationId = detail.application.id
            masterPublicKey = StrictBase64.encode(detail.masterPublicKey)
            applicationRoles = detail.application.roles
            versions = detail.versions.map { version, configuration in
                Version(
                    applicationVersionId: version.id, applicationKey: version.applicationKey,
                    applicationSecret: version.applicationSecret, mobileSdkConfig: configuration,
                    supported: version.isSupported)
            }
        }
    }

    private struct ApplicationIdView: Codable {
        let applicationId: Identifier
    }

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

    var endpoints: [Endpoint] {
        [
            .backOffice("/application/list") {
                ApplicationList(applications: try service.list().map(ApplicationView.init))
            },
            .backOffice("/application/create") { (request: ApplicationField) in
                ApplicationView(try service.create(id: request.applicationId))
            },
            .backOffice("/application/detail") { (request: ApplicationField) in
                DetailView(try service.detail(id: request.applicationId))
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
                    mobileSdkConfig: configuration, supported: true)
            },
            support("/application/version/support", true),
            support("/application/version/unsupport", false),
        ]
    }

    private func support(_ path: String, _ supported: Bool) -> Endpoint {
        .backOffice(path) { (request: VersionReference) in
            let version = try service.setSupported(
                applicationId: request.applicationId, versionId: request.applicationVersionId, supported)
            return SupportView(applicationVersionId: version.id, supported: supported)
        }
    }
}
