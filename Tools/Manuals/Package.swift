// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// A separate package: it reads the SDKs' manuals and compiles their samples against the lab's built modules, so it
// depends on none of them. `make check-manuals` runs it.
let package = Package(
    name: "Manuals",
    platforms: [.macOS(.v15)],
    targets: [
        .executableTarget(
            name: "check-manuals",
            swiftSettings: [
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("ExistentialAny"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
