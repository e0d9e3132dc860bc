import ArgumentParser
import LabKit
import LabRunner

/// An unknown word in the place of a command. The parser would report an extra argument, without listing the commands.
enum UnknownCommand {
    /// Refuses such a word.
    ///
    /// - Parameter words: The command line after the program's name.
    static func check(_ words: [String], of root: any ParsableCommand.Type) throws {
        var command = root
        var path = root.configuration.commandName ?? ""
        for word in words {
            let known = command.configuration.subcommands
            guard !known.isEmpty, !word.hasPrefix("-"), word != "help" else { return }
            guard let next = known.first(where: { $0.configuration.commandName ?? $0._commandName == word }) else {
                let names = known.map { $0.configuration.commandName ?? $0._commandName }
                let advice = nearest(word, among: names).map { "; did you mean `\(path) \($0)`?" } ?? "."
                throw BadUsage(
                    sentence: "there is no command `\(path) \(word)`\(advice) `\(path) --help` lists all commands")
            }
            command = next
            path += " \(word)"
        }
    }
}
