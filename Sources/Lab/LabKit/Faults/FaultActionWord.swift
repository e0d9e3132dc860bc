/// What can be armed at a fault point, as scenarios and command lines spell it.
public enum FaultActionWord: String, Choice {
    /// The process gets SIGKILL.
    case kill
    /// The passing thread is held for a time.
    case delay
    /// The passing code fails with an error.
    case fail
}
