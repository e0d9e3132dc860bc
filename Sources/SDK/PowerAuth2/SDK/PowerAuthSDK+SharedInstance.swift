public import PowerAuthShared
import Synchronization

/// One SDK object for applications that have a single activation (sdk.md, section 2).
extension PowerAuthSDK {
    private static let shared = Mutex<PowerAuthSDK?>(nil)

    /// Makes the shared object with default keychain and client configurations. Only the first call has an effect.
    ///
    /// - Parameter configuration: the activation and its server.
    public static func initSharedInstance(_ configuration: PowerAuthConfiguration) {
        initSharedInstance(configuration, keychainConfiguration: nil, clientConfiguration: nil)
    }

    /// Makes the shared object. Only the first call has an effect; after an unusable configuration, which the log and the
    /// trace explain, it may be repeated.
    ///
    /// - Parameters:
    ///   - configuration: the activation and its server.
    ///   - keychainConfiguration: where things are stored; nil takes a copy of the shared object.
    ///   - clientConfiguration: settings of the HTTP client; nil takes a copy of the shared object.
    public static func initSharedInstance(
        _ configuration: PowerAuthConfiguration, keychainConfiguration: PowerAuthKeychainConfiguration?,
        clientConfiguration: PowerAuthClientConfiguration?
    ) {
        initSharedInstance {
            PowerAuthSDK(
                configuration: configuration, keychainConfiguration: keychainConfiguration,
                clientConfiguration: clientConfiguration)
        }
    }

    /// Makes the shared object in a given way, unless there is one.
    package static func initSharedInstance(_ make: () -> PowerAuthSDK?) {
        shared.withLock { shared in
            if shared == nil { shared = make() }
        }
    }

    /// The shared object.
    ///
    /// Calling it before a successful `initSharedInstance` is a programming error and ends the process, as the original's
    /// exception does; the message names the cause.
    public static func sharedInstance() -> PowerAuthSDK {
        guard let instance = shared.withLock({ $0 }) else {
            let cause = InvalidConfiguration.last?.description ?? "call PowerAuthSDK.initSharedInstance(_:) first"
            fatalError("\(PowerAuthExceptionMissingConfig): there is no shared instance: \(cause).")
        }
        return instance
    }
}
