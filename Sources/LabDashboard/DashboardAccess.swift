import HTTPTypes
import Hummingbird
import Synchronization

/// Lets requests through that know the token and were meant for this machine by its own name.
///
/// Thread rule: any thread.
struct DashboardAccess: RouterMiddleware {
    typealias Context = BasicRequestContext

    /// 16 random bytes in hexadecimal digits.
    let token: String
    private let names = AllowedNames()

    init() {
        var generator = SystemRandomNumberGenerator()
        token = (0..<16).map { _ in
            let digits = String(UInt8.random(in: .min ... .max, using: &generator), radix: 16)
            return digits.count == 1 ? "0\(digits)" : digits
        }.joined()
    }

    /// From here on, requests to this port are answered.
    func serve(at port: Int) { names.set(["127.0.0.1:\(port)", "localhost:\(port)"]) }

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
        // The address is the key.
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
        guard let given = request.uri.queryParameters["token"], isToken(String(given)) else {
            return "The address lacks the token; `lab up --dashboard` has printed the whole address."
        }
        return nil
    }

    /// In a time that tells nothing about how much of it was right.
    private func isToken(_ given: String) -> Bool {
        let (left, right) = (Array(given.utf8), Array(token.utf8))
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
