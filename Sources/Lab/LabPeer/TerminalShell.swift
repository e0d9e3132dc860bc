import Foundation
import Glibc
import LabKit
import LabSystem

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
