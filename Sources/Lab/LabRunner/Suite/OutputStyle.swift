/// The style of a run's output, decided once from its destination and the user's environment.
public struct OutputStyle: Sendable, Equatable {
    /// Whether lines can be overwritten, so that the progress line is shown.
    public var showsProgress: Bool
    /// Whether verdicts have colours.
    public var isColoured: Bool
    /// Whether only failures and the total are shown.
    public var isQuiet = false

    /// A style that is decided already.
    public init(showsProgress: Bool, isColoured: Bool, isQuiet: Bool = false) {
        self.showsProgress = showsProgress
        self.isColoured = isColoured
        self.isQuiet = isQuiet
    }

    /// Decides by the environment: `NO_COLOR` disables colours (<https://no-color.org>), `CLICOLOR_FORCE` enables them
    /// for files and pipes too (<https://bixense.com/clicolors>), and with `TERM=dumb` the terminal supports neither.
    ///
    /// - Parameter isTerminal: Whether the output goes to a terminal.
    public init(isTerminal: Bool, environment: [String: String]) {
        let isCapable = isTerminal && environment["TERM"] != "dumb"
        let isForced = environment["CLICOLOR_FORCE"].map { !$0.isEmpty && $0 != "0" } ?? false
        let isForbidden = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        showsProgress = isCapable
        isColoured = !isForbidden && (isForced || isCapable)
    }

    /// Plain lines.
    public static let plain = OutputStyle(showsProgress: false, isColoured: false)
}
