import Foundation
import LabKit
import LabSystem
import SimulatedDevice

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

    /// Answers the open dialog.
    ///
    /// - Returns: false when the word is not an answer, or no dialog of the app is open.
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
