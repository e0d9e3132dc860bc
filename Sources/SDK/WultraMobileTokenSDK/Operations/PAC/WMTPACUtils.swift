// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PowerAuthProtocol

/// What a second channel shows: an operation, and the proof that the user is near (mobile-token.md, section 10.3).
public struct WMTPACData: Decodable, Equatable, Sendable {
    private enum Key: String, CodingKey { case oid, totp, potp }

    /// Identifier of the operation.
    public let operationId: String
    /// The one-time password; nil without one.
    public let totp: String?

    /// - Parameters:
    ///   - operationId: identifier of the operation.
    ///   - totp: the one-time password.
    public init(operationId: String, totp: String?) {
        self.operationId = operationId
        self.totp = totp
    }

    /// Reads the payload of a JWT: `oid`, and `totp` or `potp`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        operationId = try container.decode(String.self, forKey: .oid)
        let potp = try container.decodeIfPresent(String.self, forKey: .potp)
        totp = try container.decodeIfPresent(String.self, forKey: .totp) ?? potp
    }
}

/// Reads the codes and links that a second channel shows (mobile-token.md, section 10.3). Thread rule: any thread.
public enum WMTPACUtils {
    /// Reads a link: `scheme://operation?oid=…&totp=…`, or `scheme://operation?code=…` with a JWT.
    /// - Returns: nil for any other link.
    public static func parseDeeplink(url: URL) -> WMTPACData? {
        guard let items = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems else {
            WMTLogger.info("The link has no query: \(url.absoluteString)")
            return nil
        }
        // Values may be encoded twice: once for the code, once for the link.
        if let id = items.first(where: { $0.name == "oid" })?.value?.removingPercentEncoding {
            let totp = items.first { $0.name == "totp" || $0.name == "potp" }?.value?.removingPercentEncoding
            return WMTPACData(operationId: id, totp: totp)
        }
        guard let code = (items.first { $0.name == "code" } ?? items.first)?.value else {
            WMTLogger.info("The link names no operation: \(url.absoluteString)")
            return nil
        }
        return parseJWT(code.removingPercentEncoding ?? code)
    }

    /// Reads the text of a QR code: a link, or a JWT alone.
    /// - Returns: nil for any other text.
    public static func parseQRCode(code: String) -> WMTPACData? {
        guard let encoded = code.addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed),
            let url = URL(string: encoded), url.scheme != nil
        else { return parseJWT(code) }
        return parseDeeplink(url: url)
    }

    /// Reads the payload of a JWT; header and signature mean nothing here.
    private static func parseJWT(_ code: String) -> WMTPACData? {
        let parts = code.split(separator: ".")
        guard parts.count > 1, let payload = decode(parts[1]),
            let operation = try? JSONDecoder().decode(WMTPACData.self, from: payload)
        else {
            WMTLogger.info("The code is not a JWT with an operation.")
            return nil
        }
        return operation
    }

    /// Both alphabets of Base64, with or without padding (mobile-token.md, section 24, item 15).
    private static func decode(_ text: Substring) -> Data? {
        var text = String(text).replacing("-", with: "+").replacing("_", with: "/")
        text += String(repeating: "=", count: (4 - text.count % 4) % 4)
        return StrictBase64.decode(text)
    }
}
