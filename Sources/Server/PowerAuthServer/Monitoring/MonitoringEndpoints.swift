import Foundation
import LabKit

/// Resources for operators and their tools: `/health`, `/metrics` and `/openapi.json`.
struct MonitoringEndpoints: Sendable {
    let context: ServiceContext
    let metrics: ServerMetrics
    /// Everything the document describes.
    let described: [Endpoint]

    private struct Health: Encodable {
        let status: String
    }

    var endpoints: [Endpoint] {
        [
            .lab("/health", methods: ["GET"]) { _ in
                // A server whose database does not answer is not healthy.
                _ = try context.read(ApplicationStore.all)
                return try .ok(Health(status: "UP"))
            },
            .page("/metrics", type: "text/plain; version=0.0.4; charset=utf-8") { metrics.text },
            .lab("/openapi.json", methods: ["GET"]) { _ in
                // Built on request: most servers never return it.
                try .ok(OpenAPIDocument(endpoints: described + self.endpoints).json)
            },
        ]
    }
}
