import LabFile
import LabKit

extension ShellWord {
    /// The words of the shell itself.
    enum Own: String, CaseIterable {
        case help, kept, history, save, undo, quit

        var meaning: String {
            switch self {
            case .help: "help [ACTOR | COMMAND]   list actors, the commands of one, or the parameters of a command"
            case .kept: "kept                     list the values that steps have kept with `as`"
            case .history: "history                  list the input of this session; secrets are masked"
            case .save: "save FILE                write the steps as a scenario"
            case .undo: "undo                     remove the last step from the record"
            case .quit: "quit                     end the shell, like Ctrl-D"
            }
        }
    }
}

/// The shell's help about itself, its actors and their commands.
struct ShellHelp {
    let actors: ActorTable

    /// - Throws: ``BadUsage`` for an unknown name.
    func text(about name: String?) throws -> String {
        guard let name else { return overview }
        if actors[name] != nil {
            let commands = actors.commands(of: name)
            let width = commands.map { $0.name.count }.max() ?? 0
            return commands.map { "\($0.name.padded(to: width))  \($0.summary)" }.joined(separator: "\n")
        }
        let found = actors.commands.filter { $0.name == name }
        guard !found.isEmpty else {
            // A list of two hundred names would not help.
            let known = actors.names + actors.commands.map { $0.name }
            let advice =
                nearest(name, among: known).map { "did you mean `\($0)`?" }
                ?? "`help` lists the actors, `help ACTOR` the commands of one"
            throw BadUsage(sentence: "there is no actor or command called `\(name)`; \(advice)")
        }
        return found.map { VocabularyReference.text(of: $0) }.joined()
    }

    private var overview: String {
        """
        A step as in a scenario, `main: createActivation`, or short: ACTOR COMMAND name=value … as NAME.
        A list of steps can be pasted; an empty line ends it. ${NAME.member} is what a step has kept.
        Actors: \(actors.names.joined(separator: ", ")).
        \(ShellWord.Own.allCases.map(\.meaning).joined(separator: "\n"))
        """
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
