// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
import WultraPowerAuthNetworking

public struct Transfer: Codable, Equatable {
    public let account: String
    public let amount: Decimal
    public let currency: String

    public init(account: String, amount: Decimal, currency: String) {
        self.account = account
        self.amount = amount
        self.currency = currency
    }
}

public struct Receipt: Codable, Equatable {
    public let id: String
    public let bookedAt: Date
}

/// The bank's own endpoints.
enum BankEndpoint {
    typealias Rates = WPNEndpointBasic<WPNRequestBase, WPNResponseArray<String>>
    typealias Pay = WPNEndpointSigned<WPNRequest<Transfer>, WPNResponse<Receipt>>
    typealias Feedback = WPNEndpointSignedWithToken<FeedbackRequest, WPNResponseBase>

    static let rates: Rates = WPNEndpointBasic(endpointURLPath: "/api/rates")
    static let pay: Pay = WPNEndpointSigned(
        endpointURLPath: "/api/transfer", uriId: "/transfer", e2ee: .activationScope)
    static let feedback: Feedback = WPNEndpointSignedWithToken(endpointURLPath: "/api/feedback", tokenName: "feedback")
}

/// A request whose members stand at its top.
final class FeedbackRequest: WPNRequestBase {
    private enum CodingKeys: String, CodingKey { case stars }

    let stars: Int

    init(stars: Int) {
        self.stars = stars
        super.init()
    }

    required init(from decoder: Decoder) throws {
        stars = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .stars)
        try super.init(from: decoder)
    }

    override func encode(to encoder: Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(stars, forKey: .stars)
    }
}

public final class TransferService {
    private let networking: WPNNetworkingService

    public init(powerAuth: PowerAuthSDK, environment: BankEnvironment) {
        networking = WPNNetworkingService(
            powerAuth: powerAuth, config: environment.networking, serviceName: "transfers", acceptLanguage: "en")
        networking.concurencyStrategy = .serialSigned
        networking.responseDelegate = self
    }

    @discardableResult
    public func pay(
        _ transfer: Transfer, pin: String, completion: @escaping (Result<Receipt, BankFailure>) -> Void
    ) -> Operation {
        networking.post(
            data: WPNRequest(transfer), signedWith: .possessionWithPassword(password: pin), to: BankEndpoint.pay
        ) { response, error in
            if let receipt = response?.responseObject {
                completion(.success(receipt))
            } else {
                completion(.failure(BankFailure.map(error) ?? .unknown))
            }
        }
    }

    public func rates(completion: @escaping ([String]) -> Void) {
        networking.post(data: WPNRequestBase(), to: BankEndpoint.rates, timeoutInterval: 5) { response, _ in
            completion(response?.responseObject ?? [])
        }
    }

    public func sendFeedback(stars: Int) {
        networking.post(
            data: FeedbackRequest(stars: stars), signedWith: .possession(), to: BankEndpoint.feedback
        ) { _, _ in }
    }
}

extension TransferService: WPNResponseDelegate {
    public func responseReceived(from url: URL, statusCode: Int?, body: Data) {
        if statusCode == 503 { NotificationCenter.default.post(name: .bankIsClosed, object: self) }
    }

    public func encryptedResponseReceived(from url: URL, statusCode: Int?, body: Data, decrypted: Data) {}
}

extension Notification.Name {
    public static let bankIsClosed = Notification.Name("MobileBankIsClosed")
}
