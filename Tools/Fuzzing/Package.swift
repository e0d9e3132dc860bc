// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// libFuzzer on the parser properties of the lab, separate from its build because everything is instrumented here.
// `make fuzz` builds it with `--sanitize fuzzer` and runs each parser for a bounded time.
let package = Package(
    name: "Fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "PowerAuthLab", path: "../..")],
    targets: [
        .executableTarget(
            name: "fuzz",
            dependencies: [.product(name: "ParserProperties", package: "PowerAuthLab")],
            swiftSettings: [
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("ExistentialAny"),
                // libFuzzer brings the main function.
                .unsafeFlags(["-parse-as-library"]),
            ])
    ],
    swiftLanguageModes: [.v6]
)
