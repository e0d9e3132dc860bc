// SPDX-License-Identifier: Apache-2.0

import BankShared
import Foundation
import Testing
import UIKit
import WultraMobileTokenSDK

@testable import MobileBank

@Suite("Operations")
struct OperationTests {
    private let service = MockOperations()

    init() throws { try Phone.start() }

    private func makeInbox() -> OperationInbox { OperationInbox(service: service, cache: nil, defaults: nil) }

    @Test func `An operation is approved with the code of the other screen, and leaves the list`() throws {
        service.waiting = [try BankOperation.mock(id: "1"), try BankOperation.mock(id: "2")]
        let inbox = makeInbox()
        inbox.start()
        let operation = try #require(inbox.operations.first)
        var results: [Result<Void, BankFailure>] = []
        let pin = PowerAuthAuthentication.possessionWithPassword(password: "1234")
        inbox.approve(operation, with: pin, scanned: WMTPACData(operationId: "2", totp: "99")) { results.append($0) }
        #expect(throws: BankFailure.wrongCode) { try results.last?.get() }
        inbox.approve(operation, with: pin, scanned: WMTPACData(operationId: "1", totp: "99")) { results.append($0) }
        try results.last?.get()
        #expect(service.approvals.map { $0.proximityCheck?.totp } == ["99"] && inbox.operations.map { $0.id } == ["2"])
    }

    @Test func `Biometry approves only what the bank allows it for`() throws {
        let inbox = makeInbox()
        var failure: BankFailure?
        let biometry = PowerAuthAuthentication.possessionWithBiometry(prompt: "Pay")
        inbox.approve(try BankOperation.mock(), with: biometry) { if case .failure(let new) = $0 { failure = new } }
        #expect(failure == .biometryUnavailable && service.approvals.isEmpty)
        inbox.approve(try BankOperation.mock(factors: [.possessionBiometry]), with: biometry) { _ in }
        #expect(service.approvals.count == 1)
    }

    @Test func `An operation that is closed already leaves the list, and a failure without network does not`() throws {
        service.waiting = [try BankOperation.mock()]
        let inbox = makeInbox()
        inbox.start()
        let operation = try #require(inbox.operations.first)
        service.nextError = WMTError(reason: .network_noInternetConnection)
        inbox.reject(operation, reason: .incorrectData) { _ in }
        #expect(inbox.operations.count == 1)
        service.nextError = WMTError(reason: .operations_alreadyCanceled)
        inbox.reject(operation, reason: .custom("FRAUD")) { _ in }
        #expect(inbox.operations.isEmpty && service.rejections == ["1 INCORRECT_DATA", "1 FRAUD"])
        service.nextError = WMTError(reason: .network_timeOut)
        service.refreshOperations()
        #expect(inbox.lastFailure == .timeout)
    }

    @Test func `The cache in the folder of the app group keeps operations with all their parts`() throws {
        let party = #"{"logoUrl":"https://shop.example/l.png","name":"Shop","description":"Books"}"#
        let conversion = """
            {"type":"AMOUNT_CONVERSION","id":"fx","label":"Rate","dynamic":true,
            "sourceAmount":1.26,"sourceCurrency":"ETH","targetAmount":1710.98,"targetCurrency":"USD",
            "targetValueFormatted":"$1,710.98"}
            """
        func label(_ text: String) -> WMTOperationAttribute.AttributeLabel { .init(id: text.lowercased(), value: text) }
        let attributes: [WMTOperationAttribute] = [
            WMTOperationAttribute(type: .heading, label: label("Order")),
            WMTOperationAttributeAmount(
                label: label("Amount"), amountFormatted: "1,234.50", currencyFormatted: "Kč", valueFormatted: nil,
                amount: Decimal(string: "1234.5"), currency: "CZK"),
            WMTOperationAttributeKeyValue(label: label("Account"), value: "42"),
            WMTOperationAttributeNote(label: label("Note"), note: "Rent"),
            WMTOperationAttributePartyInfo(
                label: label("Shop"), partyInfo: try JSONDecoder().decode(WMTPartyInfo.self, from: Data(party.utf8))),
            WMTOperationAttributeImage(label: label("Slip"), thumbnailUrl: "https://t.example/1", originalUrl: nil),
            try JSONDecoder().decode(WMTOperationAttributeAmountConversion.self, from: Data(conversion.utf8)),
        ]
        let ui = WMTOperationUIData(
            flipButtons: true, blockApprovalOnCall: nil,
            preApprovalScreen: WMTPreApprovalScreen(
                type: .warning, heading: "Careful", message: "Is it you?", items: ["No calls"], approvalType: .slider),
            postApprovalScreen: WMTPostApprovalScreenRedirect(
                heading: "Done", message: "Back",
                payload: .init(text: "Shop", url: "https://shop.example", countdown: 5),
                type: .redirect))
        let instalment = InstalmentAttribute(label: label("Parts"), amount: 100, currency: "CZK", parts: 12)
        let operation = try BankOperation.mock(id: "all", attributes: attributes, ui: ui, instalment: instalment)
        operation.proximityCheck = WMTProximityCheck(totp: "4711", type: .deeplink)

        let cache = try #require(OperationCache<BankOperation>())
        try cache.save([operation, try BankOperation.mock(id: "old", expiresIn: -1)])
        let kept = try #require(OperationCache<BankOperation>()?.load())
        #expect(kept.map { $0.id } == ["all"])
        let found = try #require(kept.first)
        #expect(found.rows == operation.rows)
        #expect(
            found.rows.map { $0.text } == [
                "To the shop", "", "1,234.50 Kč", "42", "Rent", "Shop, Books", "", "1.26 ETH → $1,710.98",
            ])
        #expect(found.instalment?.row?.text == "12 × 100 CZK" && found.channel == "web")
        #expect(found.warning == "Careful\nIs it you?\nNo calls" && found.asksForSlider)
        #expect(found.farewell == "Shop: https://shop.example in 5 s" && found.proximityCheck?.totp == "4711")

        try cache.clear()
        #expect(cache.load().isEmpty)
    }

    @Test func `An attribute of the app's own class is written with its key, and read as that class`() throws {
        let link = try #require(URL(string: "https://bank.example/rent"))
        let note = LinkNote(label: .init(id: "note", value: "Note"), note: "Rent", link: link)
        let form = WMTOperationFormData(title: "Payment", message: "", attributes: [note])
        struct Form: Decodable { let attributes: [LinkNote] }
        let read = try JSONDecoder().decode(Form.self, from: JSONEncoder().encode(form))
        #expect(read.attributes.map { $0.link } == [link] && read.attributes.map { $0.note } == ["Rent"])
        #expect(read.attributes.first?.type == .note && read.attributes.first?.row?.style == .note)
    }

    @Test func `A push leads to its screen`() {
        let created: [AnyHashable: Any] = [
            "messageType": "mtoken.operationInit", "operationId": "1", "operationName": "login",
            "aps": ["alert": ["title": "Bank", "body": "Log in?"]],
        ]
        #expect(PushRouter.route(for: created) == .operation(id: "1", banner: "Bank: Log in?"))
        let finished: [AnyHashable: Any] = [
            "messageType": "mtoken.operationFinished", "operationId": "1", "operationName": "login",
            "mtokenOperationResult": "authentication.success",
        ]
        #expect(PushRouter.route(for: finished) == .operationClosed(id: "1", wasApproved: true))
        #expect(PushRouter.route(for: ["messageType": "mtoken.inboxMessage.new", "inboxId": "7"]) == .message(id: "7"))
        #expect(PushRouter.route(for: ["aps": [:]]) == nil)
    }
}
