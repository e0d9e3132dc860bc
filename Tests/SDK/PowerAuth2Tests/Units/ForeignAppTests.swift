// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthShared
import SDKTestSupport
import Synchronization
import TestSupport
import Testing

/// sdk.md, section 3. The main check is that these applications compile.
@Suite("Applications that import the SDK alone", .endsInTime)
struct ForeignAppTests {
    @Test func `The import of the SDK gives Foundation, and the frameworks that its functions name`() throws {
        #expect(try ForeignApp.body(about: "eva") == Data(#"{"name":"eva","path":"/accounts/eva"}"#.utf8))
        #expect(ForeignApp.frameworks == ["LAContext", "WCSession", "URLSession"])
    }

    @Test func `The functions for encryptors can be referred to without their labels`() async throws {
        let app = try await TestApp()
        let codes: [PowerAuthErrorCode?] = await callback { done in
            let codes = Mutex<[PowerAuthErrorCode?]>([])
            ForeignApp(sdk: app.sdk).askForEncryptors { code in
                let all = codes.withLock { codes in
                    codes.append(code)
                    return codes
                }
                if all.count == 2 { done(all) }
            }
        }
        #expect(codes == [.missingActivation, nil], "only one of them needs an activation, and says so at once")
    }

    @Test func `The error of a callback is any error, and selects an application's overload for it`() async throws {
        let app = try await TestApp()
        let refused: String = await callback { ForeignApp(sdk: app.sdk).askForStatus($0) }
        #expect(refused == "an error")
        try await app.activate()
        let given: String = await callback { ForeignApp(sdk: app.sdk).askForStatus($0) }
        #expect(given == "an error or nil")
    }
}
