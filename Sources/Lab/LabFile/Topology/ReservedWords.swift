/// The words that the scenario language keeps for itself: no actor can have them as its name.
public enum ReservedWords {
    /// Words that stand where a step's actor stands.
    public static let stepWords = [
        "advance", "check", "during", "each", "eventually", "include", "never", "order", "parallel", "race", "repeat",
        "same", "stays", "waitFor",
    ]
    /// Words beside a command.
    public static let commandSiblings = [
        "as", "either", "eventually", "expect", "fails", "note", "when", "with", "within",
    ]
    /// Words beside whatever stands in a step.
    public static let siblings = commandSiblings + ["others", "winners"]
    /// Actors that every instance has.
    public static let builtInActors = ["server", "faults", "clock", "trace"]
    /// Words that are answered with how to say it instead.
    public static let refused = [
        "delay", "else", "goto", "if", "loop", "pause", "retry", "sleep", "unless", "until", "wait", "while",
    ]
    /// Words of blocks and of the file itself.
    public static let structure = [
        "branches", "for", "in", "lab", "name", "rows", "row", "setup", "steps", "tags", "tearDown", "times", "values",
    ]

    /// All of them.
    public static let all = Set(stepWords + siblings + builtInActors + refused + structure)
}
