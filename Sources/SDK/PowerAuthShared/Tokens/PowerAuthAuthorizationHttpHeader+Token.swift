import Foundation
import PowerAuthProtocol

extension PowerAuthAuthorizationHttpHeader {
    /// Computes the header of one request with a token (protocol.md, section 11.2).
    ///
    /// - Parameters:
    ///   - record: the token.
    ///   - version: protocol version; from 3.2 on the digest covers it.
    ///   - time: seconds since 1970; nil results for a time before.
    static func token(
        _ record: TokenRecord, version: ProtocolVersion, time: TimeInterval
    ) -> PowerAuthAuthorizationHttpHeader? {
        guard let secret = try? TokenSecret(record.secret),
            let timestamp = UInt64(exactly: (time * 1000).rounded(.down))
        else { return nil }
        return .tokenHeader(
            withValue: TokenHeader(
                version: version, tokenId: record.identifier, secret: secret, timestamp: timestamp
            ).value)
    }
}
