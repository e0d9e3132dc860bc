import Foundation
import FoundationNetworking
import LabKit
import PowerAuthShared
import TestSupport
import Testing
import WatchConnectivity

/// Scenarios name errors by words that LabKit lists, because the runner must not import an SDK.
@Suite("The words for errors in scenarios are the cases of the SDKs", .endsInTime)
struct ErrorNameTests {
    @Test("Every code of the SDKs has its word", arguments: PowerAuthErrorCode.allCases)
    func powerAuth(code: PowerAuthErrorCode) {
        #expect(ErrorNames.all.contains(String(describing: code)))
    }

    @Test("The text of every code is the vendor's (sdk.md, section 4.1)")
    func descriptions() throws {
        let rows = try Project.text(of: "docs/spec/sdk.md").matches(
            of: #/(?m)^\| (\d+) \| `\.\w+` \| `([^`]+)`[^|]*\|/#)
        var texts: [Int: String] = [:]
        for row in rows { texts[Int(row.1) ?? -1] = String(row.2) }
        #expect(texts.count == PowerAuthErrorCode.allCases.count - 1)
        for code in PowerAuthErrorCode.allCases where code != .NA {
            #expect(code.defaultDescription == texts[code.rawValue], "\(code)")
        }
    }

    @Test(
        "A request that had no answer has the platform's number and word",
        arguments: [
            (URLError.Code.timedOut, "timedOut"), (.cannotConnectToHost, "cannotConnectToHost"),
            (.networkConnectionLost, "networkConnectionLost"), (.notConnectedToInternet, "notConnectedToInternet"),
            (.serverCertificateHasBadDate, "serverCertificateHasBadDate"),
            (.serverCertificateUntrusted, "serverCertificateUntrusted"),
        ])
    func urlLoading(code: URLError.Code, name: String) {
        #expect(ErrorNames.ofURLLoading(code: code.rawValue) == name)
        #expect(ErrorNames.all.contains(name))
    }

    @Test("Every code of WatchConnectivity has its word", arguments: 7001...7019)
    func watchConnectivity(rawValue: Int) throws {
        let code = try #require(WCError.Code(rawValue: rawValue))
        #expect(ErrorNames.all.contains(String(describing: code)))
    }
}
