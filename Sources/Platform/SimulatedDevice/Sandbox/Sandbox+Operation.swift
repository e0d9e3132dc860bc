extension Sandbox {
    /// The lab operation on whose behalf the code runs: a step of a scenario, or a command typed by hand.
    ///
    /// The simulated platform sends it along, so that traces show cause and effect across processes. Code that
    /// continues on another thread sets it again there.
    @TaskLocal public static var operation: String?
}
