import Glibc
import LabKit
import SimulatedDevice

extension ControlResponder {
    /// Answers with a result of the vocabulary.
    func succeed(_ result: some Encodable) {
        do {
            succeed(try JSONValue(encoding: result))
        } catch {
            fail("internal", "The result cannot be written as JSON: \(error)")
        }
    }

    /// Answers with an error of the device.
    func fail(_ name: String, _ message: String) {
        fail(ControlError(domain: "device", name: name, message: message))
    }
}

extension DeviceAgent {
    /// Carries out a command of the control channel. Its actor is the device itself, one of its apps, or one of its
    /// links; without an actor it is the device.
    func handle(_ request: ControlRequest, _ responder: ControlResponder) throws {
        let actor = request.actor ?? device.name
        if actor == device.name {
            try handleDeviceCommand(request, responder)
        } else if let host = hosts[actor] {
            try handleProcessCommand(request, responder, host)
        } else if let link = links.first(where: { $0.name == actor }) {
            handleLinkCommand(request, responder, link)
        } else {
            let known = [device.name] + hosts.keys.sorted() + links.map(\.name)
            responder.fail(
                "unknownActor",
                "The device `\(device.name)` knows no `\(actor)`; it knows \(known.joined(separator: ", ")).")
        }
    }

    private func handleProcessCommand(
        _ request: ControlRequest, _ responder: ControlResponder, _ host: AppHost
    ) throws {
        if try handleInstallationCommand(request, responder, host) { return }
        let input: (Int) -> AppProcess.Input
        switch request.command {
        case Launch.name: input = { .launch(request: $0) }
        case Relaunch.name: input = { .relaunch(request: $0) }
        case Kill.name: input = { .end(signal: SIGKILL, request: $0) }
        case Terminate.name: input = { .end(signal: SIGTERM, request: $0) }
        case Suspend.name:
            // An app that leaves the foreground loses its dialog.
            try security.cancelPrompt(ofApp: host.spec.name)
            input = { .suspend(request: $0) }
        case Resume.name: input = { .resume(request: $0) }
        default: return refuse(request, responder, of: .process)
        }
        try perform(host.process.handle(input(requests.add(responder))), for: host)
    }

    private func handleLinkCommand(_ request: ControlRequest, _ responder: ControlResponder, _ link: LinkHost) {
        switch request.command {
        case LinkDown.name: link.collect(.range(isInRange: false))
        case LinkUp.name: link.collect(.range(isInRange: true))
        default: return refuse(request, responder, of: .link)
        }
        requests.answer(requests.add(responder), .done)
    }

    private func handleDeviceCommand(_ request: ControlRequest, _ responder: ControlResponder) throws {
        do {
            switch request.command {
            case "ping": responder.succeed(NoResult())
            case "shutdown":
                responder.succeed(NoResult())
                shutDown()
            case Processes.name: responder.succeed(processes())
            case KeychainItems.name:
                let arguments = try request.arguments.decode(KeychainItems.Arguments.self)
                responder.succeed(try keychainItems(service: arguments.service))
            case SetClockSkew.name:
                let arguments = try request.arguments.decode(SetClockSkew.Arguments.self)
                guard let skew = Self.skew(arguments.skew) else {
                    return responder.fail(
                        "badArgument", "`\(arguments.skew)` is no duration; write for example `30s` or `-2m`.")
                }
                deviceClock.setSkew(milliseconds: skew)
                responder.succeed(NoResult())
            default:
                if try handleSecurityCommand(request, responder) { return }
                if try handleStartCommand(request, responder) { return }
                refuse(request, responder, of: .device)
            }
        } catch {
            responder.fail("failed", "`\(request.command)` failed on the device `\(device.name)`: \(error)")
        }
    }

    /// Reads a signed duration; milliseconds, or nil for anything else.
    private static func skew(_ text: String) -> Int64? {
        let isNegative = text.hasPrefix("-")
        guard let duration = LabDuration(isNegative ? String(text.dropFirst()) : text) else { return nil }
        return (isNegative ? -1 : 1) * (duration.nanoseconds / 1_000_000)
    }

    private func refuse(_ request: ControlRequest, _ responder: ControlResponder, of actor: ActorKind) {
        let known = Vocabulary.commands(for: actor).map { $0.name }.joined(separator: ", ")
        responder.fail(
            "unknownCommand",
            "The device `\(device.name)` has no command `\(request.command)` for this actor; it has \(known).")
    }

    private func processes() -> Processes.Result {
        device.apps.compactMap { app in
            guard let process = hosts[app.name]?.process else { return nil }
            let state =
                switch process.phase {
                case .notRunning: "notRunning"
                case .launching, .running: "running"
                case .suspending, .suspended: "suspended"
                }
            return Processes.Process(app: app.name, state: state, pid: process.pid, incarnation: process.incarnation)
        }
    }

    private func keychainItems(service: String?) throws -> KeychainItems.Result {
        try KeychainInventory(path: layout.keychainPath(device.name)).entries(service: service).map {
            KeychainItems.Item(
                service: $0.key.service, account: $0.key.account, accessGroup: $0.key.accessGroup, size: $0.size,
                generation: Int($0.generation))
        }
    }
}
