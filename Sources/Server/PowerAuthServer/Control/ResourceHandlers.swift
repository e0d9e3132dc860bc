// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import LabControl
import LabCore
import LabVocabulary

/// Answers the command `call`: finds the resource of a path and calls it as the HTTP side would.
///
/// Fault rules do not touch these calls, and the traffic journal does not show them: they belong to the scenario, not
/// to the network it examines. Thread rule: the workers' executor.
struct ResourceHandlers: Sendable {
    let endpoints: [Endpoint]
    let journal: (any ServerJournal)?
    /// The credentials of the back office; nil when it is open.
    let credentials: LabServer.Credentials?
    /// The access token of `/lab`; nil where it is not offered.
    let labAccess: LabAccess?
    /// How the JSON of requests is read.
    let reading: JSONReading

    func add(to table: inout CommandDispatcher<ServerServices>, on workers: WorkerThreads) {
        table.start(CallResource.self) { arguments, _, reply in
            Task(executorPreference: workers.executor) {
                do {
                    reply(.success(try await call(arguments)))
                } catch {
                    reply(.failure(error))
                }
            }
        }
    }

    /// Calls the resource.
    ///
    /// - Returns: the response object of the back office, or `null` without one; the whole body of any other resource.
    /// - Throws: `ControlError` with the code and the message of an error answer.
    private func call(_ arguments: CallResource) async throws(ControlError) -> JSONValue {
        let parts = arguments.path.split(separator: "?", maxSplits: 1).map(String.init)
        let path = parts.first ?? ""
        guard let (endpoint, parameters) = resource(at: path) else {
            throw .badArgument(
                "path: the server has no resource '\(path)' below /rest/v3 or /lab; /openapi.json lists them")
        }
        let response = await endpoint.respond(
            to: ServerRequest(
                method: arguments.method.rawValue, path: endpoint.path, query: parts.count > 1 ? parts[1] : nil,
                headers: headers, body: body(of: arguments, for: endpoint.face), parameters: parameters,
                reading: reading),
            journal: journal)
        return try content(of: response)
    }

    private func resource(at path: String) -> (Endpoint, [String: String])? {
        for endpoint in endpoints where endpoint.face == .backOffice || endpoint.face == .lab {
            if let parameters = ResourcePattern(endpoint.path).placeholders(in: path) { return (endpoint, parameters) }
        }
        return nil
    }

    private var headers: HTTPFields {
        var headers: HTTPFields = [.contentType: "application/json"]
        headers[.authorization] = credentials.map {
            HTTPBasic.header(userName: $0.userName, password: $0.password)
        }
        if let field = HTTPField.Name(LabAccess.header) { headers[field] = labAccess?.token }
        return headers
    }

    private func body(of arguments: CallResource, for face: APISurface) -> Data {
        guard face == .backOffice else { return arguments.request.map { JSONValue.object($0).encoded() } ?? Data() }
        return JSONValue.object(["requestObject": .object(arguments.request ?? [:])]).encoded()
    }

    private func content(of response: ServerResponse) throws(ControlError) -> JSONValue {
        let json = (try? JSONValue.parse(response.body)) ?? .null
        guard response.status == 200, json["status"] != "ERROR" else {
            throw ControlError(
                domain: "PowerAuthServer", name: json["responseObject"]?["code"]?.stringValue ?? "failed",
                message: json["responseObject"]?["message"]?.stringValue ?? "the server answered \(response.status)")
        }
        return json["status"] == "OK" ? json["responseObject"] ?? .null : json
    }
}
