internal import Foundation
internal import LabKit
internal import LabSystem

/// The requests of a scenario with what was encrypted in them, for the page of its run.
struct ScenarioTraffic {
    /// The file, in the directory of the scenario.
    static let fileName = "traffic.json"
    /// How many requests are kept, the newest: a page must not grow without end.
    private static let most = 2_000
    /// How long the server may take to tell, in real time; a page without requests is better than a run that waits.
    private static let patience = LabDuration.seconds(1).stretched
    /// Longest text that is kept of a body, in characters: what was encrypted is there in the clear, too.
    private static let longestText = 2_000

    private let instance: InstanceConnection
    private let redactor: Redactor

    /// - Parameters:
    ///   - instance: the instance that ran the scenario, before it ends.
    ///   - redactor: masks the scenario's secrets.
    init(of instance: InstanceConnection, redactor: Redactor) {
        self.instance = instance
        self.redactor = redactor
    }

    /// Writes the requests down, also those that a server got before it died.
    ///
    /// - Parameter directory: of the scenario.
    func record(in directory: String) {
        let known = RequestRecord.read(instance.layout).suffix(Self.most).map(shown)
        guard !known.isEmpty else { return }
        // The disk may be full; the history tells so.
        try? Files.write(JSONValue.array(known).encoded(), to: "\(directory)/\(Self.fileName)")
    }

    /// The requests without secrets, oldest first; none of a server that does not tell.
    ///
    /// - Parameters:
    ///   - number: only those after the request of this number.
    ///   - clients: the connections that the question goes over; nil for those of the instance.
    func requests(after number: Int64, over clients: ControlClients? = nil) -> [JSONValue] {
        let question = ControlRequest(
            command: ListRequests.name, arguments: .object(["after": .integer(number)]), actor: "server")
        let reply = try? instance.ask(.server, question, timeout: Self.patience, over: clients)
        let requests = try? reply?.get()["requests"]?.arrayValue
        return (requests ?? []).map(shown)
    }

    private func shown(_ request: JSONValue) -> JSONValue {
        // Half a secret would not be known as one, so that nothing is cut before.
        redactor.redact(request.withoutProtocolSecrets).cut(to: Self.longestText)
    }
}

extension JSONValue {
    /// What the protocol keeps in the envelopes, by the names of the members.
    private static let protocolSecrets: Set = [
        "tokenSecret", "ctrData", "puk", "otp", "activationOtp", "password", "clientSecret",
    ]

    /// The same value with secrets of the protocol masked: what was encrypted is shown, but no secret is on a page.
    fileprivate var withoutProtocolSecrets: JSONValue {
        switch self {
        case .array(let elements): .array(elements.map(\.withoutProtocolSecrets))
        case .object(let members):
            .object(
                Dictionary(
                    uniqueKeysWithValues: members.map { name, value in
                        let isSecret = Self.protocolSecrets.contains(name) && value.stringValue != nil
                        return (name, isSecret ? .string(Secret.mask) : value.withoutProtocolSecrets)
                    }))
        default: self
        }
    }

    /// The same value with no text longer than some characters.
    fileprivate func cut(to length: Int) -> JSONValue {
        switch self {
        case .string(let text) where text.utf8.count > length:
            .string("\(text.prefix(length))… (\(text.utf8.count) bytes)")
        case .array(let elements): .array(elements.map { $0.cut(to: length) })
        case .object(let members): .object(members.mapValues { $0.cut(to: length) })
        default: self
        }
    }
}
