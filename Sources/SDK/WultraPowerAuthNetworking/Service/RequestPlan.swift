// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthCore
import PowerAuthShared

/// One request as its caller defined it.
struct RequestPlan {
    /// Whose authority a request carries.
    enum Authorization {
        case none
        case signature(uriId: String, PowerAuthAuthentication)
        case token(name: String, PowerAuthAuthentication)
    }

    /// The JSON; nil when it could not be written.
    let body: Data?
    let path: String
    let authorization: Authorization
    let encryption: Encryption
    let headers: [String: String]?
    /// Seconds for the exchange; nil takes those of the configuration.
    let timeout: TimeInterval?
    let progress: ((Double) -> Void)?

    /// Whether the request takes its turn with the signed ones.
    var isSigned: Bool {
        if case .signature = authorization { true } else { false }
    }
}

enum Encryption {
    case none
    /// With a fresh encryptor of the SDK's.
    case scope(PowerAuthCoreEciesEncryptorScope)
    /// With an encryptor of the caller's.
    case given(PowerAuthCoreEciesEncryptor)

    /// - Parameters:
    ///   - configuration: the endpoint's requirements.
    ///   - encryptor: the caller's encryptor, which wins. Without one an endpoint that encrypts still does.
    init(_ configuration: WPNE2EEConfiguration, _ encryptor: PowerAuthCoreEciesEncryptor?) {
        if let encryptor {
            self = .given(encryptor)
        } else {
            switch configuration {
            case .notEncrypted: self = .none
            case .applicationScope: self = .scope(.application)
            case .activationScope: self = .scope(.activation)
            }
        }
    }
}

/// The headers of a request. Capital letters make no difference (networking.md, section 17, item 13).
struct HTTPHeaders {
    /// Names and values in the order they were first set.
    private(set) var fields: [(name: String, value: String)] = []

    /// Sets a header, in place of one with the name.
    mutating func set(_ name: String, _ value: String) {
        let field = (name: name, value: value)
        if let index = index(of: name) { fields[index] = field } else { fields.append(field) }
    }

    /// Sets a header unless there is one with the name.
    mutating func setDefault(_ name: String, _ value: String) {
        if index(of: name) == nil { fields.append((name, value)) }
    }

    /// Sets a caller's headers. Those of the protocol are the library's alone, so they are left out.
    mutating func merge(_ headers: [String: String]) {
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
            if name.lowercased().hasPrefix("x-powerauth-") {
                WPNLogger.error("The header '\(name)' is the library's own; the caller's value is not sent.")
            } else {
                set(name, value)
            }
        }
    }

    private func index(of name: String) -> Int? {
        fields.firstIndex { $0.name.caseInsensitiveCompare(name) == .orderedSame }
    }
}
