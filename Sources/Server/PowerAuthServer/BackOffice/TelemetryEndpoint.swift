import GRDB
import LabKit

/// `/telemetry/report` (server.md, section 5.3).
struct TelemetryEndpoint: Sendable {
    let context: ServiceContext

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
        [.backOffice("/telemetry/report", report)]
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
        case "CURRENT_MAU":
            return 30
        case "USERS_IN_PAST_DAYS":
            guard let days = parameters["days"]?.integerValue, (1...365).contains(days) else {
                throw ErrorResponse.telemetry("The parameter days must be 1 to 365.")
            }
            return Int(days)
        default:
            throw ErrorResponse.telemetry("There is no report with this name.")
        }
    }
}
