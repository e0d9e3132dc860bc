/// The preferred language of a request (RFC 9110, section 12.5.4).
struct AcceptedLanguage: Sendable {
    /// The whole tag, such as `en-US`.
    let locale: String
    /// Its first part, such as `en`.
    let language: String

    /// - Parameter header: `Accept-Language`; without one, and for `*`, the language is English.
    init(header: String?) {
        var best: (locale: String, weight: Double)?
        for range in (header ?? "").split(separator: ",") {
            let parts = range.split(separator: ";").map { $0.trimmingPrefix { $0 == " " } }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            guard let tag = parts.first.map({ String($0.prefix { $0 != " " }) }), Self.isTag(tag), weight > 0,
                weight > best?.weight ?? 0
            else { continue }
            best = (tag, weight)
        }
        locale = best?.locale ?? UITemplates.defaultLanguage
        language = locale.prefix { $0 != "-" && $0 != "_" }.lowercased()
    }

    private static func isTag(_ text: String) -> Bool {
        text.wholeMatch(of: /[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,4}/) != nil
    }
}
