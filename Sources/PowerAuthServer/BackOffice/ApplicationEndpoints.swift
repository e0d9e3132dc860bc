import PowerAuthProtocol

/// `/application/**` (server.md, section 6.1).
struct ApplicationEndpoints: Sendable {
    let service: ApplicationService

    private struct VersionReference: Decodable {
        var applicationId: String?
        var applicationVersionId: String?
    }

    private struct KeyReference: Decodable {
        var applicationKey: String?
    }

    private struct ApplicationView: Codable {
        let applicationId: String
        let applicationRoles: [String]

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
            let applicationVersionId: String
            let applicationKey: String
            let applicationSecret: String
            let mobileSdkConfig: String
            let supported: Bool
        }
        let applicationId: String
        let masterPublicKey: String
        let applicationRoles: [String]
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
        let applicationId: String
    }

    private struct NewVersionView: Codable {
        let applicationVersionId: String
        @ExplicitNull var applicationVersionName: String?
        let applicationKey: String
        let applicationSecret: String
        let mobileSdkConfig: String
        let supported: Bool
    }

    private struct SupportView: Codable {
        let applicationVersionId: String
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
