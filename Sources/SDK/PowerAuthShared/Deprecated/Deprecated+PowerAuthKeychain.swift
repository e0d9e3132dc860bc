import Dispatch
public import Foundation
public import SimulatedDevice

/// The asynchronous forms, up to 1.7 (extensions-and-legacy-names.md, section 5.5). Completions are called on a background
/// queue.
@available(*, deprecated, message: "Call the synchronous form on a queue of your own")
extension PowerAuthKeychain {
    private func perform<Value: Sendable>(
        _ completion: @escaping (Value) -> Void, _ work: @escaping @Sendable (PowerAuthKeychain) -> Value
    ) {
        let completion = Callback(completion)
        DispatchQueue.global().async { completion(work(self)) }
    }

    /// As ``addValue(_:forKey:access:)``.
    public func addValue(
        _ data: Data, forKey key: String, access: PowerAuthKeychainItemAccess = .none,
        completion: @escaping (PowerAuthKeychainStoreItemResult) -> Void
    ) {
        perform(completion) { $0.addValue(data, forKey: key, access: access) }
    }

    /// As ``updateValue(_:forKey:)``.
    public func updateValue(
        _ data: Data, forKey key: String, completion: @escaping (PowerAuthKeychainStoreItemResult) -> Void
    ) {
        perform(completion) { $0.updateValue(data, forKey: key) }
    }

    /// As ``deleteData(forKey:)``.
    public func deleteData(forKey key: String, completion: @escaping (Bool) -> Void) {
        perform(completion) { $0.deleteData(forKey: key) }
    }

    /// As ``containsData(forKey:)``.
    public func containsData(forKey key: String, completion: @escaping (Bool) -> Void) {
        perform(completion) { $0.containsData(forKey: key) }
    }

    // MARK: With a dialog

    /// As ``data(forKey:status:authentication:)`` with a text for the dialog.
    public func data(
        forKey key: String, status: UnsafeMutablePointer<OSStatus>? = nil, prompt: String
    ) -> Data? {
        data(forKey: key, status: status, authentication: PowerAuthKeychainAuthentication(prompt: prompt))
    }

    /// As ``data(forKey:status:authentication:)`` with a text for the dialog; nil opens none.
    ///
    /// - Parameter completion: takes the value or nil, and the system's status code.
    public func data(forKey key: String, prompt: String? = nil, completion: @escaping (Data?, OSStatus) -> Void) {
        perform({ completion($0.value, $0.status) }) { keychain in
            var status = errSecSuccess
            let value =
                if let prompt {
                    keychain.data(
                        forKey: key, status: &status, authentication: PowerAuthKeychainAuthentication(prompt: prompt))
                } else {
                    keychain.data(forKey: key, status: &status)
                }
            return (value: value, status: status)
        }
    }

    /// As ``allItems(with:withStatus:)`` with a text for the dialog.
    public func allItems(
        withPrompt prompt: String, withStatus status: UnsafeMutablePointer<OSStatus>? = nil
    ) -> [AnyHashable: Any]? {
        allItems(with: PowerAuthKeychainAuthentication(prompt: prompt), withStatus: status)
    }
}
