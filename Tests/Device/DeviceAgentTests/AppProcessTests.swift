// SPDX-License-Identifier: Apache-2.0

import Glibc
import LabControl
import LabPoints
import TestSupport
import Testing

@testable import DeviceAgent

@Suite("Process life cycle", .endsInTime)
struct AppProcessTests {
    private func running(isLenient: Bool = false) -> AppProcess {
        var app = AppProcess(name: "main", isLenient: isLenient)
        _ = app.handle(.launch(request: 1))
        _ = app.handle(.spawned(pid: 42, incarnation: 1, at: 7))
        _ = app.handle(.attached(pid: 42, incarnation: 1))
        _ = app.handle(.ready)
        return app
    }

    @Test func `A launch is answered when the app is ready, with its process and incarnation`() {
        var app = AppProcess(name: "main", isLenient: false)
        #expect(app.handle(.launch(request: 1)) == [.spawn])
        #expect(app.handle(.spawned(pid: 42, incarnation: 3, at: 7)) == [])
        #expect(app.handle(.attached(pid: 42, incarnation: 3)) == [])
        #expect(app.handle(.ready) == [.changed, .answer(request: 1, .launched(pid: 42, incarnation: 3, at: 7))])
        #expect(app.isForeground)
    }

    @Test func `An app that dies while it starts fails the launch with its exit status and last words`() throws {
        var app = AppProcess(name: "main", isLenient: false)
        _ = app.handle(.launch(request: 1))
        _ = app.handle(.spawned(pid: 42, incarnation: 1, at: 7))
        let effects = app.handle(.ended("exit status 3", standardError: "no server"))
        guard case .answer(1, .refused(.launchFailed, let message))? = effects.last
        else { throw Unexpected("unexpected: \(effects)") }
        #expect(message.contains("exit status 3") && message.contains("no server"))
        #expect(app.phase == .notRunning)
    }

    @Test func `A relaunch in the middle of a launch answers both when the new process is ready`() {
        var app = AppProcess(name: "main", isLenient: false)
        _ = app.handle(.launch(request: 1))
        _ = app.handle(.spawned(pid: 42, incarnation: 1, at: 7))
        #expect(app.handle(.relaunch(request: 2)) == [.signal(pid: 42, SIGKILL)])
        let gone = AppProcess.Effect.gone(42, reason: "signal SIGKILL", isRestarting: true)
        #expect(app.handle(.ended("signal SIGKILL", standardError: "")) == [gone, .spawn, .changed])
        _ = app.handle(.spawned(pid: 43, incarnation: 2, at: 9))
        let launched = AppProcess.Answer.launched(pid: 43, incarnation: 2, at: 9)
        #expect(app.handle(.ready) == [.changed, .answer(request: 1, launched), .answer(request: 2, launched)])
    }

    @Test func `A running app is not launched again`() throws {
        var app = running()
        guard case .answer(2, .refused(.wrongState, let message))? = app.handle(.launch(request: 2)).first
        else { throw Unexpected("the launch was not refused") }
        #expect(message.contains("42"))
    }

    @Test func `An app that was launched in the background comes to the foreground by a launch`() {
        var app = AppProcess(name: "main", isLenient: false)
        _ = app.handle(.launch(request: nil))
        _ = app.handle(.spawned(pid: 42, incarnation: 1, at: 7))
        _ = app.handle(.ready)
        #expect(!app.isForeground)
        let effects = app.handle(.launch(request: 5))
        #expect(effects.contains(.enterForeground))
        #expect(effects.contains(.answer(request: 5, .launched(pid: 42, incarnation: 1, at: 7))))
    }

    @Test func `A kill is acknowledged once the process has ended`() {
        var app = running()
        #expect(app.handle(.end(signal: SIGKILL, request: 2)) == [.signal(pid: 42, SIGKILL)])
        #expect(app.handle(.ended("signal SIGKILL", standardError: "")).contains(.answer(request: 2, .done)))
    }

    @Test func `The system ends a process for a reason, without a command`() throws {
        var app = running()
        #expect(
            app.handle(.terminate(.memory, request: 2))
                == [.terminating(pid: 42, .memory), .signal(pid: 42, SIGKILL)])
        #expect(app.handle(.ended("signal SIGKILL", standardError: "")).contains(.answer(request: 2, .done)))
        #expect(app.handle(.terminate(.timeLimit, request: nil)) == [])
        guard case .answer(3, .refused(.wrongState, _))? = app.handle(.terminate(.memory, request: 3)).first
        else { throw Unexpected("what does not run was ended") }
    }

    @Test func `A relaunch spawns once the old process has ended, and the new process acknowledges it`() {
        var app = running()
        #expect(app.handle(.relaunch(request: 2)) == [.signal(pid: 42, SIGKILL)])
        #expect(app.handle(.ended("signal SIGKILL", standardError: "")).suffix(2) == [.spawn, .changed])
        _ = app.handle(.spawned(pid: 43, incarnation: 2, at: 9))
        #expect(app.handle(.ready).contains(.answer(request: 2, .launched(pid: 43, incarnation: 2, at: 9))))
    }

    @Test func `A relaunch is refused when the device or the installation has ended the process before`() throws {
        var app = running()
        _ = app.handle(.relaunch(request: 2))
        app.forgetRestart()
        let effects = app.handle(.ended("signal SIGKILL", standardError: ""))
        guard case .answer(2, .refused(.launchFailed, _))? = effects.last
        else { throw Unexpected("no answer: \(effects)") }
        #expect(!effects.contains(.spawn) && !effects.contains(.launchFailed))
    }

    @Test func `A process that is started by hand in the middle of a launch answers it`() {
        var app = AppProcess(name: "main", isLenient: false)
        _ = app.handle(.launch(request: 1))
        _ = app.handle(.spawned(pid: 42, incarnation: 1, at: 7))
        _ = app.handle(.attached(pid: 77, incarnation: 2))
        #expect(app.handle(.ready).contains(.answer(request: 1, .launched(pid: 77, incarnation: 2, at: 7))))
    }

    @Test func `A process that attaches again stays where it is: it was not started by hand`() {
        var background = AppProcess(name: "main", isLenient: false)
        _ = background.handle(.launch(request: nil))
        _ = background.handle(.spawned(pid: 42, incarnation: 1, at: 7))
        _ = background.handle(.ready)
        var suspending = running()
        _ = suspending.handle(.suspend(request: 2))
        var suspended = suspending
        _ = suspended.handle(.stopped(holding: .none))
        for app in [background, running(), suspending, suspended] {
            var again = app
            #expect(again.handle(.attached(pid: 42, incarnation: 1)) == [])
            #expect(again == app, "\(app.phase)")
        }
    }

    @Test func `What waits for a process that cannot be created is lost, and its launch fails, if it was a command`() {
        func refused(_ request: Int) -> AppProcess.Effect {
            .answer(request: request, .refused(name: .launchFailed, message: "no"))
        }
        for request in [1, nil] {
            var app = AppProcess(name: "main", isLenient: false)
            _ = app.handle(.launch(request: request))
            let answers = request.map { [refused($0)] } ?? []
            #expect(app.handle(.spawnFailed("no")) == [.launchFailed] + answers)
            #expect(app.phase == .notRunning)
        }
        var restarted = running()
        _ = restarted.handle(.relaunch(request: 2))
        _ = restarted.handle(.ended("signal SIGKILL", standardError: ""))
        #expect(restarted.handle(.spawnFailed("no")) == [.launchFailed, refused(2)])
    }

    @Test func `An app that was woken in the background comes to the foreground by a resumption`() throws {
        var app = running()
        _ = app.handle(.suspend(request: 2))
        _ = app.handle(.stopped(holding: .none))
        _ = app.handle(.wake)
        #expect(app.handle(.resume(request: 3)) == [.enterForeground, .changed, .answer(request: 3, .done)])
        guard case .answer(4, .refused(.wrongState, _))? = app.handle(.resume(request: 4)).first
        else { throw Unexpected("what the user looks at was resumed") }
    }

    @Test func `A resumption during a suspension is not lost`() {
        var app = running()
        _ = app.handle(.suspend(request: 2))
        #expect(
            app.handle(.resume(request: 3)) == [
                .signal(pid: 42, SIGCONT), .enterForeground, .changed, .answer(request: 3, .done),
                .answer(request: 2, .done),
            ])
        #expect(app.phase == .running(pid: 42) && app.handle(.stopped(holding: .none)) == [])
    }

    @Test func `An event during a suspension wakes the process as soon as it is suspended`() {
        var app = running()
        _ = app.handle(.suspend(request: 2))
        #expect(app.handle(.wake) == [])
        #expect(
            app.handle(.stopped(holding: .none)) == [
                .changed, .answer(request: 2, .done), .signal(pid: 42, SIGCONT), .changed,
            ])
        #expect(app.phase == .running(pid: 42) && !app.isForeground)
        // The next sleep has nothing to do with it.
        _ = app.handle(.suspend(request: 3))
        _ = app.handle(.stopped(holding: .none))
        #expect(app.isSuspended)
    }

    @Test func `A process without locks falls asleep and wakes in the foreground`() {
        var app = running()
        let effects = app.handle(.suspend(request: 2))
        #expect(effects == [.enterBackground, .signal(pid: 42, SIGSTOP), .inspect(pid: 42), .changed])
        #expect(app.handle(.stopped(holding: .none)) == [.changed, .answer(request: 2, .done)])
        #expect(app.isSuspended)
        let resumed = app.handle(.resume(request: 3))
        #expect(resumed == [.signal(pid: 42, SIGCONT), .enterForeground, .changed, .answer(request: 3, .done)])
    }

    @Test func `A process that holds the keychain continues, and is stopped again`() {
        var app = running()
        _ = app.handle(.suspend(request: 2))
        #expect(app.handle(.stopped(holding: .system)) == [.signal(pid: 42, SIGCONT), .stopAgainSoon(pid: 42)])
        #expect(app.handle(.stopped(holding: .none)).contains(.answer(request: 2, .done)))
    }

    @Test func `A lock in a group container ends the process with 0xdead10cc on a strict device`() {
        var app = running()
        _ = app.handle(.suspend(request: 2))
        #expect(
            app.handle(.stopped(holding: .groupContainer))
                == [.terminating(pid: 42, .lockInGroupContainer), .signal(pid: 42, SIGKILL)])
        #expect(app.handle(.ended("signal SIGKILL", standardError: "")).contains(.answer(request: 2, .done)))
    }

    @Test func `On a lenient device a process is suspended with its lock in a group container`() {
        var app = running(isLenient: true)
        _ = app.handle(.suspend(request: 2))
        #expect(app.handle(.stopped(holding: .groupContainer)).contains(.answer(request: 2, .done)))
        #expect(app.isSuspended)
    }

    @Test func `SIGTERM continues a suspended process, so that it can end`() {
        var app = running()
        _ = app.handle(.suspend(request: 2))
        _ = app.handle(.stopped(holding: .none))
        #expect(
            app.handle(.end(signal: SIGTERM, request: 3)) == [.signal(pid: 42, SIGTERM), .signal(pid: 42, SIGCONT)])
    }

    @Test func `A process started by hand is adopted`() {
        var app = AppProcess(name: "main", isLenient: false)
        #expect(app.handle(.attached(pid: 77, incarnation: 1)) == [.changed])
        #expect(app.pid == 77)
        #expect(app.isForeground)
    }

    @Test func `Only exclusive locks of the system's own files and of group containers count`() {
        func judge(_ path: String, _ isExclusive: Bool) -> HeldLocks {
            HeldLocks([(path, isExclusive)], groups: "/i/devices/d/groups", device: "/i/devices/d")
        }
        #expect(judge("/i/devices/d/keychain.sqlite-shm", true) == .system)
        #expect(judge("/i/devices/d/keychain.sqlite-shm", false) == .none)
        #expect(judge("/i/devices/d/groups/UUID/lock", true) == .groupContainer)
        #expect(judge("/i/devices/d/apps/UUID/lock", true) == .none)
        #expect(judge("/i/s/p.main.lock", true) == .none)
        // The whole device would wait for the dialogs' lock, while the app sleeps with a lock of its group.
        let both = [("/i/devices/d/groups/UUID/lock", true), ("/i/devices/d/security.json.lock", true)]
        #expect(HeldLocks(both, groups: "/i/devices/d/groups", device: "/i/devices/d") == .system)
    }
}
