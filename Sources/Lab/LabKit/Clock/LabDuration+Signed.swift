extension LabDuration {
    /// Reads a length of time with a unit that may be negative, such as a clock that is behind: `30s`, `-2m`.
    public init?(signed text: String) {
        guard text.hasPrefix("-") else {
            self.init(text)
            return
        }
        guard let length = LabDuration(String(text.dropFirst())) else { return nil }
        self.init(nanoseconds: -length.nanoseconds)
    }
}
