// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
import WultraMobileTokenSDK
import WultraPowerAuthNetworking

// The rows of the interface (mobile-token.md, sections 4 and 5) that no sample of the manual uses, one function a
// section. An application in the Swift 5 mode that names them all: if it no longer compiles, the interface has changed.

func factories(_ sdk: PowerAuthSDK, _ networking: WPNNetworkingService, _ config: WPNConfig) {
    let _: any WMTOperations = sdk.createWMTOperations(networkingConfig: config)
    let _: any WMTOperations = sdk.createWMTOperations(
        networkingConfig: config, pollingOptions: [.pauseWhenOnBackground])
    let _: any WMTOperations = sdk.createWMTOperations(
        networkingConfig: config, customUserOperationType: OwnOperation.self)
    let _: any WMTPush = sdk.createWMTPush(networkingConfig: config)
    let _: any WMTInbox = sdk.createWMTInbox(networkingConfig: config)
    let _: any WMTOperations = networking.createWMTOperations()
    let _: any WMTOperations = networking.createWMTOperations(
        pollingOptions: [], customUserOperationType: OwnOperation.self)
    let _: any WMTPush = networking.createWMTPush()
    let _: any WMTInbox = networking.createWMTInbox()
}

/// An application's own operation.
final class OwnOperation: WMTUserOperation {}

func currentOperations(_ service: any WMTOperations, _ authentication: PowerAuthAuthentication) {
    service.acceptLanguage = "cs"
    let _: WMTOperationsPollingOptions = service.pollingOptions
    let _: Result<[WMTUserOperation], WMTError>? = service.lastFetchResult
    let _: [WMTUserOperation]? = service.lastFetchResult?.operations
    let _: Bool = service.isLoadingOperations && service.isPollingOperations
    service.refreshOperations()
    let cancellable: any WMTCancellable = service.getOperations { _ in }
    if !cancellable.isCanceled { cancellable.cancel() }
    let _: Operation? = service.getHistory(authentication: authentication) {
        (_: Result<[WMTUserOperation], WMTError>) in
    }
    let _: Operation? = service.getHistory(authentication: authentication) {
        (result: Result<[WMTOperationHistoryEntry], WMTError>) in
        guard let entry = result.operations.first else { return }
        let _: (WMTOperationHistoryEntryStatus, WMTUserOperation) = (entry.status, entry.operation)
    }
    let completion: GetOperationsCompletion = { (_: GetOperationsResult) in }
    service.getOperations(completion: completion)
    let _: Operation? = service.getDetail(operationId: "id") { (_: Result<WMTUserOperation, WMTError>) in }
    let _: Operation? = service.claim(operationId: "id") { (_: Result<WMTUserOperation, WMTError>) in }
    let local = WMTLocalOperation(id: "id", data: "A2")
    let _: Operation? = service.authorize(operation: local, with: authentication) { (_: Result<Void, WMTError>) in }
    let _: Operation? = service.reject(operation: local, with: .custom("MY_REASON")) { (_: Result<Void, WMTError>) in }
    service.startPollingOperations(interval: 7, delayStart: false)
    service.startPollingOperations()
    service.stopPollingOperations()
}

/// An application's delegate.
final class OwnDelegate: WMTOperationsDelegate, WMTOperationExpirationWatcherDelegate, WMTLoggerDelegate {
    var wmtFollowVerboseLevel: Bool { true }
    func operationsChanged(operations: [WMTUserOperation], removed: [WMTUserOperation], added: [WMTUserOperation]) {}
    func operationsFailed(error: WMTError) {}
    func operationsLoading(loading: Bool) {}
    func operationsExpired(_ expiredOperations: [WMTExpirableOperation]) {}
    func wmtLog(message: String, logLevel: WMTLogLevel) {}
}

func inbox(_ service: any WMTInbox) {
    let _: Operation? = service.getUnreadCount { (_: Result<WMTInboxCount, WMTError>) in }
    let _: Operation? = service.getMessageList(pageNumber: 0, pageSize: 50, onlyUnread: false) {
        (_: Result<[WMTInboxMessage], WMTError>) in
    }
    let _: Operation? = service.getMessageDetail(messageId: "id") { (_: Result<WMTInboxMessageDetail, WMTError>) in }
    let _: Operation? = service.markRead(messageId: "id") { (_: Result<Void, WMTError>) in }
    let _: Operation? = service.markAllRead { (_: Result<Void, WMTError>) in }
    let _: WMTCancellable? = service.getAllMessages { (_: Result<[WMTInboxMessage], WMTError>) in }
}

func helpers(_ operation: WMTUserOperation, _ delegate: OwnDelegate) {
    operation.proximityCheck = WMTProximityCheck(totp: "12345678", type: .qrCode)
    let watcher = WMTOperationExpirationWatcher()
    watcher.currentDateProvider = WMTOffsetDateProvider(offset: 1)
    watcher.delegate = delegate
    let _: [WMTExpirableOperation] = watcher.add(operation)
    let _: [WMTExpirableOperation] = watcher.remove([operation])
    let _: [WMTExpirableOperation] = watcher.removeAll() + watcher.getWatchedOperations()
    let _: WMTPACData? = WMTPACUtils.parseQRCode(code: "code")
    let _: WMTPACData? = WMTPACUtils.parseDeeplink(url: URL(string: "app://operation?oid=1")!)
    if case .operationCreated(let id, let name, let content, let originalData)? = WMTPushParser.parseNotification([:]) {
        let _: (title: String, message: String)? = content
        let _: (String, String, String?, [AnyHashable: Any]) = (id, name, content?.title, originalData)
    }
    let parsed: WMTQROperationParseResult = WMTQROperationParser().parse(string: "code")
    let _: QROperationFlags? = try? parsed.get().flags
    WMTLogger.verboseLevel = .debug
    WMTLogger.delegate = delegate
    let _: WMTErrorReason = .operations_QROperationFailed
    let _: WMTErrorReason = .push_alreadyRegistering
}

/// An application's own attribute, with a key more.
final class OwnAttribute: WMTOperationAttributeKeyValue {
    enum Key: CodingKey { case colour }

    override func encode(to encoder: Encoder) throws {
        try super.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode("red", forKey: .colour)
    }
}

func keptOperations(_ operations: [WMTUserOperation]) throws -> [WMTUserOperation] {
    try JSONDecoder().decode([WMTUserOperation].self, from: JSONEncoder().encode(operations))
}

func madeParts(_ party: WMTPartyInfo, _ money: WMTOperationAttributeAmountConversion.Money) throws {
    let _: (URL, URL?, String) = (party.logoUrl, party.websiteUrl, party.name + party.description)
    let label = WMTOperationAttribute.AttributeLabel(id: "id", value: "Label")
    let attributes: [WMTOperationAttribute] = [
        WMTOperationAttribute(type: .heading, label: label), OwnAttribute(label: label, value: "v"),
        WMTOperationAttributeNote(label: label, note: "n"),
        WMTOperationAttributePartyInfo(label: label, partyInfo: party),
        WMTOperationAttributeImage(label: label, thumbnailUrl: "t", originalUrl: nil),
        WMTOperationAttributeAmountConversion(label: label, dynamic: true, source: money, target: money),
        WMTOperationAttributeAmount(
            label: label, amountFormatted: "1", currencyFormatted: "Kč", valueFormatted: nil, amount: 1, currency: "CZK"
        ),
    ]
    let _ = WMTOperationFormData(
        title: "t", message: "m", attributes: attributes,
        resultTexts: WMTResultTexts(success: "s", failure: nil, reject: nil))
    let review = WMTReviewPostApprovalScreenPayload(attributes: attributes)
    let redirect = WMTRedirectPostApprovalScreenPayload(text: "t", url: "u", countdown: 1)
    let _: [WMTPostApprovalScreenPayload] = [review, redirect]
    let screens: [WMTPostApprovalScreen] = [
        WMTPostApprovalScreenReview(heading: "h", message: "m", payload: review, type: .review),
        WMTPostApprovalScreenRedirect(heading: "h", message: "m", payload: redirect, type: .redirect),
        WMTPostApprovalScreenGeneric(heading: "h", message: "m", payload: try WMTJSONValue(jsonData: Data("{}".utf8))),
    ]
    let _ = WMTOperationUIData(
        flipButtons: nil, blockApprovalOnCall: true,
        preApprovalScreen: WMTPreApprovalScreen(type: .qr, heading: "h", message: "m", approvalType: nil),
        postApprovalScreen: screens.first)
    let _ = WMTAllowedOperationSignature(signatureType: .singleFactor, signatureFactors: [.possession])
    let _ = try JSONDecoder().decode(WMTPACData.self, from: Data("{}".utf8))
    let list = try JSONDecoder().decode(WMTOperationListResponse<OwnOperation>.self, from: Data("{}".utf8))
    let _: ([OwnOperation]?, Date?) = (list.responseObject, list.currentTimestamp)
}
