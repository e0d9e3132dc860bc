/// `/status` and `/error/list` (server.md, section 5).
struct SystemEndpoints: Sendable {
    let clock: any ServerClock

    private struct Status: Encodable {
        let status = "OK"
        let applicationName = "powerauth-server"
        let applicationDisplayName = "PowerAuth Server"
        let applicationEnvironment = ""
        let version = ServerVersion.reported
        let buildTime = BackOfficeDate(ServerVersion.buildTime)
        let timestamp: BackOfficeDate

        private enum CodingKeys: CodingKey {
            case status, applicationName, applicationDisplayName, applicationEnvironment, version, buildTime, timestamp
        }
    }

    private struct ErrorList: Encodable {
        struct Entry: Encodable {
            let code: String
            let value: String
        }
        let errors: [Entry]
    }

    var endpoints: [Endpoint] {
        [
            .backOffice("/status") { Status(timestamp: BackOfficeDate(clock.now())) },
            .backOffice("/error/list") {
                ErrorList(errors: ServiceErrorCode.allCases.map { .init(code: $0.rawValue, value: $0.message) })
            },
        ]
    }
}

/// What the server says it is; clients choose their behaviour by it (server.md, section 27).
enum ServerVersion {
    static let reported = "1.9.0"
    /// The release whose behaviour this is, 2024-10-01T08:00:00Z.
    static let buildTime = ServerTime(milliseconds: 1_727_769_600_000)
}
