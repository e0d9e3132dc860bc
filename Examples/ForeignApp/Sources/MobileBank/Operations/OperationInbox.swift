// SPDX-License-Identifier: Apache-2.0

import BankShared
import Foundation
import UIKit
import WultraMobileTokenSDK

/// The list of operations that wait for the user. Use it on the main queue.
public final class OperationInbox {
    public private(set) var operations: [WMTUserOperation] = []
    public private(set) var lastFailure: BankFailure?
    public private(set) var isLoading = false
    public var onChange: (() -> Void)?

    private let service: WMTOperations
    private let cache: OperationCache<BankOperation>?
    private let defaults: GroupDefaults?
    private let watcher = WMTOperationExpirationWatcher()
    private var observer: NSObjectProtocol?

    public init(
        service: WMTOperations, cache: OperationCache<BankOperation>? = OperationCache(),
        defaults: GroupDefaults? = GroupDefaults()
    ) {
        self.service = service
        self.cache = cache
        self.defaults = defaults
        operations = cache?.load() ?? []
        service.delegate = self
        watcher.delegate = self
        observer = NotificationCenter.default.addObserver(
            forName: UIApplication.willEnterForegroundNotification, object: nil, queue: .main
        ) { [weak self] _ in self?.service.refreshOperations() }
    }

    deinit {
        if let observer = observer { NotificationCenter.default.removeObserver(observer) }
    }

    public func start() {
        if !service.isPollingOperations { service.startPollingOperations(interval: 7, delayStart: false) }
    }

    public func stop() { service.stopPollingOperations() }

    // MARK: - Decisions

    /// - Parameter scanned: the proximity code of the other screen, for operations that want one.
    public func approve(
        _ operation: WMTUserOperation, with authentication: PowerAuthAuthentication, scanned: WMTPACData? = nil,
        completion: @escaping (Result<Void, BankFailure>) -> Void
    ) {
        if authentication.useBiometry, !operation.allowedSignatureType.isBiometryAllowed {
            return completion(.failure(.biometryUnavailable))
        }
        if let totp = scanned?.totp {
            guard scanned?.operationId == operation.id else { return completion(.failure(.wrongCode)) }
            operation.proximityCheck = WMTProximityCheck(totp: totp, type: .qrCode)
        }
        service.authorize(operation: operation, with: authentication) { [weak self] result in
            self?.decided(operation, result, completion)
        }
    }

    public func reject(
        _ operation: WMTUserOperation, reason: WMTRejectionReason = .unknown,
        completion: @escaping (Result<Void, BankFailure>) -> Void
    ) {
        service.reject(operation: operation, with: reason) { [weak self] result in
            self?.decided(operation, result, completion)
        }
    }

    /// The code that the user types on the other screen when the phone is offline.
    public func code(
        for operation: WMTQROperation, pin: String, completion: @escaping (Result<String, BankFailure>) -> Void
    ) {
        service.authorize(qrOperation: operation, authentication: .possessionWithPassword(password: pin)) { result in
            completion(result.mapError { BankFailure.map($0) })
        }
    }

    private func decided(
        _ operation: WMTUserOperation, _ result: Result<Void, WMTError>,
        _ completion: (Result<Void, BankFailure>) -> Void
    ) {
        let result = result.mapError { BankFailure.map($0) }
        switch result {
        case .success, .failure(.operationClosed), .failure(.operationExpired):
            show(operations.filter { $0.id != operation.id })
        case .failure: break
        }
        completion(result)
    }

    private func show(_ new: [WMTUserOperation]) {
        operations = new
        watcher.removeAll()
        watcher.add(new)
        try? cache?.save(new.compactMap { $0 as? BankOperation })
        defaults?.waitingOperations = new.count
        onChange?()
    }
}

extension OperationInbox: WMTOperationsDelegate {
    public func operationsChanged(
        operations: [WMTUserOperation], removed: [WMTUserOperation], added: [WMTUserOperation]
    ) {
        lastFailure = nil
        show(operations)
    }

    public func operationsFailed(error: WMTError) {
        lastFailure = BankFailure.map(error) as BankFailure
        onChange?()
    }

    public func operationsLoading(loading: Bool) { isLoading = loading }
}

extension OperationInbox: WMTOperationExpirationWatcherDelegate {
    public func operationsExpired(_ expiredOperations: [WMTExpirableOperation]) {
        show(operations.filter { operation in !expiredOperations.contains { $0.equals(other: operation) } })
        service.refreshOperations()
    }
}
