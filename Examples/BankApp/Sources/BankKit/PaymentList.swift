// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import LabApp
import PowerAuth2

/// The payments that wait, as app, widget and watch show them. They are requested with a token, so no process needs the
/// user's PIN.
@MainActor
public final class PaymentList {
    /// The token's name.
    public static let tokenName = "payments"

    private let server: String
    private let keepsToken: Bool
    private let log: @MainActor (String) -> Void
    private var kept: PowerAuthToken?

    /// - Parameters:
    ///   - server: Where requests go, without a slash at the end.
    ///   - settings: What the lab file says; `keepsToken: yes` brings back a mistake that the app once had.
    ///   - log: Takes a sentence for the trace.
    public init(server: String, settings: [String: String], log: @escaping @MainActor (String) -> Void) {
        self.server = server
        self.log = log
        keepsToken = settings["keepsToken"] == "yes"
    }

    /// Asks the bank.
    ///
    /// - Parameter store: The tokens of the process.
    /// - Throws: ``BankError``, or why the bank cannot be reached.
    public func load(_ store: any PowerAuthTokenStore) async throws -> [Payment] {
        guard let token = token(in: store), let header = token.generateHeader() else { throw BankError.notLoggedIn }
        let stored = store.localToken(withName: Self.tokenName)?.tokenIdentifier ?? "none"
        log("asks with the token \(token.tokenIdentifier); stored is \(stored)")
        guard let url = URL(string: server + "/api/auth/token/app/operation/list") else {
            throw BankError.bankUnavailable
        }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = Data("{}".utf8)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue(header.value, forHTTPHeaderField: header.key)
        let (body, response) = try await URLSession.shared.data(for: request)
        switch (response as? HTTPURLResponse)?.statusCode {
        case 200: return try JSONDecoder().decode(Answer.self, from: body).responseObject
        case 401: throw BankError.tokenRefused
        default: throw BankError.bankUnavailable
        }
    }

    /// The token that the app has made. Its name stays when it is made anew, and the object does not: who keeps it asks
    /// with a token that the bank has forgotten.
    private func token(in store: any PowerAuthTokenStore) -> PowerAuthToken? {
        if keepsToken, let kept { return kept }
        kept = store.localToken(withName: Self.tokenName)
        return kept
    }

    /// What the bank answers.
    private struct Answer: Decodable {
        let responseObject: [Payment]
    }
}
