// SPDX-License-Identifier: Apache-2.0

import Foundation
public import LabCore

/// Reads the settings of a server from their YAML form: the section `server` of a topology, or a configuration file
/// of a server on its own.
///
/// Used by one thread.
public struct ServerSpecReader {
    private let collector: DiagnosticCollector

    /// A reader that reports into a collector.
    public init(_ collector: DiagnosticCollector) { self.collector = collector }

    /// Reads a whole file; JSON is YAML, too.
    /// - Returns: nil when anything is wrong with it; the collector says what.
    public func read(_ file: SourceFile) -> ServerSpec? {
        let before = collector.count
        guard let root = YAMLDocument.parse(file, reporting: collector) else { return nil }
        let spec = read(root)
        return collector.count == before ? spec : nil
    }

    /// Reads a mapping; invalid values are reported and left at their defaults.
    public func read(_ node: YAMLNode) -> ServerSpec {
        var server = ServerSpec()
        guard let reader = MappingReader(node, container: "`server`", reporting: collector) else { return server }
        if let port = reader.integer("port", in: 0...65_535) { server.port = Int(port) }
        if let attempts = reader.integer("maxFailedAttempts", in: 1...64) { server.maxFailedAttempts = Int(attempts) }
        if let lookAhead = reader.integer("signatureLookAhead", in: 1...64) {
            server.signatureLookAhead = Int(lookAhead)
        }
        server.settings = settings(reader)
        reader.finish()
        return server
    }

    private func settings(_ reader: MappingReader) -> ServerSettings {
        var settings = ServerSettings()
        settings.host = name(
            reader, "host", without: UInt8(ascii: "/"), "it must be a name or an address, without port")
        settings.hostNames = reader.texts("hostNames")
        settings.insecure = reader.boolean("insecure")
        settings.tls = reader.choice("tls", of: CertificateKind.self)
        settings.restrictAccess = reader.boolean("restrictAccess")
        settings.vaultWithBiometry = reader.boolean("vaultWithBiometry")
        settings.upgradeOffered = reader.boolean("upgradeOffered")
        settings.temporaryBlocking = time(reader, "temporaryBlocking")
        settings.commitRecovery = reader.boolean("commitRecovery")
        settings.libraryAuthenticationCode = reader.boolean("libraryAuthenticationCode")
        settings.pushEnvironment = reader.choice("pushEnvironment", of: PushEnvironment.self)
        settings.oneActivationPerUser = reader.boolean("oneActivationPerUser")
        settings.strictJson = reader.boolean("strictJson")
        settings.databaseEncryptionKey = encryptionKey(reader, "databaseEncryptionKey")
        settings.replayVerification = reader.boolean("replayVerification")
        settings.applicationName = reader.text("applicationName")
        settings.applicationDisplayName = reader.text("applicationDisplayName")
        settings.applicationEnvironment = reader.text("applicationEnvironment")
        settings.correlationHeader = name(
            reader, "correlationHeader", without: UInt8(ascii: ":"), "it must be the name of an HTTP header")
        settings.customObject = reader.optional("customObject").flatMap { node in
            node.json(as: .mapping, of: "customObject", reporting: collector)
        }
        settings.activationValidity = time(reader, "activationValidity")
        settings.requestExpiration = time(reader, "requestExpiration")
        settings.requestExpirationExtended = time(reader, "requestExpirationExtended")
        settings.tokenValidity = time(reader, "tokenValidity")
        settings.tokenForwardValidity = time(reader, "tokenForwardValidity")
        settings.temporaryKeyValidity = time(reader, "temporaryKeyValidity")
        settings.temporaryKeysPerActivation = reader.integer("temporaryKeysPerActivation", in: 1...10_000).map {
            Int($0)
        }
        settings.temporaryKeysPerApplication = reader.integer("temporaryKeysPerApplication", in: 1...100_000).map {
            Int($0)
        }
        settings.flagsAtApproval = reader.boolean("flagsAtApproval")
        settings.flagsAtClaim = reader.boolean("flagsAtClaim")
        settings.offlineComponentLength = reader.integer("offlineComponentLength", in: 4...8).map { Int($0) }
        settings.proximityOtpLength = reader.integer("proximityOtpLength", in: 6...9).map { Int($0) }
        settings.proximityOtpStep = time(reader, "proximityOtpStep")
        settings.proximityOtpStepCount = reader.integer("proximityOtpStepCount", in: 0...64).map { Int($0) }
        settings.generationAttempts = reader.integer("generationAttempts", in: 1...1000).map { Int($0) }
        settings.recoveryMaxFailedAttempts = reader.integer("recoveryMaxFailedAttempts", in: 1...64).map { Int($0) }
        settings.pageSize = reader.integer("pageSize", in: 1...10_000).map { Int($0) }
        let templates = TemplateSettingsReader(collector: collector)
        settings.operationTemplates = templates.operationTemplates(reader)
        settings.uiTemplates = templates.uiTemplates(reader)
        if let node = reader.optional("callbacks") { settings.callbacks = callbacks(node) }
        if let node = reader.optional("limits") { settings.limits = limits(node) }
        return settings
    }

    private func callbacks(_ node: YAMLNode) -> ServerSettings.Callbacks {
        var callbacks = ServerSettings.Callbacks()
        guard let reader = MappingReader(node, container: "`callbacks`", reporting: collector) else { return callbacks }
        callbacks.allowedHosts = reader.texts("allowedHosts")
        callbacks.keyStores = reader.text("keyStores")
        callbacks.numericDates = reader.boolean("numericDates")
        callbacks.maxAttempts = reader.integer("maxAttempts", in: 1...1000).map { Int($0) }
        callbacks.initialBackoff = time(reader, "initialBackoff")
        callbacks.backoffMultiplier = reader.number("backoffMultiplier", in: 1...100)
        callbacks.maxBackoff = time(reader, "maxBackoff")
        callbacks.retention = time(reader, "retention")
        callbacks.concurrentCalls = reader.integer("concurrentCalls", in: 1...1000).map { Int($0) }
        callbacks.connectTimeout = time(reader, "connectTimeout")
        callbacks.responseTimeout = time(reader, "responseTimeout")
        callbacks.failureThreshold = reader.integer("failureThreshold", in: -1...1_000_000).map { Int($0) }
        callbacks.resetTimeout = time(reader, "resetTimeout")
        reader.finish()
        return callbacks
    }

    /// Base64 of 16 bytes, which no message shows.
    private func encryptionKey(_ reader: MappingReader, _ key: String) -> Data? {
        guard let text = reader.text(key), let node = reader.node[key] else { return nil }
        collector.hide(node.place)
        guard let data = Data(base64Encoded: text), data.count == 16 else {
            collector.report(
                .misfit(what: "`\(key)`", reason: "it must be Base64 of 16 bytes; `openssl rand -base64 16` makes one"),
                at: node.place)
            return nil
        }
        return data
    }

    private func limits(_ node: YAMLNode) -> ServerSettings.Limits {
        var limits = ServerSettings.Limits()
        guard let reader = MappingReader(node, container: "`limits`", reporting: collector) else { return limits }
        limits.headerTimeout = time(reader, "headerTimeout")
        limits.bodyTimeout = time(reader, "bodyTimeout")
        limits.idleTimeout = time(reader, "idleTimeout")
        limits.answerTimeout = time(reader, "answerTimeout")
        limits.connections = reader.integer("connections", in: 1...100_000).map { Int($0) }
        limits.connectionsPerAddress = reader.integer("connectionsPerAddress", in: 1...100_000).map { Int($0) }
        limits.waitingRequests = reader.integer("waitingRequests", in: 1...100_000).map { Int($0) }
        limits.identityCalls = reader.integer("identityCalls", in: 1...100_000).map { Int($0) }
        reader.finish()
        return limits
    }

    /// Visible ASCII characters without one that ends the name where it is used.
    private func name(_ reader: MappingReader, _ key: String, without end: UInt8, _ reason: String) -> String? {
        guard let name = reader.text(key) else { return nil }
        guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != end }) else {
            collector.report(.misfit(what: "`\(key)`", reason: reason), at: reader.place(of: key))
            return nil
        }
        return name
    }

    /// A time of at least a millisecond and at most ten years, in milliseconds.
    private func time(_ reader: MappingReader, _ key: String) -> Int64? {
        guard let duration = reader.duration(key), let node = reader.node[key] else { return nil }
        let milliseconds = duration.nanoseconds / 1_000_000
        guard (1...Self.longestTime).contains(milliseconds) else {
            collector.report(
                .outOfRange(what: "`\(key)`", value: node.scalar?.text ?? "", limit: "from 1ms to 3650d"),
                at: node.place)
            return nil
        }
        return milliseconds
    }

    private static let longestTime: Int64 = 3650 * 86_400_000
}
