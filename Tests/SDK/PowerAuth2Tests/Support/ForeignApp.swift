// SPDX-License-Identifier: Apache-2.0

// The only import, as in an application of the vendor's platform: Apple's modules hand the others on (sdk.md, section 3,
// item 16). Apart from the tests, which import more.
import PowerAuth2

/// What an application writes that knows the vendor's SDK and not the lab.
struct ForeignApp {
    let sdk: PowerAuthSDK

    /// Names of types of other frameworks, which the SDK's functions name.
    static var frameworks: [String] {
        [String(describing: LAContext.self), String(describing: WCSession.self), String(describing: URLSession.self)]
    }

    /// Foundation, without its import.
    static func body(about name: String) throws -> Data {
        let directory = URL(fileURLWithPath: "/accounts", isDirectory: true)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(["name": name, "path": directory.appendingPathComponent("eva").path])
    }

    /// Asks for both encryptors by references to the functions, and gives the code of each error.
    func askForEncryptors(_ report: @escaping @Sendable (PowerAuthErrorCode?) -> Void) {
        for ask in [sdk.eciesEncryptorForApplicationScope, sdk.eciesEncryptorForActivationScope] {
            _ = ask { _, error in report(error?.powerAuthErrorCode) }
        }
    }

    /// Asks for the status, and gives the overload that the error of the callback selects.
    func askForStatus(_ report: @escaping @Sendable (String) -> Void) {
        sdk.fetchActivationStatus { _, error in
            guard let error else { return report(Self.overload(error)) }
            report(Self.overload(error))
        }
    }

    private static func overload(_ error: any Error) -> String { "an error" }
    private static func overload(_ error: (any Error)?) -> String { "an error or nil" }
}
