// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthShared
import TestSupport
import Testing

@Suite("The resources of the server (sdk.md, section 7.1)", .endsInTime)
struct RestEndpointTests {
    /// A row of the specification's table.
    private struct Row {
        let path: String
        /// `app` or `act`, and the purpose of the encryption.
        let encryption: [String]
        let uriId: String?
        let isSerialized: Bool
        let isAllowedDuringUpgrade: Bool
        let needsTime: Bool

        init?(_ line: Substring) {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map { $0.trimmed }
            guard cells.count == 11, cells[2].hasPrefix("`/pa/") else { return nil }
            path = cells[2].unquoted
            // Of two encryptions, the outer one comes first.
            let words = cells[5].split(separator: ";").first?.split(separator: " ").map { String($0).unquoted } ?? []
            encryption = words == ["–"] ? [] : words
            uriId = cells[6] == "–" ? nil : cells[6].unquoted
            (isSerialized, isAllowedDuringUpgrade, needsTime) = (cells[7] == "✓", cells[8] == "✓", cells[9] == "✓")
        }
    }

    @Test func `Each has the rules of its row in the specification`() throws {
        let rows = try Project.text(of: "docs/spec/sdk.md").split(separator: "\n").compactMap { Row($0) }
        #expect(Set(rows.map(\.path)) == Set(RestEndpoint.all.map(\.path)))
        for endpoint in RestEndpoint.all {
            let row = try #require(rows.first { $0.path == endpoint.path })
            let encryption =
                endpoint.encryption.map { [$0.scope == .application ? "app" : "act", $0.sharedInfo] } ?? []
            #expect(encryption == row.encryption, "\(row.path)")
            #expect(endpoint.signatureUriId == row.uriId, "\(row.path)")
            #expect(endpoint.isSerialized == row.isSerialized, "\(row.path)")
            // It means something for signed requests only.
            if endpoint.signatureUriId != nil {
                #expect(endpoint.isAllowedDuringUpgrade == row.isAllowedDuringUpgrade, "\(row.path)")
            }
            #expect((endpoint.encryption != nil || endpoint.needsTime) == row.needsTime, "\(row.path)")
        }
    }

    @Test func `Only the server's status and the key of the application are for any activation, or none`() {
        #expect(
            RestEndpoint.all.filter { !$0.belongsToActivation }.map(\.path)
                == ["/pa/v3/status", "/pa/v3/keystore/create"])
        #expect(RestEndpoint.all.count == 14)
        #expect(!RestEndpoint.createTemporaryKey.belongsToActivation)
        #expect(RestEndpoint.createTemporaryKeyOfActivation.belongsToActivation)
    }

    @Test func `Those of protocol 4 have codes for their paths without the version, and encrypt for their purposes`() {
        let endpoints = RestEndpoint.allVersion4
        for endpoint in endpoints {
            #expect(endpoint.path.hasPrefix("/pa/v4/"))
            #expect(endpoint.isSerialized == (endpoint.signatureUriId != nil), "\(endpoint.path)")
            if let uriId = endpoint.signatureUriId { #expect(uriId == endpoint.path.replacing("/v4/", with: "/")) }
        }
        let purposes = endpoints.compactMap { endpoint in
            endpoint.encryption.map { "\(endpoint.path) \($0.scope == .application ? "app" : "act") \($0.sharedInfo)" }
        }
        #expect(
            purposes == [
                "/pa/v4/activation/create app /pa/generic/application",
                "/pa/v4/activation/status act /pa/generic/activation",
                "/pa/v4/token/create act /pa/token/create", "/pa/v4/vault/unlock act /pa/vault/unlock",
                "/pa/v4/password/change act /pa/password/change", "/pa/v4/biometry/add act /pa/biometry/add",
                "/pa/v4/upgrade/start app /pa/upgrade/start", "/pa/v4/user/info act /pa/generic/activation",
            ])
        #expect(
            endpoints.filter { !$0.belongsToActivation }.map(\.path) == ["/pa/v4/status", "/pa/v4/keystore/create"])
    }
}

extension Substring {
    fileprivate var trimmed: String { String(self).trimmingCharacters(in: .whitespaces) }
}

extension String {
    fileprivate var unquoted: String { replacing("`", with: "") }
}
