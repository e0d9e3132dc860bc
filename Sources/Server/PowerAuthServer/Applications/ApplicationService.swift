// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import PowerAuthProtocol

/// Applications, their versions and master keys (server.md, section 6).
struct ApplicationService: Sendable {
    let context: ServiceContext

    struct Detail: Sendable {
        let application: Application
        let masterPublicKey: Data
        let versions: [(version: ApplicationVersion, mobileSdkConfig: String)]
    }

    /// The version that every application begins with.
    private static let firstVersion = Identifier(known: "default")

    func list() throws -> [Application] { try context.read(ApplicationStore.all) }

    /// Creates an application with a master key pair and one supported version named `default`.
    /// - Throws: `invalidRequest` without identifier, `duplicateApplication` for one that exists.
    func create(id: Identifier?) throws -> Application {
        guard let id = id.nonBlank else { throw ServiceError(.invalidRequest, "applicationId is missing") }
        let masterKey = try PrivateKey.generate()
        let masterKeysV4 = try MasterKeysV4.generate()
        return try context.change { change in
            guard try ApplicationStore.find(change.database, id: id) == nil else {
                throw ServiceError(.duplicateApplication, "application \(id) exists")
            }
            let application = try ApplicationStore.insert(change.database, id: id, created: change.now)
            try ApplicationStore.insertMasterKeyPair(
                change.database, of: application, privateKey: masterKey.bigEndian,
                publicKey: masterKey.publicKey.uncompressed, created: change.now)
            try MasterKeyStoreV4.insert(change.database, of: application, masterKeysV4, context.seal)
            try ApplicationStore.insert(
                change.database, version: Self.newVersion(of: application, id: Self.firstVersion))
            return application
        }
    }

    /// - Throws: `invalidRequest` without identifier, `invalidApplication` for an unknown one, `noMasterServerKeyPair`
    ///   without master key.
    func detail(id: Identifier?) throws -> Detail {
        try context.read { database in
            let application = try ApplicationStore.required(database, id: id)
            let masterKey = try ApplicationStore.requiredMasterKeyPair(database, of: application)
            let versions = try ApplicationStore.versions(database, of: application).map {
                (version: $0, mobileSdkConfig: try Self.mobileSdkConfig($0, masterPublicKey: masterKey.publicKey))
            }
            return Detail(application: application, masterPublicKey: masterKey.publicKey, versions: versions)
        }
    }

    /// Finds the application of an application key.
    /// - Throws: `invalidApplication` for an unknown key.
    func application(ofKey applicationKey: Identifier?) throws -> Application {
        try context.read { database in
            guard let applicationKey,
                let version = try ApplicationStore.version(database, applicationKey: applicationKey)
            else { throw ServiceError(.invalidApplication, "unknown application key") }
            return version.application
        }
    }

    /// Adds a version to an application.
    /// - Returns: the version and its configuration for the mobile SDK.
    /// - Throws: `invalidRequest` for a missing field, `invalidApplication` for an unknown application,
    ///   `duplicateApplication` for a version that exists.
    func createVersion(
        applicationId: Identifier?, versionId: Identifier?
    ) throws -> (version: ApplicationVersion, mobileSdkConfig: String) {
        try context.change { change in
            let application = try ApplicationStore.required(change.database, id: applicationId)
            guard let versionId = versionId.nonBlank else {
                throw ServiceError(.invalidRequest, "applicationVersionId is missing")
            }
            guard try ApplicationStore.version(change.database, of: application, id: versionId) == nil else {
                throw ServiceError(.duplicateApplication, "version \(versionId) of \(application.id) exists")
            }
            let masterKey = try ApplicationStore.requiredMasterKeyPair(change.database, of: application)
            let version = Self.newVersion(of: application, id: versionId)
            try ApplicationStore.insert(change.database, version: version)
            return (version, try Self.mobileSdkConfig(version, masterPublicKey: masterKey.publicKey))
        }
    }

    /// Lets devices of a version in, or keeps them out.
    /// - Throws: `invalidRequest` for a missing field, `invalidApplication` for an unknown application or version.
    func setSupported(applicationId: Identifier?, versionId: Identifier?, _ supported: Bool) throws
        -> ApplicationVersion
    {
        try context.change { change in
            guard let versionId = versionId.nonBlank else {
                throw ServiceError(.invalidRequest, "applicationVersionId is missing")
            }
            // The vendor's Android tests name no application; a version that only one has is clear (server.md, section
            // 26.3).
            let applications =
                try applicationId == nil
                ? ApplicationStore.all(change.database)
                : [ApplicationStore.required(change.database, id: applicationId)]
            let versions = try applications.compactMap {
                try ApplicationStore.version(change.database, of: $0, id: versionId)
            }
            guard let version = versions.first, versions.count == 1 else {
                throw ServiceError(.invalidApplication, "no version \(versionId), or in several applications")
            }
            try ApplicationStore.setSupported(change.database, version: version, supported)
            change.noteApplicationChange()
            return version
        }
    }

    /// The configuration string of a version with the master keys of both generations (protocol-4.md, section 5).
    /// - Throws: `noMasterServerKeyPair` without master key of protocol 3; as ``ServiceContext/publicMasterKeysV4(of:)``.
    func mobileSdkConfigV4(_ version: ApplicationVersion) throws -> String {
        let pair = try context.read { try ApplicationStore.requiredMasterKeyPair($0, of: version.application) }
        var keys = try context.publicMasterKeysV4(of: version.application)
        keys[.p256] = pair.publicKey
        return try SdkConfigurationV4(
            applicationKey: StrictBase64.decode(version.applicationKey.text) ?? Data(),
            applicationSecret: ApplicationSecretKey(StrictBase64.decode(version.applicationSecret) ?? Data()),
            keys: keys
        ).string
    }

    private static func newVersion(of application: Application, id: Identifier) -> ApplicationVersion {
        ApplicationVersion(
            application: application, id: id,
            applicationKey: Identifier(known: StrictBase64.encode(Random.nonZeroBytes(16))),
            applicationSecret: StrictBase64.encode(Random.nonZeroBytes(16)), isSupported: true)
    }

    private static func mobileSdkConfig(_ version: ApplicationVersion, masterPublicKey: Data) throws -> String {
        try MobileSdkConfiguration(
            applicationKeyText: version.applicationKey.text, applicationSecretText: version.applicationSecret,
            masterServerPublicKeyText: StrictBase64.encode(masterPublicKey)
        ).string
    }
}
