// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabVocabulary

/// The commands about the network between apps and server, answered by the lab's powers.
///
/// Thread rule: any thread.
struct TrafficHandlers: Sendable {
    let powers: TestControls

    func add(to table: inout CommandDispatcher<ServerServices>) {
        table.answer(SlowAnswers.self) { arguments, _ in
            try arm(arguments.endpoint, times: arguments.times, skip: arguments.skip) {
                $0.latency = Int(arguments.by.nanoseconds / 1_000_000)
            }
        }
        table.answer(FailRequests.self) { arguments, _ in
            try arm(arguments.endpoint, times: arguments.times, skip: arguments.skip) {
                ($0.status, $0.code, $0.message) = (arguments.status, arguments.code, arguments.message)
                ($0.body, $0.contentType) = (arguments.body, arguments.contentType)
            }
        }
        table.answer(DropConnections.self) { arguments, _ in
            try arm(arguments.endpoint, times: arguments.times, skip: arguments.skip) {
                $0.drop = arguments.lost == .request ? .before : .after
            }
        }
        table.answer(CorruptAnswers.self) { arguments, _ in
            try arm(arguments.endpoint, times: arguments.times, skip: arguments.skip) { $0.corruptBody = true }
        }
        table.answer(EditAnswers.self) { arguments, _ in
            try arm(arguments.endpoint, times: arguments.times, skip: arguments.skip) {
                $0.edit = AnswerEdit(
                    part: arguments.part, remove: arguments.remove, replace: arguments.replace, add: arguments.add)
            }
        }
        table.answer(ShowWrongCertificate.self) { arguments, _ in
            var rule = TrafficFault()
            (rule.certificate, rule.times) = (arguments.kind.rawValue, arguments.times)
            return try arm(rule)
        }
        table.answer(HealTraffic.self) { arguments, _ in powers.faults.remove(id: arguments.id) }
        table.answer(ListTrafficFaults.self) { _, _ in
            powers.faults.all.map { armed in
                ListTrafficFaults.Fault {
                    $0.id = armed.rule.id ?? ""
                    $0.matched = armed.matched
                    $0.fired = armed.fired
                    $0.mistake = armed.mistake
                }
            }
        }
        table.answer(ListRequests.self) { arguments, _ in requests(arguments) }
    }

    private func arm(
        _ endpoint: MobileEndpoint, times: Int?, skip: Int, _ effect: (inout TrafficFault) -> Void
    ) throws -> ArmedTrafficFault {
        var rule = TrafficFault()
        (rule.path, rule.times, rule.skip) = (endpoint.path, times, skip)
        effect(&rule)
        return try arm(rule)
    }

    private func arm(_ rule: TrafficFault) throws -> ArmedTrafficFault {
        let armed = try powers.faults.add(rule)
        return ArmedTrafficFault { $0.id = armed.rule.id ?? "" }
    }

    private func requests(_ arguments: ListRequests) -> ListRequests.Result {
        let entries = powers.traffic.entries(after: arguments.after)
            .filter { Wildcard.matches(arguments.endpoint.path, $0.path) }
        return ListRequests.Result {
            $0.count = entries.count
            $0.requests = entries.map(ListRequests.Request.init)
        }
    }
}

extension ListRequests.Request {
    init(_ entry: TrafficEntry) {
        self.init()
        number = entry.number
        method = entry.method
        path = entry.path
        headers = entry.headers.mapValues(JSONValue.string)
        body = .traffic(entry.body)
        // A signed envelope in an envelope has two; the inner one is the app's.
        decrypted = entry.decrypted.last.map { .traffic($0.request) } ?? .null
        status = entry.status
        decryptedAnswer = entry.decrypted.last?.response.map(JSONValue.traffic) ?? .null
        answer = decryptedAnswer.isNull && !entry.answer.isEmpty ? .traffic(entry.answer) : .null
        fault = entry.fault
    }
}

extension JSONValue {
    /// The content of a request or answer: JSON, else text.
    static func traffic(_ text: String) -> JSONValue { (try? parse(Data(text.utf8))) ?? .string(text) }
}
