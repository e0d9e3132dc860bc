// SPDX-License-Identifier: Apache-2.0

import LabCore
import ScenarioLanguage

/// The meaning of a name that the lab prints, and the advice for it: the text of `lab explain` and docs/errors.md.
///
/// An immutable value. Thread rule: any thread.
public struct Explanation: Sendable {
    /// The name as it is printed.
    public let name: String
    /// The kind of thing that has the name.
    public let subject: Subject
    /// The number beside the name of an error.
    public let code: Int?
    /// The fixed part of the message of such failures, and of the lines that name such causes.
    public let printed: String?
    /// The meaning, in a sentence or two.
    public let meaning: String
    /// Whether a scenario can cause it.
    let reachability: Reachability
    /// The advice.
    public let advice: String
    /// Citations of the specification.
    public let references: [String]
    /// Scenarios of the catalogue that show it; paths below `Scenarios`.
    public let scenarios: [String]

    /// Common causes, or a sentence that says why no scenario can cause it.
    public var causes: [String] {
        switch reachability {
        case .reachable(let causes): causes
        case .unreachable(let reason): ["Nothing: \(reason)"]
        }
    }

    /// Whether a scenario can cause it, and how. A literal stands for what one can cause.
    enum Reachability: Sendable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
        case reachable(by: [String])
        /// Why nothing causes it, as it is printed after "Nothing: ".
        case unreachable(String)

        init(stringLiteral cause: String) { self = .reachable(by: [cause]) }
        init(arrayLiteral causes: String...) { self = .reachable(by: causes) }
    }

    /// The kinds of name.
    public enum Subject: CaseIterable, Sendable {
        case verdict, stepFailure, cause, sdkError, transportError, networkingError, scannedCodeError, watchError
        case labError, deviceError, serverError, restError, faultPoint

        /// A description of the kind, in the plural.
        public var title: String {
            switch self {
            case .verdict: "Verdicts"
            case .stepFailure: "Ways in which a step or a scenario fails"
            case .cause: "Causes of a failed step, the lines with `because`"
            case .sdkError: "Errors of the SDKs, `PowerAuthErrorDomain`"
            case .transportError: "Requests without an answer, `NSURLErrorDomain`"
            case .networkingError: "Errors of the networking and the Mobile Token SDK, `WPNError`"
            case .scannedCodeError: "Errors of scanned operations, `WMTQROperationParserError`"
            case .watchError: "Errors of the link to the watch, `WCErrorDomain`"
            case .labError: "Errors of the lab, `lab`"
            case .deviceError: "Errors of a device, `device`"
            case .serverError: "Errors of the server's back office, `PowerAuthServer`"
            case .restError: "Codes of the server's answers to devices, `responseCode`"
            case .faultPoint: "Fault points"
            }
        }
    }

    init(
        _ name: String, _ subject: Subject, code: Int? = nil, _ meaning: String, causes: Reachability = [],
        advice: String, references: [String] = [], scenarios: [String] = [], printed: String? = nil
    ) {
        self.name = name
        self.subject = subject
        self.code = code
        self.meaning = meaning
        reachability = causes
        self.advice = advice
        self.references = references
        self.scenarios = scenarios
        self.printed = printed
    }

    /// All explanations, in the order of the listings.
    public static let all =
        verdicts + stepFailures + causeLines + sdkErrors + transportErrors + networkingErrors + scannedCodeErrors
        + watchErrors + labErrors + deviceErrors + serverErrors + restErrors + faultPoints

    /// The explanations of a name, or of the reason of a failure as printed.
    /// - Parameter text: A name, which an error and a verdict can share, or the reason or a cause of a failure.
    /// - Throws: ``BadUsage`` with the nearest name if the name is unknown.
    public static func find(_ text: String) throws -> [Explanation] {
        let reasons = all.compactMap(\.printed).filter(text.contains)
        let found = all.filter { explanation in
            guard explanation.name != text else { return true }
            // The longest match wins: "it failed with another error" contains "it failed".
            guard let printed = explanation.printed, reasons.contains(printed) else { return false }
            return !reasons.contains { $0 != printed && $0.contains(printed) }
        }
        guard found.isEmpty else { return found }
        let advice = nearest(text, among: Set(all.map(\.name))).map { "did you mean `\($0)`?" }
        throw BadUsage(
            sentence: "no explanation for `\(text)`; \(advice ?? "`lab explain` lists the names that are explained")")
    }
}
