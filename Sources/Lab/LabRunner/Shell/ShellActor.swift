import LabFile
import LabKit

/// The app that a shell acts as, if every line is a command to it: the prompt of an app that was started by hand.
struct ShellActor {
    /// Its name.
    let name: String
    private let device: String
    private let instance: InstanceConnection

    /// - Throws: ``BadUsage`` if the instance has no app of that name.
    init(_ name: String, in instance: InstanceConnection) throws {
        guard let (device, _) = instance.manifest.topology.app(named: name) else {
            let known = instance.manifest.topology.apps.map(\.name)
            let advice =
                nearest(name, among: known).map { "did you mean `\($0)`?" }
                ?? "its apps are \(listed(known, by: "and"))"
            throw BadUsage(sentence: "the instance has no app `\(name)`; \(advice)")
        }
        self.name = name
        self.device = device.name
        self.instance = instance
    }

    /// A line with the actor prepended, unless it is a step in YAML or begins with another actor.
    func addressed(_ text: String) -> String {
        guard let first = text.split(whereSeparator: \.isWhitespace).first.map(String.init),
            !text.trimmed.contains("\n"), !first.hasPrefix("{"), !first.hasPrefix("-"), !first.hasSuffix(":")
        else { return text }
        let isCommand = instance.actors.command(named: first, of: name) != nil
        let isActor = instance.actors[first] != nil || ReservedWords.stepWords.contains(first)
        return isCommand || !isActor ? "\(name) \(text)" : text
    }

    /// The possible next words: the actor's own commands, and those that every shell takes.
    func candidates(_ line: String, by completion: ShellCompletion) -> (word: String, choices: [String]) {
        let own = completion.candidates("\(name) \(line)")
        guard !line.contains(" ") else {
            let isCommand = addressed(line) != line
            return isCommand ? own : completion.candidates(line)
        }
        let others = completion.candidates(line).choices.filter { !own.choices.contains($0) }
        return (own.word, (own.choices + others).sorted())
    }

    /// Whether a dialog of the app is waiting for the owner of the device.
    var isAsking: Bool {
        let prompt = try? TypedCall(BiometryPrompt()).perform(by: device, in: instance, timeout: Self.patience)
        return prompt?.app == name
    }

    /// Answers the open dialog.
    ///
    /// - Returns: Whether the word is an answer, and a dialog of the app is open.
    func answer(_ word: String) -> Bool {
        guard let answer = AuthenticationAnswer(rawValue: word), isAsking else { return false }
        var command = AnswerBiometry()
        command.answer = answer
        return (try? TypedCall(command).perform(by: device, in: instance, timeout: Self.patience)) != nil
    }

    private static let patience = LabDuration.seconds(5).stretched
}
