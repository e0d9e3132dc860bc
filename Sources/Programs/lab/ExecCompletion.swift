import LabRunner

/// Completes `lab exec` by the instance that runs here; without one there is nothing to complete.
enum ExecCompletion {
    /// The names of actors.
    @Sendable static func actors(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        completion(for: words)?.names ?? []
    }

    /// The commands of the actor that was typed.
    @Sendable static func commands(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        guard let actor = typed(words).first else { return [] }
        return completion(for: words)?.commands(of: actor) ?? []
    }

    /// The parameters of the command that was typed.
    @Sendable static func parameters(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        let typed = typed(words)
        guard typed.count > 1 else { return [] }
        return completion(for: words)?.parameters(of: typed[1], by: typed[0]) ?? []
    }

    private static func completion(for words: [String]) -> CallCompletion? {
        let name = words.firstIndex(of: "--instance").flatMap { words.indices.contains($0 + 1) ? words[$0 + 1] : nil }
        let connection = try? InstanceLookup.find(name, labFile: SuiteReader.findLabFile(near: "."))
        return connection.map { CallCompletion(in: $0) }
    }

    /// What stands behind `exec`, without the option that names an instance.
    private static func typed(_ words: [String]) -> [String] {
        var rest = Array(words.drop { $0 != "exec" }.dropFirst())
        if let option = rest.firstIndex(of: "--instance") { rest.removeSubrange(option..<min(option + 2, rest.count)) }
        return rest
    }
}
