/// `/status` and `/error/list` (server.md, section 5).
struct SystemEndpoints: Sendable {
    let clock: any ServerClock
    let names: ServerNames

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

    var endpoints: [Endpoint] {
        [
            .backOffice("/status", EndpointBodies(request: nil, response: Status.self)) { request in
                try .ok(
                    ResponseEnvelope(
                        responseObject: Status(
                            applicationName: names.name, applicationDisplayName: names.displayName,
                            applicationEnvironment: names.environment,
                            version: ServerVersion.reported(at: request.mountPoint),
                            timestamp: BackOfficeDate(clock.now()))))
            },
            .backOffice("/error/list") {
                ErrorList(errors: ServiceErrorCode.allCases.map { .init(code: $0.rawValue, value: $0.message) })
            },
        ]
    }
}

/// The reported version; clients choose their behaviour by it (server.md, section 27).
enum ServerVersion {
    static let reported = "1.9.0"
    /// Below it the same data is served to clients that refuse everything after 1.5.
    static let olderMountPoint = "/compat15/powerauth-java-server"

    /// The version that a server says it is to the callers of a mount point.
    static func reported(at mountPoint: String) -> String {
        mountPoint == olderMountPoint ? "1.5.0" : reported
    }

    /// The release whose behaviour this is, 2024-10-01T08:00:00Z.
    static let buildTime = ServerTime(milliseconds: 1_727_769_600_000)
}
