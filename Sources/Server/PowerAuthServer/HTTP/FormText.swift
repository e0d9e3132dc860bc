import Foundation

/// The text of HTML forms, in which OAuth 2.0 speaks (RFC 6749, appendix B).
enum FormText {
    /// The body of a form.
    static func encode(_ fields: [(name: String, value: String)]) -> Data {
        Data(fields.map { "\($0.name)=\(encode($0.value))" }.joined(separator: "&").utf8)
    }

    /// The credentials of a client as an `Authorization` header (RFC 6749, section 2.3.1).
    static func basicHeader(clientId: String, clientSecret: String) -> String {
        HTTPBasic.header(userName: encode(clientId), password: encode(clientSecret))
    }

    private static func encode(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: characters) ?? ""
    }

    private static let characters = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.*")
}
