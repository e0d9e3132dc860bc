import Foundation
import FoundationNetworking
import PowerAuth2
import PowerAuthShared
import SDKTestSupport
import TestSupport
import Testing

@Suite("Interceptors (sdk.md, section 12.12)", .endsInTime)
struct InterceptorTests {
    @Test("Basic authentication and a custom header appear in every request")
    func headers() async throws {
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

    @Test("A custom header is added to what is there already")
    func appends() {
        // The text is a URL.
        let request = NSMutableURLRequest(url: URL(string: "http://localhost")!)
        let interceptor = PowerAuthCustomHeaderRequestInterceptor(headerKey: "X-Channel", value: "b")
        request.setValue("a", forHTTPHeaderField: "X-Channel")
        interceptor.processRequest(request)
        #expect(request.value(forHTTPHeaderField: "X-Channel") == "a,b")
    }
}
