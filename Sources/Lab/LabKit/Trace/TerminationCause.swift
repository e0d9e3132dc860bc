/// Why the system of a device ends the process of an app.
public enum TerminationCause: String, Choice {
    /// The process was suspended with a lock in a group container, `0xdead10cc`.
    case lockInGroupContainer
    /// The system needs memory.
    case memory
    /// The time of an extension is over, `timeLimit` in `lab.yaml`.
    case timeLimit
    /// The app that a push had woken did not say in time that it has finished.
    case backgroundTime
}
