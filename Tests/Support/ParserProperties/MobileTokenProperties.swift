// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import WultraMobileTokenSDK

extension ParserProperty {
    /// Codes that an app scans, and URLs that it is opened with.
    static let mobileToken: [ParserProperty] = [
        ParserProperty("qr-operation", examples: qrCodes.map(\.bytes)) { data in
            guard let operation = try? WMTQROperationParser().parseInDetail(string: data.text).get() else { return }
            try require(
                operation.signedData + operation.signature.signature.bytes == data.text.bytes,
                "everything before the signature is signed", data)
            try require(!operation.operationId.isEmpty, "an operation has an identifier", data)
            try require(
                StrictBase64.decode(operation.nonce)?.count == 16
                    && StrictBase64.decode(operation.signature.signature).map { (64...255).contains($0.count) } == true,
                "nonce and signature have their sizes", data)
            let content = operation.operationData
            try require((0...99).contains(content.templateId) && content.fields.count <= 6, "data keep limits", data)
            let lines = data.text.split(separator: "\n", omittingEmptySubsequences: false)
            try require(content.sourceString == lines[3], "the data are signed as they came", data)
            for case .amount(let amount, let currency) in content.fields {
                try require(!amount.isNaN && currency.count == 3, "an amount is a number of a currency", data)
            }
            for case .account(let iban, let bic) in content.fields {
                try require(!iban.isEmpty && bic != "", "an account has an IBAN, and a bank or none", data)
            }
        },
        ParserProperty("proximity-code", examples: proximityCodes.map(\.bytes)) { data in
            guard let found = WMTPACUtils.parseQRCode(code: data.text) else { return }
            var link = URLComponents()
            link.scheme = "lab"
            link.host = "operation"
            func encoded(_ text: String) -> String? {
                text.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
            }
            link.queryItems = [URLQueryItem(name: "oid", value: encoded(found.operationId))]
            if let totp = found.totp { link.queryItems?.append(URLQueryItem(name: "totp", value: encoded(totp))) }
            guard let url = link.url else { return }
            try require(WMTPACUtils.parseDeeplink(url: url) == found, "a link can say the same", data)
        },
    ]

    private static let qrCodes: [String] = {
        let nonce = "AAECAwQFBgcICQoLDA0ODw=="
        let signature = Data(repeating: 7, count: 70).base64EncodedString()
        let head = #"id\#nTitle \\ a\#nMessage\n b\#nA1*A250.50EUR*ICZ65,BIC**D20301224*NRent \* a\#nBXFC"#
        return ["\(head)\n\(nonce)\n0\(signature)", "\(head)\n48201934\nmore\n\(nonce)\n1\(signature)"]
    }()

    private static let proximityCodes: [String] = [
        "scheme://operation?oid=E%2F%2Bx%3D&totp=12345678", "scheme://operation?oid=6a1cb007-ff75&potp=1",
        "eyJhbGciOiJub25lIn0.\(Data(#"{"oid":"6a1cb007","potp":"87654321"}"#.utf8).base64EncodedString())",
    ]
}
