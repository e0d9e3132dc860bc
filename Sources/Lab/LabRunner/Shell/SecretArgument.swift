import Foundation
import LabFile

/// A value of the short form that is not typed openly: `password=env:PIN` reads a variable of the environment,
/// `password=@-` reads a line without echo. The words are those of `lab exec`.
enum SecretArgument: Equatable {
    /// From this variable of the environment.
    case variable(String)
    /// Typed, or the next line of a file.
    case typed

    /// Nil for a value in the line itself.
    init?(_ text: String) {
        if text == "@-" {
            self = .typed
        } else if text.hasPrefix("env:"), text.count > 4 {
            self = .variable(String(text.dropFirst(4)))
        } else {
            return nil
        }
    }

    /// The value.
    ///
    /// - Throws: ``BadUsage`` if the variable is not set, or nothing was typed.
    func value(for name: String, secretLine: (String) -> String?) throws -> String {
        switch self {
        case .variable(let variable):
            guard let value = ProcessInfo.processInfo.environment[variable] else {
                throw BadUsage(.unsetEnvironmentVariable(name: variable))
            }
            return value
        case .typed:
            guard let line = secretLine(name) else { throw BadUsage(sentence: "nothing was typed for `\(name)`") }
            return line
        }
    }

    /// The variable from which a recorded scenario reads the value.
    func variable(for name: String) -> String {
        switch self {
        case .variable(let variable): variable
        case .typed: "LAB_\(name.uppercased())"
        }
    }
}

/// A secret given to a session: steps refer to it by a name, so that no record contains it.
struct GivenSecret: Equatable {
    /// The text between `${` and `}` in steps.
    let name: String
    /// The variable from which a recorded scenario reads it.
    let variable: String
    let text: String
}
