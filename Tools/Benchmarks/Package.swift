// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
]

// A separate package, so that building and testing the lab never needs it. `make bench` runs it.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "PowerAuthLab", path: "../.."),
        // The server's packages, for its baseline.
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
    ],
    targets: [
        // The baseline of the subjects: the same work written directly on OpenSSL in C.
        .target(name: "EVPBaseline", linkerSettings: [.linkedLibrary("crypto")]),
        // A file lock, shared memory and SQLite in C.
        .target(name: "SharingBaseline", linkerSettings: [.linkedLibrary("sqlite3")]),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "EVPBaseline", "SharingBaseline",
                .product(name: "PowerAuthProtocol", package: "PowerAuthLab"),
                .product(name: "PowerAuthCore", package: "PowerAuthLab"),
                .product(name: "SharingSubject", package: "PowerAuthLab"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "server-load",
            dependencies: [
                .product(name: "PowerAuthProtocol", package: "PowerAuthLab"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
