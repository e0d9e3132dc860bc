// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that building and testing the lab never needs it. `make bench` runs it.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "PowerAuthLab", path: "..")],
    targets: [
        // What the subjects are measured against: the same work written straight on OpenSSL in C.
        .target(name: "EVPBaseline", linkerSettings: [.linkedLibrary("crypto")]),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "EVPBaseline",
                .product(name: "PowerAuthProtocol", package: "PowerAuthLab"),
                .product(name: "PowerAuthCore", package: "PowerAuthLab"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("ExistentialAny"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
