// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabPoints
import TestSupport
import Testing

@testable import DeviceAgent

@Suite("The course of a fault of the link", .endsInTime)
struct LinkFaultCourseTests {
    private func course(
        _ aim: LinkFault.Aim, _ effect: LinkFault.Effect = .drop(burst: 1), seed: UInt64 = 1, link: String = "pairing",
        direction: LinkDirection = .toWatch, id: String = "fault-1"
    ) -> LinkFaultCourse {
        LinkFaultCourse(LinkFault(id: id, effect: effect, direction: direction, aim: aim), seed: seed, link: link)
    }

    /// The fates of the first messages.
    private func schedule(_ course: LinkFaultCourse, _ count: Int = 1000) -> [LinkFaultCourse.Hit?] {
        var course = course
        return (0..<count).map { _ in course.next() }
    }

    private func ordinals(_ course: LinkFaultCourse, _ count: Int) -> [Int] {
        schedule(course, count).compactMap { $0?.ordinal }
    }

    @Test func `The same seed gives the same schedule; another seed, link, direction or fault another one`() {
        let aim = LinkFault.Aim(chance: 0.3)
        let first = schedule(course(aim))
        #expect(first == schedule(course(aim)))
        #expect(first != schedule(course(aim, seed: 2)))
        #expect(first != schedule(course(aim, link: "other")))
        #expect(first != schedule(course(aim, direction: .toPhone)))
        #expect(first != schedule(course(aim, id: "fault-2")))
    }

    @Test func `The schedule of a seed stays what it was`() {
        #expect(ordinals(course(.init(chance: 0.3)), 20) == [8, 10, 12, 13, 18, 20])
    }

    @Test func `The fate of a message depends on its ordinal, not on what was hit before`() {
        let all = schedule(course(.init(chance: 0.3)), 100)
        let later = schedule(course(.init(chance: 0.3, skip: 50)), 100)
        #expect(later.prefix(50).allSatisfy { $0 == nil })
        #expect(Array(later.dropFirst(50)) == Array(all.dropFirst(50)))
    }

    @Test(arguments: [0.05, 0.3, 0.8]) func `Messages are hit as often as the chance says`(chance: Double) {
        let hits = ordinals(course(.init(chance: chance)), 20_000).count
        #expect(abs(Double(hits) / 20_000 - chance) < 0.02)
        #expect(ordinals(course(.init()), 50) == Array(1...50), "without a chance each is hit")
    }

    @Test func `'skip', 'every' and 'times' choose by the ordinal`() {
        #expect(ordinals(course(.init(every: 3)), 10) == [3, 6, 9])
        #expect(ordinals(course(.init(every: 2, skip: 3, times: 2)), 20) == [5, 7])
        #expect(ordinals(course(.init(times: 1)), 5) == [1])
    }

    @Test func `Losses in bursts have the length and the share that were asked for`() {
        for chance in [0.1, 0.4] {
            let lost = schedule(course(.init(chance: chance), .drop(burst: 5)), 50_000).map { $0 != nil }
            let bursts = zip([false] + lost, lost).count { !$0 && $1 }
            let losses = lost.count { $0 }
            #expect(abs(Double(losses) / 50_000 - chance) < 0.04)
            #expect(abs(Double(losses) / Double(bursts) - 5) < 0.5)
        }
        #expect(ordinals(course(.init(), .drop(burst: 5)), 20) == Array(1...20))
    }
}
