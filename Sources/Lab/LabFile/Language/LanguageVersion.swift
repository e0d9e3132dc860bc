/// The version of the scenario language, which the header key `version` of a file may name.
///
/// It counts changes that give a file another meaning. A new word does not change it, nor does a word that is renamed and
/// still understood.
public enum LanguageVersion {
    /// The version that this lab speaks.
    public static let current: Int64 = 1
    /// The key that names it.
    public static let key = "version"

    /// Reads `version:` of a file.
    ///
    /// - Returns: Whether the lab can read the rest; every complaint about that would be a consequence otherwise.
    public static func isSpoken(by reader: MappingReader, reporting collector: DiagnosticCollector) -> Bool {
        guard let version = reader.integer(key) else { return true }
        guard version <= current else {
            let place = reader.node[key]?.place ?? reader.place(of: key)
            collector.report(.newerLanguage(version: version, spoken: current), at: place)
            return false
        }
        if version < 1 {
            collector.report(
                .outOfRange(what: "`\(key)`", value: String(version), limit: "1 or more"), at: reader.place(of: key))
        }
        return true
    }
}
