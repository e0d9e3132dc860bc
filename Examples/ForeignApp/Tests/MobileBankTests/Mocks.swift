// SPDX-License-Identifier: Apache-2.0

import BankShared
import Foundation
import LabTesting
import LocalAuthentication
import WultraMobileTokenSDK

@testable import MobileBank

/// The only lines that know the lab: the process of the tests is the bank's app on a phone of its own.
enum Phone {
    static let keychainGroup = "LABTEAM001.com.example.mobilebank.shared"

    static func start() throws {
        try LabProcess.becomeApp(
            bundleIdentifier: "com.example.mobilebank", appGroups: [GroupDefaults.suiteName],
            keychainAccessGroups: [keychainGroup])
    }
}

final class MockPowerAuth: PowerAuthProviding {
    var activationIdentifier: String?
    var activationFingerprint: String? = "12345678"
    var isPending = false
    var pin: String?
    var hasBiometry = false
    var nextError: Error?
    var trustedSignatures: Set<String> = []
    private(set) var activations: [PowerAuthActivation] = []

    func canStartActivation() -> Bool { pin == nil && !isPending }
    func hasPendingActivation() -> Bool { isPending }
    func hasValidActivation() -> Bool { pin != nil }
    func hasBiometryFactor() -> Bool { hasBiometry }

    func createActivation(
        _ activation: PowerAuthActivation, callback: @escaping (PowerAuthActivationResult?, Error?) -> Void
    ) -> PowerAuthOperationTask? {
        activations.append(activation)
        isPending = nextError == nil
        callback(nil, takeError())
        return nil
    }

    func persistActivation(with authentication: PowerAuthAuthentication) throws {
        if let error = takeError() { throw error }
        isPending = false
        pin = "1234"
        hasBiometry = authentication.useBiometry
    }

    func removeActivationLocal() { (isPending, pin, hasBiometry) = (false, nil, false) }

    func removeActivation(
        with authentication: PowerAuthAuthentication, callback: @escaping (Error?) -> Void
    ) -> PowerAuthOperationTask? {
        let error = takeError()
        if error == nil { removeActivationLocal() }
        callback(error)
        return nil
    }

    func validatePassword(password: String, callback: @escaping (Error?) -> Void) -> PowerAuthOperationTask? {
        callback(takeError() ?? (password == pin ? nil : BankFailure.wrongPin))
        return nil
    }

    func changePassword(
        from oldPassword: String, to newPassword: String, callback: @escaping (Error?) -> Void
    ) -> PowerAuthOperationTask? {
        validatePassword(password: oldPassword) { [self] error in
            if error == nil { pin = newPassword }
            callback(error)
        }
    }

    func addBiometryFactor(password: String, callback: @escaping (Error?) -> Void) -> PowerAuthOperationTask? {
        validatePassword(password: password) { [self] error in
            hasBiometry = error == nil
            callback(error)
        }
    }

    func removeBiometryFactor() -> Bool {
        hasBiometry = false
        return true
    }

    func requestSignature(
        with authentication: PowerAuthAuthentication, method: String, uriId: String, body: Data?
    ) throws -> PowerAuthAuthorizationHttpHeader {
        guard let header = PowerAuthAuthorizationHttpHeader.authorizationHeader(withValue: "\(method) \(uriId)") else {
            throw BankFailure.unknown
        }
        return header
    }

    func verifyServerSignedData(_ data: Data, signature: String, masterKey: Bool) -> Bool {
        trustedSignatures.contains(signature)
    }

    func fetchPhase(completion: @escaping (Result<ActivationPhase, Error>) -> Void) {
        if let error = takeError() { return completion(.failure(error)) }
        completion(.success(pin == nil ? .none : .active(attemptsLeft: 5)))
    }

    private func takeError() -> Error? {
        defer { nextError = nil }
        return nextError
    }
}

final class MockOperations: WMTOperations {
    final class Call: WMTCancellable {
        private(set) var isCanceled = false
        func cancel() { isCanceled = true }
    }

    weak var delegate: WMTOperationsDelegate?
    let pollingOptions: WMTOperationsPollingOptions = []
    var acceptLanguage = "en"
    private(set) var lastFetchResult: GetOperationsResult?
    private(set) var isLoadingOperations = false
    private(set) var isPollingOperations = false
    var waiting: [WMTUserOperation] = []
    var nextError: WMTError?
    private(set) var approvals: [WMTOperation] = []
    private(set) var rejections: [String] = []

    func refreshOperations() { getOperations { _ in } }

    @discardableResult
    func getOperations(completion: @escaping GetOperationsCompletion) -> WMTCancellable {
        delegate?.operationsLoading(loading: true)
        let result: GetOperationsResult = takeError().map { .failure($0) } ?? .success(waiting)
        lastFetchResult = result
        switch result {
        case .success(let operations):
            delegate?.operationsChanged(operations: operations, removed: [], added: operations)
        case .failure(let error): delegate?.operationsFailed(error: error)
        }
        delegate?.operationsLoading(loading: false)
        completion(result)
        return Call()
    }

    func getHistory(
        authentication: PowerAuthAuthentication, completion: @escaping (Result<[WMTUserOperation], WMTError>) -> Void
    ) -> Operation? {
        completion(.success(waiting))
        return nil
    }

    func getDetail(operationId: String, completion: @escaping (Result<WMTUserOperation, WMTError>) -> Void)
        -> Operation?
    {
        let operation = waiting.first { $0.id == operationId }
        completion(operation.map { .success($0) } ?? .failure(WMTError(reason: .operations_failed)))
        return nil
    }

    func claim(operationId: String, completion: @escaping (Result<WMTUserOperation, WMTError>) -> Void) -> Operation? {
        getDetail(operationId: operationId, completion: completion)
    }

    func authorize(
        operation: WMTOperation, with: PowerAuthAuthentication, completion: @escaping (Result<Void, WMTError>) -> Void
    ) -> Operation? {
        approvals.append(operation)
        completion(takeError().map { .failure($0) } ?? .success(()))
        return nil
    }

    func authorize(
        qrOperation: WMTQROperation, uriId: String, authentication: PowerAuthAuthentication,
        completion: @escaping (Result<String, WMTError>) -> Void
    ) -> Operation {
        completion(.success("12345678-87654321"))
        return BlockOperation {}
    }

    func reject(
        operation: WMTOperation, with: WMTRejectionReason, completion: @escaping (Result<Void, WMTError>) -> Void
    ) -> Operation? {
        rejections.append("\(operation.id) \(with.serialized)")
        completion(takeError().map { .failure($0) } ?? .success(()))
        return nil
    }

    func startPollingOperations(interval: TimeInterval, delayStart: Bool) {
        isPollingOperations = true
        if !delayStart { refreshOperations() }
    }

    func stopPollingOperations() { isPollingOperations = false }

    private func takeError() -> WMTError? {
        defer { nextError = nil }
        return nextError
    }
}

/// A phone whose biometry cannot be used.
final class RefusingContext: LAContext, @unchecked Sendable {
    // Safe: the code never changes.
    private let code: LAError.Code

    init(_ code: LAError.Code) {
        self.code = code
        super.init()
    }

    override func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool {
        error?.pointee = NSError(domain: LAErrorDomain, code: code.rawValue)
        return false
    }

    override func evaluatePolicy(
        _ policy: LAPolicy, localizedReason: String, reply: @escaping @Sendable (Bool, Error?) -> Void
    ) {
        reply(false, LAError(code))
    }
}

extension BankOperation {
    private struct Parts: Encodable {
        let id: String
        let name = "payment"
        let data = "A1*A100CZK"
        let status = WMTUserOperation.Status.pending
        let operationCreated = Date()
        let operationExpires: Date
        let allowedSignatureType: WMTAllowedOperationSignature
        let formData: WMTOperationFormData
        let ui: WMTOperationUIData?
        let channel = "web"
        let instalment: InstalmentAttribute?
    }

    /// Made with the public initialisers of the parts, and read as the server's are.
    static func mock(
        id: String = "1", expiresIn seconds: TimeInterval = 300,
        factors: [WMTAllowedOperationSignature.SignatureFactors] = [],
        attributes: [WMTOperationAttribute] = [], ui: WMTOperationUIData? = nil, instalment: InstalmentAttribute? = nil
    ) throws -> BankOperation {
        let parts = Parts(
            id: id, operationExpires: Date(timeIntervalSinceNow: seconds),
            allowedSignatureType: WMTAllowedOperationSignature(signatureType: .twoFactors, signatureFactors: factors),
            formData: WMTOperationFormData(
                title: "Payment", message: "To the shop", attributes: attributes,
                resultTexts: WMTResultTexts(success: "Paid", failure: "Not paid", reject: nil)), ui: ui,
            instalment: instalment)
        return try JSONDecoder().decode(BankOperation.self, from: JSONEncoder().encode(parts))
    }
}
