import Foundation
import PowerAuthProtocol

/// Reads the text of a QR code (mobile-token.md, section 9.4). It verifies no signature: the app does, before it shows
/// anything.
///
/// Thread rule: any thread.
public struct WMTQROperationParser: Sendable {
    /// Makes a parser.
    public init() {}

    /// Reads a text.
    public func parse(string: String) -> Result<WMTQROperation, WMTQROperationParserError> {
        parseInDetail(string: string).mapError { failure in
            WMTLogger.info("The text of a QR code is not an operation: \(failure)")
            return failure.error
        }
    }

    /// Reads a text, and reports exactly what is wrong with it.
    public func parseInDetail(string: String) -> Result<WMTQROperation, WMTQROperationParserFailure> {
        do throws(WMTQROperationParserFailure) {
            return .success(try read(string))
        } catch {
            return .failure(error)
        }
    }

    /// Only the first mistake is reported, so the order of the checks is part of the format.
    private func read(_ text: String) throws(WMTQROperationParserFailure) -> WMTQROperation {
        // By character: CR LF does not end a line.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count >= 7 else { throw .init(reason: .tooFewLines(lines.count)) }
        guard !lines[0].isEmpty else { throw .init(reason: .emptyOperationId) }
        let signature = try signature(lines[lines.count - 1])
        let nonce = lines[lines.count - 2]
        guard StrictBase64.decode(nonce)?.count == 16 else { throw .init(reason: .malformedNonce) }
        let data = try QRFieldReader.data(lines[3])
        return WMTQROperation(
            operationId: lines[0], title: QRFieldReader.unescape(lines[1]), message: QRFieldReader.unescape(lines[2]),
            operationData: data, nonce: nonce, flags: WMTQROperationFlags(lines[4]),
            totp: lines.count > 7 ? lines[5] : nil,
            signedData: Data((lines.dropLast() + [String(signature.signingKey.rawValue)]).joined(separator: "\n").utf8),
            signature: signature, isNewerFormat: lines.count > 8)
    }

    private func signature(_ line: String) throws(WMTQROperationParserFailure) -> WMTQROperationSignature {
        guard let first = line.first else { throw .init(reason: .missingSignature) }
        guard let key = WMTQROperationSignature.SigningKey(rawValue: first) else {
            throw .init(reason: .unknownSigningKey(first))
        }
        let signature = String(line.dropFirst())
        guard let bytes = StrictBase64.decode(signature), (64...255).contains(bytes.count) else {
            throw .init(reason: .malformedSignature)
        }
        return WMTQROperationSignature(signingKey: key, signature: signature)
    }
}

extension Result<WMTQROperation, WMTQROperationParserError> {
    /// Whether the text was an operation.
    public var isSuccess: Bool { if case .success = self { true } else { false } }
}
