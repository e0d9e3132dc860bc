// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
package import LabCore
import LabSystem
import LabVocabulary
package import ScenarioLanguage

/// The requests of a scenario with their decrypted content, for the page of its run.
package struct ScenarioTraffic {
    /// The file, in the directory of the scenario.
    package static let fileName = "traffic.json"
    /// The maximum number of requests kept, the newest ones: a page must not grow without limit.
    private static let most = 2_000
    /// Maximum real time for the server's answer; a page without requests is better than a hanging run.
    private static let patience = LabDuration.seconds(1).stretched
    /// Maximum length of a text kept of a body, in characters; encrypted content is there in clear text, too.
    private static let longestText = 2_000

    /// The instance that ran the scenario, before it ends.
    package let instance: InstanceConnection
    package let redactor: Redactor

    package init(instance: InstanceConnection, redactor: Redactor) {
        self.instance = instance
        self.redactor = redactor
    }

    /// Records the requests, including those that a server got before it died.
    package func record(in directory: String) {
        let known = RequestRecord.read(instance.layout).suffix(Self.most).map(shown)
        guard !known.isEmpty else { return }
        // The disk may be full; the history records that.
        try? Files.write(JSONValue.array(known).encoded(), to: "\(directory)/\(Self.fileName)")
    }

    /// The requests without secrets, oldest first; empty if the server does not answer.
    /// - Parameter number: only those after the request with this number.
    package func requests(after number: Int64, over clients: ControlClients? = nil) -> [JSONValue] {
        let question = ControlRequest(
            command: ListRequests.name, arguments: .object(["after": .integer(number)]), actor: "server")
        let reply = try? instance.ask(.server, question, timeout: Self.patience, over: clients)
        let requests = try? reply?.get()["requests"]?.arrayValue
        return (requests ?? []).map(shown)
    }

    private func shown(_ request: JSONValue) -> JSONValue {
        // Part of a secret would not be recognised, so texts are cut only after masking.
        redactor.redact(request.withoutProtocolSecrets).cut(to: Self.longestText)
    }
}

extension JSONValue {
    /// The secrets in the protocol's envelopes, by the names of the members.
    private static let protocolSecrets: Set = [
        "tokenSecret", "ctrData", "puk", "otp", "activationOtp", "password", "clientSecret",
    ]

    /// The same value with secrets of the protocol masked: decrypted content is shown, but a page contains no secrets.
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

    /// The same value with all texts cut to a number of characters, and their whole size behind them.
    package func cut(to length: Int) -> JSONValue {
        switch self {
        case .string(let text) where text.utf8.count > length && text.count > length:
            // What was cut before keeps the size of the whole.
            let end = text.hasSuffix(" bytes)") ? text.firstMatch(of: /… \(\d+ bytes\)$/) : nil
            let size = end.map { String($0.0) } ?? "… (\(text.utf8.count) bytes)"
            return .string(text.prefix(length) + size)
        case .array(let elements): return .array(elements.map { $0.cut(to: length) })
        case .object(let members): return .object(members.mapValues { $0.cut(to: length) })
        default: return self
        }
    }
}
