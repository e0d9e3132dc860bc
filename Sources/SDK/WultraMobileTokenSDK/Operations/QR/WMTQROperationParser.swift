// SPDX-License-Identifier: Apache-2.0

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
    public func parse(string: String) -> WMTQROperationParseResult {
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
            operationData: data, nonce: nonce, flags: QROperationFlags(lines[4]),
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

/// An operation, or the reason why a text is not an operation.
public typealias WMTQROperationParseResult = Result<WMTQROperation, WMTQROperationParserError>

extension WMTQROperationParseResult {
    /// Whether the text was an operation.
    public var isSuccess: Bool { if case .success = self { true } else { false } }
}

/// Why a text is not an operation (mobile-token.md, section 9.4).
public enum WMTQROperationParserError: Error, Equatable, Sendable {
    /// The text has less than seven lines.
    case minimumAttributeFieldsRequired
    /// The identifier is missing.
    case noOperationId
    /// The data are missing. Never the case: an empty line is a wrong version.
    case noOperationData
    /// The last line is not a key and signature.
    case invalidSignature
    /// The line before the last is not a nonce.
    case invalidNonce
    /// The data begin with no version.
    case invalidVersionString
    /// The version is followed by no number of a template.
    case invalidTemplateId
    /// There are too many fields, or one of them is malformed. ``WMTQROperationParserFailure/Reason`` states which.
    case tooManyDataFields
    /// The signed part cannot be converted. Never the case.
    case signatureFormatError
}

/// The same with what exactly is wrong (mobile-token.md, section 24, item 14).
public struct WMTQROperationParserFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// What exactly is wrong. Texts are those of the code.
    public enum Reason: Equatable, Sendable {
        /// How many lines there are; seven are needed.
        case tooFewLines(Int)
        /// The first line is empty.
        case emptyOperationId
        /// The last line is empty.
        case missingSignature
        /// The last line begins with another character than 0 or 1.
        case unknownSigningKey(Character)
        /// The signature is not Base64 of 64 to 255 bytes.
        case malformedSignature
        /// The nonce is not Base64 of 16 bytes.
        case malformedNonce
        /// The data begin with no capital letter.
        case malformedVersion
        /// The version is not followed by one or two digits.
        case malformedTemplateId(String)
        /// An amount is not a number with a currency of three letters.
        case malformedAmount(String)
        /// An account is not an IBAN with or without the code of a bank.
        case malformedAccount(String)
        /// A date is not eight digits that exist in the calendar.
        case malformedDate(String)
        /// How many fields there are; six are allowed.
        case tooManyFields(Int)
    }

    /// What exactly is wrong.
    public let reason: Reason

    /// What the parser reports.
    public var error: WMTQROperationParserError {
        switch reason {
        case .tooFewLines: .minimumAttributeFieldsRequired
        case .emptyOperationId: .noOperationId
        case .missingSignature, .unknownSigningKey, .malformedSignature: .invalidSignature
        case .malformedNonce: .invalidNonce
        case .malformedVersion: .invalidVersionString
        case .malformedTemplateId: .invalidTemplateId
        case .malformedAmount, .malformedAccount, .malformedDate, .tooManyFields: .tooManyDataFields
        }
    }

    /// Error and reason.
    public var description: String { "\(error): \(reason)" }
}
