// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabPoints
import LocalAuthentication
import SecurityFramework
import SimulatedDevice
import TestSupport
import Testing

/// The keychain as an app's own code uses it (sharing.md, section 21.4).
@Suite("The Security shim", .endsInTime)
struct SecurityFrameworkTests {
    private static let value = Data([1, 2, 3])

    private static func query(_ account: String? = nil, _ more: [CFString: Any] = [:]) -> CFDictionary {
        var query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s"]
        if let account { query[kSecAttrAccount] = account }
        query.merge(more) { _, new in new }
        return query as CFDictionary
    }

    private static func item(_ account: String, _ more: [CFString: Any] = [:]) -> CFDictionary {
        query(account, ([kSecValueData: value] as [CFString: Any]).merging(more) { _, new in new })
    }

    /// The status of a search with what it gives.
    private static func find(_ query: CFDictionary, _ calls: KeychainCalls) -> (status: OSStatus, object: CFTypeRef?) {
        var object: CFTypeRef?
        let status = calls.copyMatching(query, &object)
        return (status, object)
    }

    @Test func `An item is added once, found, changed and deleted, and each status is the platform's`() throws {
        let calls = KeychainCalls(sandbox: try Sandbox.temporary())
        let wanted = Self.query("a", [kSecReturnData: true])
        #expect(Self.find(wanted, calls).status == errSecItemNotFound)
        #expect(Self.find(wanted, calls).object == nil)
        #expect(calls.update(Self.query("a"), [kSecValueData: Self.value] as CFDictionary) == errSecItemNotFound)
        #expect(calls.delete(Self.query("a")) == errSecItemNotFound)
        #expect(calls.add(Self.item("a"), nil) == errSecSuccess)
        #expect(calls.add(Self.item("a"), nil) == errSecDuplicateItem)
        #expect(Self.find(wanted, calls).object as? Data == Self.value)
        #expect(calls.update(Self.query("a"), [kSecValueData: Data([9])] as CFDictionary) == errSecSuccess)
        #expect(Self.find(wanted, calls).object as? Data == Data([9]))
        #expect(calls.delete(Self.query("a")) == errSecSuccess)
        #expect(calls.copyMatching(Self.query("a"), nil) == errSecItemNotFound)
    }

    @Test func `A search gives bytes, attributes or both, of one item, of so many, or of all`() throws {
        let calls = KeychainCalls(sandbox: try Sandbox.temporary())
        for account in ["a", "b", "c"] { #expect(calls.add(Self.item(account), nil) == errSecSuccess) }
        func found(_ more: [CFString: Any]) -> CFTypeRef? {
            let (status, object) = Self.find(Self.query(nil, more), calls)
            #expect(status == errSecSuccess)
            return object
        }
        #expect(found([:]) == nil)
        #expect(found([kSecReturnData: true]) as? Data == Self.value)
        let one = try #require(found([kSecReturnAttributes: true]) as? [String: Any])
        #expect(one[kSecAttrAccount as String] as? String == "a" && one[kSecAttrService as String] as? String == "s")
        #expect(one[kSecAttrAccessGroup as String] as? String == "LABTEAM001.com.example.main")
        #expect(one[kSecAttrAccessible as String] as? String == kSecAttrAccessibleWhenUnlocked as String)
        #expect(one[kSecValueData as String] == nil)
        for (limit, accounts) in [(kSecMatchLimitAll, ["a", "b", "c"]), (2, ["a", "b"])] as [(Any, [String])] {
            let more: [CFString: Any] = [kSecReturnAttributes: true, kSecReturnData: true, kSecMatchLimit: limit]
            let list = try #require(found(more) as? [[String: Any]])
            #expect(list.compactMap { $0[kSecAttrAccount as String] as? String } == accounts)
            #expect(list.allSatisfy { $0[kSecValueData as String] as? Data == Self.value })
        }
        #expect(calls.delete(Self.query()) == errSecSuccess)
        #expect(calls.copyMatching(Self.query(), nil) == errSecItemNotFound)
    }

    @Test func `Apps share the items of a group that both are entitled to, and no others`() throws {
        let device = try TemporaryDevice()
        func app(_ name: String) throws -> KeychainCalls {
            KeychainCalls(
                sandbox: try device.sandbox(
                    name: name, bundleIdentifier: "com.example.\(name)", keychainAccessGroups: ["LABTEAM001.shared"]))
        }
        let (main, wallet) = (try app("main"), try app("wallet"))
        #expect(main.add(Self.item("shared"), nil) == errSecSuccess)
        let own = Self.item("own", [kSecAttrAccessGroup: "LABTEAM001.com.example.main"])
        #expect(main.add(own, nil) == errSecSuccess)
        #expect(wallet.copyMatching(Self.query("shared"), nil) == errSecSuccess)
        #expect(wallet.copyMatching(Self.query("own"), nil) == errSecItemNotFound)
        #expect(wallet.copyMatching(own, nil) == errSecMissingEntitlement)
        let items = device.layout.keychainPath("device")
        #expect(try KeychainInventory(path: items).entries(service: "s").count == 2)
    }

    @Test func `A locked device closes the items that need an unlocked one, and they can be deleted`() throws {
        let sandbox = try Sandbox.temporary()
        let calls = KeychainCalls(sandbox: sandbox)
        let rows: [(String, CFString, OSStatus)] = [
            ("1", kSecAttrAccessibleWhenUnlocked, errSecInteractionNotAllowed),
            ("2", kSecAttrAccessibleWhenUnlockedThisDeviceOnly, errSecInteractionNotAllowed),
            ("3", kSecAttrAccessibleAfterFirstUnlock, errSecSuccess),
            ("4", kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, errSecSuccess),
        ]
        for (account, accessible, _) in rows {
            #expect(calls.add(Self.item(account, [kSecAttrAccessible: accessible]), nil) == errSecSuccess)
        }
        try sandbox.security.changeState { $0.lock() }
        for (account, accessible, status) in rows {
            #expect(Self.find(Self.query(account, [kSecReturnData: true]), calls).status == status)
            #expect(calls.copyMatching(Self.query(account), nil) == errSecSuccess, "it is there")
            #expect(calls.update(Self.query(account), [kSecValueData: Data([9])] as CFDictionary) == status)
            #expect(calls.add(Self.item(account + "+", [kSecAttrAccessible: accessible]), nil) == status)
        }
        #expect(calls.delete(Self.query("1")) == errSecSuccess)
        try sandbox.security.changeState { $0.unlock() }
        #expect(calls.copyMatching(Self.query("2", [kSecReturnData: true]), nil) == errSecSuccess)
    }

    @Test func `A change of the accessibility keeps the bytes`() throws {
        let sandbox = try Sandbox.temporary()
        let calls = KeychainCalls(sandbox: sandbox)
        #expect(calls.add(Self.item("a"), nil) == errSecSuccess)
        let change = [kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock] as CFDictionary
        #expect(calls.update(Self.query("a"), change) == errSecSuccess)
        try sandbox.security.changeState { $0.lock() }
        #expect(Self.find(Self.query("a", [kSecReturnData: true]), calls).object as? Data == Self.value)
    }

    @Test func `A protected value needs its owner, unless a query allows no dialog`() throws {
        let sandbox = try Sandbox.temporary()
        try sandbox.security.changeState { try $0.enrol() }
        #expect(
            sandbox.keychain.add(Self.value, service: "s", account: "a", protection: .anyBiometricSet).status
                == errSecSuccess)
        let calls = KeychainCalls(sandbox: sandbox)
        let context = LAContext(service: sandbox.authentication)
        context.interactionNotAllowed = true
        for way: [CFString: Any] in [
            [kSecUseAuthenticationUI: kSecUseAuthenticationUIFail], [kSecUseAuthenticationContext: context],
        ] {
            let wanted = Self.query("a", way.merging([kSecReturnData: true]) { old, _ in old })
            #expect(calls.copyMatching(wanted, nil) == errSecInteractionNotAllowed)
        }
        try sandbox.security.answer(.success)
        let wanted = Self.query("a", [kSecReturnData: true, kSecUseOperationPrompt: "Show the card"])
        #expect(Self.find(wanted, calls).object as? Data == Self.value)
    }

    @Test func `What the simulated keychain does not keep is refused, and the trace has the reason`() throws {
        let directory = try TemporaryDirectory()
        let app = AppSpec(
            name: "main", kind: .app, bundleIdentifier: "com.example.main",
            powerAuth: PowerAuthSpec(sdk: .full, instanceId: "test"))
        let device = try TemporaryDevice()
        let calls = KeychainCalls(sandbox: try device.sandbox(for: app, traceDirectory: directory.path))
        let rows: [(CFDictionary, String)] = [
            (Self.query("a", ["labl": "My card"]), "'labl'"), (Self.query("a", [kSecMatchLimit: 0]), "'m_Limit'"),
            (Self.query("a", [kSecAttrAccessible: "dk"]), "'pdmn'"),
            (Self.query("a", [kSecReturnData: "yes"]), "'r_Data'"),
            (Self.query("a", [kSecAttrSynchronizable: true]), "'sync'"),
            ([kSecAttrService: "s"] as CFDictionary, "kSecClass"),
        ]
        for (query, _) in rows { #expect(calls.copyMatching(query, nil) == errSecParam) }
        #expect(calls.update(Self.query(), [kSecAttrAccount: "b"] as CFDictionary) == errSecParam)
        #expect(calls.add([kSecClass: kSecClassKey] as CFDictionary, nil) == errSecUnimplemented)
        #expect(calls.copyMatching([kSecClass: kSecClassKey] as CFDictionary, nil) == errSecItemNotFound)
        #expect(calls.delete([kSecClass: kSecClassCertificate] as CFDictionary) == errSecItemNotFound)
        let messages = try TraceReader.readAll(directory.path).filter { $0.name == .log }
            .compactMap { $0.fields["message"]?.stringValue }
        #expect(messages.count == rows.count + 2)
        for (message, (_, word)) in zip(messages, rows) { #expect(message.contains(word)) }
    }

    @Test func `Random bytes fill what is asked for and nothing behind it`() {
        var bytes = [UInt8](repeating: 0, count: 64)
        let status = SecRandomCopyBytes(kSecRandomDefault, 48, &bytes)
        #expect(status == errSecSuccess)
        #expect(Set(bytes.prefix(48)).count > 8 && bytes.suffix(16).allSatisfy { $0 == 0 })
        let refused = SecRandomCopyBytes(nil, -1, &bytes)
        #expect(refused == errSecParam)
    }

    @Test func `A status has a sentence`() {
        #expect(SecCopyErrorMessageString(errSecItemNotFound, nil) as String? == "There is no such item.")
        #expect(SecCopyErrorMessageString(1, nil) == nil)
    }
}
