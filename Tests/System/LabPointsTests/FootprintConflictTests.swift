// SPDX-License-Identifier: Apache-2.0

import LabPoints
import TestSupport
import Testing

@Suite("Conflicts of what turns have touched", .endsInTime)
struct FootprintConflictTests {
    private func footprint(reads: SharedThing..., writes: SharedThing...) -> Footprint {
        var footprint = Footprint()
        for thing in reads { footprint.read(thing) }
        for thing in writes { footprint.write(thing) }
        return footprint
    }

    @Test func `Two turns conflict if one has written what the other has read or written`() {
        for thing in SharedThing.allCases where thing != .own {
            let (read, written) = (footprint(reads: thing), footprint(writes: thing))
            #expect(!read.conflicts(with: read), "\(thing)")
            #expect(read.conflicts(with: written) && written.conflicts(with: read), "\(thing)")
            #expect(written.conflicts(with: written), "\(thing)")
            for other in SharedThing.allCases where other != thing {
                let otherWritten = footprint(writes: other)
                #expect(!written.conflicts(with: otherWritten) && !read.conflicts(with: otherWritten), "\(thing)")
            }
        }
        #expect(!Footprint().conflicts(with: footprint(reads: .server, writes: .keychain)))
    }

    @Test func `What apps have for themselves is no conflict`() {
        let own = footprint(reads: .own, writes: .own)
        #expect(!own.conflicts(with: own))
        #expect(own.conflicts(with: .everything))
    }

    @Test func `What may have touched anything conflicts also with a turn that has touched nothing`() {
        #expect(Footprint.everything.conflicts(with: Footprint()))
        #expect(Footprint().conflicts(with: .everything))
        var union = footprint(reads: .memory)
        union.formUnion(.everything)
        #expect(union == .everything)
    }

    @Test func `A union has what both have read and written`() {
        var union = footprint(reads: .memory, writes: .keychain)
        union.formUnion(footprint(reads: .files, writes: .server))
        #expect(union == footprint(reads: .memory, .files, writes: .keychain, .server))
    }

    @Test func `All things together are fewer than the bits of a footprint, so they differ from everything`() {
        var footprint = Footprint()
        for thing in SharedThing.allCases {
            footprint.read(thing)
            footprint.write(thing)
        }
        #expect(footprint.reads.nonzeroBitCount == SharedThing.allCases.count)
        #expect(footprint != .everything)
    }
}
