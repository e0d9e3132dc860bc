// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import LabHTTP
import PowerAuth2
import PowerAuthShared
import SDKTestSupport
import Synchronization
import TestSupport
import Testing

@Suite("Interceptors (sdk.md, section 12.12)", .endsInTime)
struct InterceptorTests {
    @Test(.verifies("sdk.md", "B-57"))
    func `Basic authentication and a custom header appear in every request`() async throws {
        let app = try await TestApp()
        let client = PowerAuthClientConfiguration.patient
        client.requestInterceptors = [
            PowerAuthBasicHttpAuthenticationRequestInterceptor(username: "Aladdin", password: "OpenSesame"),
            PowerAuthCustomHeaderRequestInterceptor(headerKey: "X-Channel", value: "test"),
        ]
        let sdk = try PowerAuthSDK(
            configuration: app.sdk.configuration, clientConfiguration: client, sandbox: app.sandbox,
            transport: app.transport)
        _ = try await outcome { sdk.fetchServerStatus(callback: $0) }.get()
        _ = try await outcome { sdk.eciesEncryptorForApplicationScope(callback: $0) }.get()
        #expect(app.transport.requests.count == 2)
        for request in app.transport.requests {
            func values(_ name: String) -> [String] { request.headers.filter { $0.name == name }.map(\.value) }
            #expect(values("Authorization") == ["Basic QWxhZGRpbjpPcGVuU2VzYW1l"])
            #expect(values("X-Channel") == ["test"])
        }
    }

    @Test(arguments: TestApp.Mode.allCases)
    func `An interceptor runs outside of the session's tasks, so that it blocks no other task`(mode: TestApp.Mode)
        async throws
    {
        let app = try await TestApp.activated(mode)
        let client = PowerAuthClientConfiguration.patient
        let probe = TaskProbe()
        client.requestInterceptors = [probe]
        let sdk = try PowerAuthSDK(
            configuration: app.sdk.configuration, clientConfiguration: client, sandbox: app.sandbox,
            transport: app.transport)
        probe.session = sdk.sessionProvider
        #expect(try await sdk.status().get().state == .active)
        #expect(await sdk.validate() == nil, "also of a signed request")
        let answers = probe.answers.withLock { $0 }
        #expect(answers.count >= 2 && answers.allSatisfy { $0 }, "\(answers)")
    }

    /// Notes of every request whether its thread is outside of the session's tasks.
    private final class TaskProbe: PowerAuthHttpRequestInterceptor {
        /// Set before the first request.
        var session: (any PowerAuthCoreSessionProvider)?
        let answers = Mutex<[Bool]>([])

        func processRequest(_ request: NSMutableURLRequest) {
            let isOutside = Mutex(false)
            session?.executeOutside(ofTask: { isOutside.withLock { $0 = true } }, queue: .global())
            answers.withLock { $0.append(isOutside.withLock { $0 }) }
        }
    }

    @Test func `A custom header is added to existing headers`() {
        // The text is a URL.
        let request = NSMutableURLRequest(url: URL(string: "http://localhost")!)
        let interceptor = PowerAuthCustomHeaderRequestInterceptor(headerKey: "X-Channel", value: "b")
        request.setValue("a", forHTTPHeaderField: "X-Channel")
        interceptor.processRequest(request)
        #expect(request.value(forHTTPHeaderField: "X-Channel") == "a,b")
    }
}
