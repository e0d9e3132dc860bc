package import Foundation
import PowerAuthProtocol

/// A JWT signed with the private key of the device (protocol.md, section 10).
package struct DeviceToken: Sendable {
    /// What is signed: the encoded header and claims, joined by a dot.
    package let signingInput: String

    /// - Parameter claims: the claims as JSON.
    package init(claims: Data) {
        signingInput = JWT.signingInput(claims: claims, algorithm: .es256)
    }

    /// The complete token.
    /// - Parameter signature: ECDSA signature of ``signingInput`` in JOSE format, 64 bytes.
    package func signed(with signature: Data) -> String {
        "\(signingInput).\(Base64URL.encode(signature))"
    }
}
