// swift-tools-version: 6.2
import PackageDescription

// A package of its own: it builds and tests a copy of the lab with known mistakes in it, so it depends on none of the
// lab's modules. `make mutants` runs it.
let package = Package(
    name: "Mutants",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0")
    ],
    targets: [
        .executableTarget(
            name: "mutants",
            dependencies: [.product(name: "Yams", package: "Yams")],
            swiftSettings: [
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("ExistentialAny"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
