import Foundation
import PowerAuthProtocol

/// The `Authorization` header of HTTP Basic (RFC 7617, section 2).
enum HTTPBasic {
    static func header(userName: String, password: String) -> String {
        "Basic \(StrictBase64.encode(Data("\(userName):\(password)".utf8)))"
    }
}
