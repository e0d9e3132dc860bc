// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import Synchronization

/// Lets requests through that were meant for this machine by its own name, and know the token or have its cookie.
///
/// The token stands in the printed address only: a browser that shows it is redirected to the page with a cookie, so that it is in no
/// address bar, no history and no request after that. The cookie is for the page's own path, which is as long as a secret:
/// browsers show a cookie to every port of a machine, and so to the servers of its other users.
///
/// Thread rule: any thread.
struct DashboardAccess: RouterMiddleware {
    typealias Context = BasicRequestContext

    /// 16 random bytes in hexadecimal digits, as all of these.
    let token = DashboardAccess.secret()
    /// The path of the page, without slashes.
    let page = DashboardAccess.secret()
    private let cookie = DashboardAccess.secret()
    private let names = AllowedNames()

    private static let cookieName = "lab-dashboard"

    /// 16 random bytes in hexadecimal digits.
    static func secret() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<16).map { _ in
            let digits = String(UInt8.random(in: .min ... .max, using: &generator), radix: 16)
            return digits.count == 1 ? "0\(digits)" : digits
        }.joined()
    }

    /// From here on, requests to this port are answered.
    func serve(at port: Int) { names.set(["127.0.0.1:\(port)", "localhost:\(port)"]) }

    /// Sends a browser that has shown the token to the page, with the cookie.
    func grant() -> Response {
        Response(
            status: .seeOther,
            headers: [
                .location: "/\(page)/",
                .setCookie: "\(Self.cookieName)=\(cookie); HttpOnly; SameSite=Lax; Path=/\(page)",
            ])
    }

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response =
            if let refusal = refusal(of: request) {
                Response(
                    status: .forbidden, headers: [.contentType: "text/plain; charset=utf-8"],
                    body: .init(byteBuffer: ByteBuffer(string: "\(refusal)\n")))
            } else {
                try await next(request, context)
            }
        response.headers[.cacheControl] = "no-store"
        response.headers[.xContentTypeOptions] = "nosniff"
        for (name, value) in [("Referrer-Policy", "no-referrer"), ("X-Frame-Options", "DENY")] {
            if let name = HTTPField.Name(name) { response.headers[name] = value }
        }
        return response
    }

    private func refusal(of request: Request) -> String? {
        let allowed = names.all
        guard let host = request.head.authority, allowed.contains(host) else {
            return "This page is served to this machine only, at \(allowed.first ?? "127.0.0.1")."
        }
        if let origin = request.headers[.origin], !allowed.contains(where: { origin == "http://\($0)" }) {
            return "Requests of other pages are not answered."
        }
        let isKnown =
            request.uri.path == "/"
            ? request.uri.queryParameters["token"].map { Self.isEqual(String($0), token) } ?? false
            : cookies(of: request).contains { Self.isEqual($0, cookie) }
        guard isKnown else {
            return "The address lacks the token; `lab up --dashboard` has printed the whole address."
        }
        return nil
    }

    private func cookies(of request: Request) -> [String] {
        request.headers[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap { pair in
            let parts = pair.split(separator: "=", maxSplits: 1).map { $0.trimmingPrefix { $0 == " " } }
            return parts.count == 2 && parts[0] == Self.cookieName ? String(parts[1]) : nil
        }
    }

    /// In a time that does not depend on how much of it was right.
    private static func isEqual(_ given: String, _ secret: String) -> Bool {
        let (left, right) = (Array(given.utf8), Array(secret.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

/// The names under which the page is served. Thread rule: any thread.
private final class AllowedNames: Sendable {
    private let names = Mutex<[String]>([])

    var all: [String] { names.withLock { $0 } }

    func set(_ names: [String]) { self.names.withLock { $0 = names } }
}
