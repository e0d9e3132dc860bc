import Foundation
import PowerAuthProtocol

/// An X.509 certificate for a P-256 key (RFC 5280), as far as a lab needs one.
struct Certificate: Sendable {
    /// Who answers for it.
    enum Issuer {
        case itself
        case authority(name: String, key: PrivateKey)
    }

    /// What is certified.
    struct Request {
        var commonName: String
        var notBefore: ServerTime
        var notAfter: ServerTime
        var isAuthority = false
        var hostNames: [String] = []
        /// IPv4 addresses, four bytes each.
        var addresses: [Data] = []
    }

    /// The certificate itself.
    let der: Data

    /// Makes and signs a certificate.
    /// - Throws: `ProtocolError` for lack of entropy or memory.
    init(_ request: Request, for key: PrivateKey, issuer: Issuer) throws {
        let issuerName: String
        let issuerKey: PrivateKey
        switch issuer {
        case .itself: (issuerName, issuerKey) = (request.commonName, key)
        case .authority(let name, let key): (issuerName, issuerKey) = (name, key)
        }
        let algorithm = DERWriter.sequence(DERWriter.identifier([1, 2, 840, 10045, 4, 3, 2]))
        let content = DERWriter.sequence(
            DERWriter.explicit(0, DERWriter.integer(Data([2]))),
            DERWriter.integer(Random.nonZeroBytes(16)),
            algorithm,
            Self.name(issuerName),
            DERWriter.sequence(DERWriter.time(request.notBefore), DERWriter.time(request.notAfter)),
            Self.name(request.commonName),
            DERWriter.sequence(
                DERWriter.sequence(
                    DERWriter.identifier([1, 2, 840, 10045, 2, 1]),
                    DERWriter.identifier([1, 2, 840, 10045, 3, 1, 7])),
                DERWriter.bitString(key.publicKey.uncompressed)),
            DERWriter.explicit(3, Self.extensions(request, key: key, issuerKey: issuerKey)))
        der = DERWriter.sequence(content, algorithm, DERWriter.bitString(try issuerKey.sign(content)))
    }

    /// The textual form of PEM files.
    var pem: String { PEM.text("CERTIFICATE", der) }

    private static func name(_ commonName: String) -> Data {
        DERWriter.sequence(
            DERWriter.set(DERWriter.sequence(DERWriter.identifier([2, 5, 4, 3]), DERWriter.utf8(commonName))))
    }

    private static func extensions(_ request: Request, key: PrivateKey, issuerKey: PrivateKey) -> Data {
        func `extension`(_ number: Int, isCritical: Bool = false, _ content: Data) -> Data {
            let identifier = DERWriter.identifier([2, 5, 29, number])
            let value = DERWriter.octetString(content)
            return isCritical
                ? DERWriter.sequence(identifier, DERWriter.yes, value) : DERWriter.sequence(identifier, value)
        }
        func keyIdentifier(_ key: PrivateKey) -> Data { Digest.sha256(key.publicKey.uncompressed).prefix(20) }
        let constraints = request.isAuthority ? DERWriter.sequence(DERWriter.yes) : DERWriter.sequence()
        let subjectKey = `extension`(14, DERWriter.octetString(keyIdentifier(key)))
        let authorityKey = `extension`(
            35, DERWriter.sequence(DERWriter.implicit(0, keyIdentifier(issuerKey))))
        let basic = `extension`(19, isCritical: true, constraints)
        guard !request.isAuthority else { return DERWriter.sequence(basic, subjectKey, authorityKey) }
        let names =
            request.hostNames.map { DERWriter.implicit(2, Data($0.utf8)) }
            + request.addresses.map { DERWriter.implicit(7, $0) }
        let alternatives = `extension`(17, names.reduce(into: Data()) { $0 += $1 }.asSequence)
        // For servers, and for the clients that tests make of them.
        let uses = `extension`(
            37,
            DERWriter.sequence(
                DERWriter.identifier([1, 3, 6, 1, 5, 5, 7, 3, 1]), DERWriter.identifier([1, 3, 6, 1, 5, 5, 7, 3, 2])))
        return DERWriter.sequence(basic, subjectKey, authorityKey, alternatives, uses)
    }
}

extension Data {
    fileprivate var asSequence: Data { DERWriter.sequence(self) }
}

/// The text armour of keys and certificates (RFC 7468).
enum PEM {
    static func text(_ label: String, _ der: Data) -> String {
        let lines = der.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN \(label)-----\n\(lines)\n-----END \(label)-----\n"
    }

    /// A P-256 private key in the form of RFC 5915.
    /// - Throws: `ProtocolError` for lack of memory.
    static func text(_ key: PrivateKey) throws -> String {
        let der = try DERWriter.sequence(
            DERWriter.integer(Data([1])), DERWriter.octetString(key.bigEndian),
            DERWriter.explicit(0, DERWriter.identifier([1, 2, 840, 10045, 3, 1, 7])),
            DERWriter.explicit(1, DERWriter.bitString(key.publicKey.uncompressed)))
        return text("EC PRIVATE KEY", der)
    }
}
