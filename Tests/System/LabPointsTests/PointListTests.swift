// SPDX-License-Identifier: Apache-2.0

import LabPoints
import TestSupport
import Testing

@Suite("Fault points, events and quirks", .endsInTime)
struct PointListTests {
    @Test func `Quirks are read by their ids`() throws {
        let set = try QuirkSet(parsing: ["sharing.D7"])
        #expect(set.contains(.counterAfterSave))
        #expect(!set.contains(.staleExternalOperation))
        #expect(try QuirkSet(parsing: ["original"]) == .original)
        #expect(try QuirkSet(parsing: []) == .none)
    }

    @Test func `An unknown id is refused with the known ones`() {
        let error = #expect(throws: UnknownQuirk.self) { try QuirkSet(parsing: ["sharing.D99"]) }
        #expect(error?.description.hasPrefix("there is no quirk 'sharing.D99'; known are 'original'") == true)
    }

    @Test func `Quirks and fault points say what they are in a sentence, and are shown by their names`() {
        for quirk in Quirk.allCases { #expect(quirk.summary.hasSuffix(".") && "\(quirk)" == quirk.rawValue) }
        for point in FaultPoint.allCases { #expect(point.summary.hasSuffix(".") && "\(point)" == point.rawValue) }
    }

    @Test func `The points whose passes differ are those of items and of requests; others have no subject`() {
        let items = FaultPoint.allCases.filter { $0.subject == .item }
        #expect(items == [.keychainRead, .keychainWrite, .keychainDelete])
        let endpoints = FaultPoint.allCases.filter { $0.subject == .endpoint }
        #expect(endpoints == [.httpRequestSent, .httpResponseReceived, .serverRequestReceived, .serverResponseSent])
        for point in FaultPoint.allCases {
            #expect(point.actions.starts(with: [.kill, .delay]), "\(point)")
            let owners: [FaultPoint.Owner] =
                switch point.rawValue.prefix(while: { $0 != "." }) {
                case "server": [.server]
                case "link": [.linkStore, .linkSent].contains(point) ? [.device] : [.device, .app]
                default: [.app]
                }
            #expect(point.owners == owners, "\(point)")
        }
    }

    @Test func `A number that is too large for a trace becomes the largest that it can hold`() {
        #expect(TraceValue.whole(UInt64.max) == .integer(.max))
        #expect(TraceValue.whole(7) == .integer(7))
        #expect(TraceValue.word(MemoryDamage.noName) == .text("noName"))
    }
}
