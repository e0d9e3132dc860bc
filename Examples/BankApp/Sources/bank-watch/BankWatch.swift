// SPDX-License-Identifier: Apache-2.0

import BankKit
import LabApp
import PowerAuth2ForWatch

/// The watch app: it has what the phone has sent.
@main
final class BankWatch: WatchApp {
    private let context: Context
    private let payments: PaymentList

    init(_ context: Context) throws {
        self.context = context
        payments = PaymentList(server: try context.serverURL, settings: context.settings, log: context.log)
    }

    static let errors: [any AppError.Type] = [BankError.self]

    static let commands: [Command<BankWatch>] = [
        Command("showPayments", "Shows the payments that wait.") { watch in
            try await watch.payments.load(watch.context.sdk.tokenStore)
        }
    ]
}
