/// What must hold for the link between phone and watch (watch.md, sections 9.5 and 11.6).
public enum LinkCheckers {
    /// All of them, in the order of reports.
    public static let all: [any Checker] = [GuaranteedTransfers()]
}
