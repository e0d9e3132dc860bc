internal import Foundation
internal import LabKit
internal import LabSystem

/// The requests of a scenario with what was encrypted in them, for the page of its run.
struct ScenarioTraffic {
    /// The file, in the directory of the scenario.
    static let fileName = "traffic.json"
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

    /// Writes the requests down. A server that is dead, asleep or busy has no requests to show.
    ///
    /// - Parameter directory: of the scenario.
    func record(in directory: String) {
        guard
            let reply = try? instance.ask(
                .server, ControlRequest(command: ListRequests.name, actor: "server"), timeout: Self.patience),
            let requests = try? reply.get()["requests"]?.arrayValue, !requests.isEmpty
        else { return }
        let known = JSONValue.array(requests.map { redactor.redact($0.cut(to: Self.longestText)) })
        // The disk may be full; the history tells so.
        try? Files.write(known.encoded(), to: "\(directory)/\(Self.fileName)")
    }
}

extension JSONValue {
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
