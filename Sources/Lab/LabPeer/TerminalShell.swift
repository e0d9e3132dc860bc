// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabControl
import LabCore
import LabSystem
import LabVocabulary
import SimulatedDevice

/// `lab shell` on the terminal that a peer was started on: its lines are commands to the peer.
struct TerminalShell {
    private let program: String
    private let arguments: [String]
    /// Steps are read beside the lab file.
    private let hasLabFile: Bool

    init(for app: AppSpec, in layout: InstanceLayout, _ manifest: InstanceManifest) {
        program = manifest.executablesDirectory + "/lab"
        arguments = ["shell", "--instance", layout.root, "--as", app.name]
        hasLabFile = manifest.labFile != nil
    }

    /// Whether there is a terminal, and a shell for it.
    var isPossible: Bool { isatty(0) == 1 && isatty(1) == 1 && hasLabFile && access(program, X_OK) == 0 }

    /// Lets the shell have the terminal, and ends with it. The shell ends when this process does.
    func run() -> Never {
        // The key ends a step of the shell, and is nothing to this process.
        Signals.ignore(SIGINT)
        Signals.ignore(SIGQUIT)
        do {
            let shell = try ChildProcess.spawn(
                executable: program, arguments: arguments, standardInput: .inherit, deathSignal: SIGTERM)
            guard case .exited(let code) = try shell.wait() else { exit(1) }
            exit(code)
        } catch {
            FileHandle.standardError.write(Data("the prompt could not be started: \(error)\n".utf8))
            exit(1)
        }
    }
}

/// Reads a command written as words: its name, then parameters as `key=value`.
enum CommandWords {
    /// Splits a line at blanks; quotes, single or double, keep blanks together.
    static func split(_ line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            if let open = quote {
                if character == open { quote = nil } else { word?.append(character) }
            } else if character == "\"" || character == "'" {
                quote = character
                word = word ?? ""
            } else if character.isWhitespace {
                if let finished = word { words.append(finished) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }

    /// The request that the words stand for. Values are read by the type that the vocabulary gives to the parameter.
    /// - Throws: `ControlError` that names the word and says what was expected.
    static func request(_ words: [String], for app: AppSpec) throws(ControlError) -> ControlRequest {
        let name = words.first ?? ""
        guard let command = app.command(named: name) else {
            throw .unknownCommand(name, known: app.commands.map(\.name))
        }
        var arguments: [String: JSONValue] = [:]
        for word in words.dropFirst() {
            guard let separator = word.firstIndex(of: "=") else {
                throw .badArgument("`\(word)` is not of the form key=value.")
            }
            let key = String(word[..<separator])
            arguments[key] = try value(
                String(word[word.index(after: separator)...]), of: key, as: command.field(named: key)?.type)
        }
        // What is unknown, missing or does not fit is said as by the process that answers.
        _ = try command.checked(arguments)
        return ControlRequest(command: name, arguments: .object(arguments), actor: app.name)
    }

    /// The commands of an app, one a line.
    static func help(for app: AppSpec) -> String { app.commands.map { "\($0.name)  \($0.summary)\n" }.joined() }

    private static func value(
        _ text: String, of name: String, as type: FieldType?
    ) throws(ControlError) -> JSONValue {
        switch type {
        case .secret: .string(try secret(text, name))
        case nil, .text, .duration, .choice: .string(text)
        default: (try? JSONValue.parse(text)) ?? .string(text)
        }
    }

    /// A secret from the environment, from the terminal without echo, or as it stands.
    private static func secret(_ text: String, _ name: String) throws(ControlError) -> String {
        if text.hasPrefix("env:") {
            let variable = String(text.dropFirst(4))
            guard let value = ProcessInfo.processInfo.environment[variable] else {
                throw .badArgument("The environment variable `\(variable)` for `\(name)` is not set.")
            }
            return value
        }
        guard text == "@-" else { return text }
        guard isatty(0) == 1 else { return readLine() ?? "" }
        guard let answer = getpass("\(name): ") else {
            throw .badArgument("`\(name)` could not be read from the terminal.")
        }
        defer { memset(answer, 0, strlen(answer)) }
        return String(cString: answer)
    }
}

/// Lets the person at a peer's terminal answer the dialogs of the app: a dialog is printed, and the next line that is an
/// answer goes to it.
///
/// Thread rule: any thread.
final class DialogPrompter: Sendable {
    private let security: DeviceSecurity
    private let app: String
    /// Called for each dialog, after it was printed.
    let bell = HandlerSlot<Void>()

    init(_ sandbox: Sandbox) {
        security = sandbox.security
        app = sandbox.identity.name
        sandbox.authentication.onPrompt { [weak self] prompt in
            guard let self else { return }
            FileHandle.standardOutput.write(Data(Self.text(of: prompt).utf8))
            bell()
        }
    }

    /// Whether a dialog of the app is open.
    var isDialogOpen: Bool { security.prompt?.app == app }

    /// Answers the open dialog; false when the word is not an answer, or no dialog of the app is open.
    func answer(_ word: String) -> Bool {
        guard isDialogOpen, let answer = AuthenticationAnswer(rawValue: word) else { return false }
        return (try? security.answer(answer)) != nil
    }

    private static func text(of prompt: AuthenticationPrompt) -> String {
        let answers = AuthenticationAnswer.allCases.map(\.rawValue).joined(separator: ", ")
        let reason = prompt.reason.isEmpty ? "" : ": \(prompt.reason)"
        return "\(prompt.app) asks for you\(reason)\nanswer with one of \(answers)\n"
    }
}
