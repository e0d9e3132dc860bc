// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

private let settings: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
]

// A separate package: it builds and tests a copy of the lab with mistakes, so it depends on none of the lab's modules.
// `make mutants` and `make mutants-random` run it.
let package = Package(
    name: "Mutants",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.0"),
    ],
    targets: [
        .executableTarget(
            name: "mutants",
            dependencies: [
                .product(name: "Yams", package: "Yams"),
                .product(name: "SwiftSyntax", package: "swift-syntax"),
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftOperators", package: "swift-syntax"),
            ],
            swiftSettings: settings),
        .testTarget(name: "MutantsTests", dependencies: ["mutants"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
