// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// Every target of ours is compiled with the same three upcoming features: imports are internal
// unless the API needs them, members are visible only through an import of their module, and
// existentials are spelled `any`. `docs/architecture.md` lists who may import whom.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
]

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], reading files: [String] = []) -> Target {
    .testTarget(
        name: name, dependencies: ["TestSupport"] + dependencies, exclude: files, swiftSettings: settings)
}

/// Targets that share a folder: each lies below it, in a folder of its own name.
func building(_ folder: String, _ targets: [Target]) -> [Target] {
    for target in targets where target.path == nil { target.path = "\(folder)/\(target.name)" }
    return targets
}

let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore: Target.Dependency = .product(name: "HummingbirdCore", package: "hummingbird")
let hummingbirdTLS: Target.Dependency = .product(name: "HummingbirdTLS", package: "hummingbird")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioEmbedded: Target.Dependency = .product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let nioTLS: Target.Dependency = .product(name: "NIOTLS", package: "swift-nio")
let serviceLifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let yams: Target.Dependency = .product(name: "Yams", package: "Yams")

// The system below: files, processes, sockets, and the libraries in C, which pkg-config finds.
let system = building(
    "Sources/System",
    [
        // The C side: libraries found by pkg-config, and shims for what Swift cannot call.
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"])]),
        // Without pkg-config: libzmq's flags name the headers of its own dependencies, which SwiftPM refuses.
        .systemLibrary(name: "CZeroMQ", providers: [.apt(["libzmq3-dev"])]),
        // The certificates of servers are judged with the same OpenSSL that libcurl makes its connections with.
        .target(
            name: "CCurl", linkerSettings: ["curl", "ssl", "crypto"].map { .linkedLibrary($0) }),
        .target(name: "CLineEditor", linkerSettings: [.linkedLibrary("edit")]),
        .target(name: "CLabSystem"),
        // Requests over libcurl, of the SDKs and of the server.
        module("LabHTTP", ["CCurl"]),
        module("LabSystem", ["CLabSystem"]),
        // What the SDKs, the server and the lab name alike: fault points, trace events and quirks.
        module("LabPoints"),
        module("ZeroMQ", ["LabSystem", "CZeroMQ"]),
    ])

// The protocol.
let protocols = building(
    "Sources/Protocol",
    [
        module("PowerAuthProtocol", ["COpenSSL"]),
        // Separate: swift-crypto has a BoringSSL of its own, which only programs with hybrid suites link:
        // the server, and apps on SDK 2.0.
        module("PowerAuthPostQuantum", ["PowerAuthProtocol", crypto]),
    ])

// The simulated platform: a device, and Apple's modules over it.
let platform = building(
    "Sources/Platform",
    [
        .target(name: "CSimulatedDevice", linkerSettings: [.linkedLibrary("sqlite3")]),
        module(
            "SimulatedDevice",
            [
                "LabCore", "LabPoints", "LabSystem", "ZeroMQ", "COpenSSL", "CSimulatedDevice", grdb,
            ]),
        module("WatchConnectivity", ["SimulatedDevice"]),
        module("WatchKit", ["SimulatedDevice", "LabPoints"]),
        module("LocalAuthentication", ["SimulatedDevice"]),
        // Not imported by code: the compiler does it in a file that imports Testing and UIKit.
        module("_Testing_UIKit"),
        module("UIKit", ["SimulatedDevice", "CFNetwork", "_Testing_UIKit"]),
        module("UserNotifications", ["SimulatedDevice"]),
        module("NetworkFramework", ["SimulatedDevice"]),
        module("CFNetwork"),
        module("SecurityFramework", ["SimulatedDevice", "LocalAuthentication", "CFNetwork", "LabPoints"]),
        // The submodule in `import os.log`, which only a module map can declare.
        .target(name: "COSFramework"),
        module("OSFramework", ["SimulatedDevice", "LabPoints", "COSFramework"]),
        module("OSLog", ["OSFramework"]),
    ])

// The SDKs, and the vendor's libraries on top of them.
let sdk = building(
    "Sources/SDK",
    [
        module("PowerAuthCore", ["PowerAuthProtocol"]),
        module(
            "PowerAuthShared",
            [
                "PowerAuthCore", "PowerAuthProtocol", "SimulatedDevice", "LabPoints", "LabSystem", "WatchConnectivity",
                "LocalAuthentication", "CFNetwork", "LabHTTP",
            ]),
        module(
            "PowerAuth2",
            [
                "PowerAuthShared", "PowerAuthProtocol", "SimulatedDevice", "LabPoints", "LocalAuthentication",
                "LabHTTP",
            ]),
        // SDK 2.0: protocol 4, and protocol 3 by the SDK above (docs/protocol-4.md).
        module(
            "PowerAuthSDK2",
            [
                "PowerAuth2", "PowerAuthShared", "PowerAuthCore", "PowerAuthProtocol", "PowerAuthPostQuantum",
                "SimulatedDevice", "LocalAuthentication", "LabHTTP",
            ]),
        module("PowerAuth2ForExtensions", ["PowerAuthShared", "SimulatedDevice", "LabPoints"]),
        module("PowerAuth2ForWatch", ["PowerAuthShared", "SimulatedDevice", "LabPoints"]),
        // The vendor's libraries on top of the SDK.
        module(
            "WultraPowerAuthNetworking",
            [
                "PowerAuth2", "PowerAuthShared", "PowerAuthCore", "SimulatedDevice", "LabPoints", "CFNetwork",
                "LabHTTP",
            ]),
        module(
            "WultraMobileTokenSDK",
            [
                "WultraPowerAuthNetworking", "PowerAuth2", "PowerAuthShared", "PowerAuthProtocol", "SimulatedDevice",
                "UIKit", "UserNotifications", "LabPoints", "LabSystem",
            ]),
    ])

// The server.
let server = building(
    "Sources/Server",
    [
        module("HTTPConnections", [hummingbirdCore, logging, nioCore, nioHTTP1, nioSSL]),
        module(
            "PowerAuthServer",
            [
                "HTTPConnections", "LabHTTP", "PowerAuthProtocol", "PowerAuthPostQuantum", "COpenSSL", "CArgon2",
                "LabFile", "LabProgram", "LabCore", "LabControl", "LabVocabulary", "LabPoints", "LabSystem",
                argumentParser, grdb, httpTypes, hummingbird, hummingbirdCore, hummingbirdTLS, logging, nioCore,
                nioHTTP1, nioPosix, nioSSL, serviceLifecycle,
            ]),
    ])

// The operating system of a device.
let device = building(
    "Sources/Device",
    [
        module(
            "DeviceAgent",
            [
                "SimulatedDevice", "PowerAuthProtocol", "LabProgram", "LabCore", "LabControl", "LabVocabulary",
                "LabPoints", "LabSystem", "ZeroMQ", argumentParser, grdb,
            ])
    ])

// The lab: what scenarios say, how they are run and judged, and the apps they drive.
let lab = building(
    "Sources/Lab",
    [
        // The page that `lab run` writes: its files are embedded, not copied beside the executable.
        .target(name: "CReportPage", exclude: ["front"]),
        module("LabCore", ["LabPoints", "LabSystem"]),
        module("LabControl", ["LabCore", "LabPoints", "LabSystem", "ZeroMQ"]),
        module("LabVocabulary", ["LabControl", "LabCore", "LabPoints"]),
        // Apart from LabCore, so that no app links a YAML reader.
        module("LabFile", ["LabCore", "LabVocabulary", "LabPoints", "LabSystem", yams]),
        // The process of an app, and the commands that every kind of app carries out.
        module(
            "LabPeer",
            [
                "SimulatedDevice", "PowerAuthShared", "WatchConnectivity", "LabProgram", "LabCore", "LabControl",
                "LabVocabulary", "LabPoints", "LabSystem", argumentParser,
            ]),
        module(
            "AppHandlers",
            [
                "LabPeer", "LabCore", "LabControl", "LabVocabulary", "LabPoints", "PowerAuth2", "PowerAuthSDK2",
                "PowerAuth2ForExtensions", "PowerAuthShared", "PowerAuthProtocol", "WultraPowerAuthNetworking",
                "WultraMobileTokenSDK", "LocalAuthentication", "UIKit", "UserNotifications", "ManualPhoneSession",
                argumentParser,
            ]),
        // Apart, so that a watch app links no code of the phone's SDK.
        module(
            "WatchAppHandlers",
            [
                "LabCore", "LabPeer", "LabVocabulary", "LabPoints", "SimulatedDevice", "WatchConnectivity", "WatchKit",
                "PowerAuth2ForWatch", "ManualWatchSession", argumentParser,
            ]),
        // For the apps of users.
        module(
            "LabApp",
            [
                "LabProgram", "AppHandlers", "WatchAppHandlers", "PowerAuth2", "PowerAuth2ForExtensions",
                "PowerAuth2ForWatch", "SimulatedDevice", "LabPeer", "LabCore", "LabControl", "LabVocabulary",
                "LabPoints", "LabSystem", argumentParser,
            ]),
        // The manual's sample, as an app compiles it.
        .target(
            name: "ManualPhoneSession", dependencies: ["PowerAuth2", "WatchConnectivity"],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .target(
            name: "ManualWatchSession", dependencies: ["PowerAuth2ForWatch", "WatchConnectivity"],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        module("LabProgram", [argumentParser]),
        module("LabChecks", ["LabCore", "LabControl", "LabPoints", "LabSystem"]),
        // Reads and checks scenarios; runs nothing.
        module(
            "ScenarioLanguage",
            ["LabFile", "LabCore", "LabVocabulary", "LabPoints", "LabSystem"]),
        // Runs scenarios in instances.
        module(
            "ScenarioEngine",
            [
                "ScenarioLanguage", "LabChecks", "LabFile", "LabCore", "LabControl", "LabVocabulary",
                "LabPoints", "LabSystem", "COpenSSL",
            ]),
        // What a run leaves behind for people and programs.
        module(
            "LabReports",
            [
                "ScenarioLanguage", "ScenarioEngine", "CReportPage", "CZlib", "LabFile", "LabCore", "LabControl",
                "LabVocabulary", "LabPoints", "LabSystem",
            ]),
        // The work of the commands of `lab`.
        module(
            "LabTools",
            [
                "ScenarioLanguage", "ScenarioEngine", "LabReports", "LabChecks", "LabFile", "LabCore", "LabControl",
                "LabVocabulary", "LabPoints", "LabSystem",
            ]),
        module(
            "LabDashboard",
            [
                "HTTPConnections", "LabTools", "ScenarioEngine", "LabCore", "LabSystem", hummingbird, hummingbirdCore,
                httpTypes,
                logging, serviceLifecycle,
            ]),
        module(
            "LabTesting",
            [
                "LabReports", "ScenarioEngine", "ScenarioLanguage", "LabFile", "SimulatedDevice", "LabCore",
                "LabControl",
                "LabVocabulary", "LabPoints", "LabSystem",
            ]),
    ])

// The programs. `lab` can play all others but the agent, so that `make build` makes two files.
let programs = building(
    "Sources/Programs",
    [
        program(
            "lab",
            [
                "LabProgram", "LabDashboard", "LabTools", "LabReports", "ScenarioEngine", "ScenarioLanguage", "LabCore",
                "LabControl", "LabVocabulary", "LabPoints",
                "LabSystem", "CLineEditor", "PowerAuthServer", "AppHandlers", "WatchAppHandlers", "LabPeer",
                argumentParser,
            ]),
        program("lab-server", ["PowerAuthServer"]),
        program("device-agent", ["DeviceAgent"]),
        program("main-app", ["AppHandlers", "LabPeer"]),
        program("app-extension", ["AppHandlers", "LabPeer"]),
        program("watch-companion", ["WatchAppHandlers", "LabPeer"]),
    ])

// What several test targets share.
let testSupport = building(
    "Tests/Support",
    [
        // What several test targets share.
        .target(
            name: "TestSupport",
            dependencies: [
                "PowerAuthShared", "PowerAuthServer", "PowerAuthProtocol", "LabCore", "LabSystem", "CZlib", httpTypes,
                hummingbird, hummingbirdCore, logging, nioCore, serviceLifecycle,
            ], swiftSettings: settings),
        // An application with an SDK object and the real server in one process.
        .target(
            name: "SDKTestSupport",
            dependencies: [
                "TestSupport", "PowerAuth2", "PowerAuthShared", "PowerAuthServer", "SimulatedDevice", "LabHTTP",
                "LabCore", "LabControl", "LabSystem",
            ], swiftSettings: settings),
        // What must hold for any input of a parser; driven by the tests and by the package in Fuzzing.
        .target(
            name: "ParserProperties",
            dependencies: [
                "PowerAuthProtocol", "PowerAuthCore", "PowerAuthShared", "SimulatedDevice", "WultraMobileTokenSDK",
                "DeviceAgent", "LabFile",
            ], swiftSettings: settings),
        // An app that shares an activation; what the package in Benchmarks measures.
        .target(
            name: "SharingSubject",
            dependencies: [
                "PowerAuth2", "PowerAuthShared", "PowerAuthCore", "SimulatedDevice", "LabHTTP", "LabCore",
            ],
            swiftSettings: settings),
    ])

// Tests, one target a module, in the same buildings.
let unitTests = [
    building(
        "Tests/System",
        [
            tests("LabSystemTests", ["LabSystem"]),
            tests("LabHTTPTests", ["LabHTTP"]),
            tests("LabPointsTests", ["LabPoints"]),
            tests("ZeroMQTests", ["ZeroMQ", "LabSystem"]),
        ]),
    building(
        "Tests/Protocol",
        [
            tests(
                "PowerAuthProtocolTests",
                ["PowerAuthProtocol", "PowerAuthPostQuantum", "ParserProperties", "COpenSSL"])
        ]),
    building(
        "Tests/Platform",
        [
            tests(
                "SimulatedDeviceTests",
                [
                    "SimulatedDevice", "LabCore", "LabControl", "LabVocabulary", "LabPoints", "LabSystem",
                    "WatchConnectivity", "WatchKit", "UIKit", "UserNotifications", "NetworkFramework", "CFNetwork",
                    "LocalAuthentication", "SecurityFramework", "OSFramework", grdb,
                ])
        ]),
    building(
        "Tests/SDK",
        [
            tests("PowerAuthCoreTests", ["PowerAuthCore", "PowerAuthProtocol", "PowerAuthPostQuantum"]),
            tests(
                "PowerAuthSharedTests",
                [
                    "PowerAuthShared", "PowerAuth2", "PowerAuth2ForWatch", "PowerAuth2ForExtensions",
                    "PowerAuthProtocol", "UIKit", "SimulatedDevice", "WatchConnectivity", "LabHTTP", "LabCore",
                    "LabControl", "LabVocabulary", "LabPoints", "LabSystem",
                ]),
            // The whole SDK against the real server in one process.
            tests(
                "PowerAuth2Tests",
                [
                    "SDKTestSupport", "PowerAuth2", "PowerAuthShared", "LocalAuthentication", "PowerAuthServer",
                    "SimulatedDevice", "LabHTTP", "LabCore", "LabControl", "LabVocabulary", "LabPoints",
                    "PowerAuthProtocol",
                ]),
            // SDK 2.0 against the real server in one process.
            tests(
                "PowerAuthSDK2Tests",
                [
                    "SDKTestSupport", "PowerAuthSDK2", "PowerAuth2", "PowerAuthShared", "PowerAuthProtocol",
                    "SimulatedDevice", "LabHTTP", "LabCore", "LabVocabulary",
                ]),
            tests(
                "WultraPowerAuthNetworkingTests",
                [
                    "SDKTestSupport", "WultraPowerAuthNetworking", "PowerAuth2", "PowerAuthShared", "PowerAuthServer",
                    "SimulatedDevice", "LabHTTP", "LabCore", "LabControl", "LabPoints",
                ]),
            tests(
                "WultraMobileTokenSDKTests",
                [
                    "SDKTestSupport", "WultraMobileTokenSDK", "WultraPowerAuthNetworking", "PowerAuth2",
                    "PowerAuthShared", "PowerAuthProtocol", "UIKit", "UserNotifications", "SimulatedDevice", "LabHTTP",
                    "LabCore", "LabControl",
                ]),
        ]),
    building(
        "Tests/Server",
        [
            tests(
                "PowerAuthServerTests",
                [
                    "PowerAuthServer", "HTTPConnections", "LabHTTP", "PowerAuthProtocol", "PowerAuthPostQuantum",
                    "LabFile", "LabCore", "LabControl", "LabVocabulary", "LabPoints", "LabSystem", grdb, httpTypes,
                    hummingbird,
                    hummingbirdTLS, logging, nioCore, nioEmbedded, nioHTTP1, nioPosix, nioSSL, nioTLS,
                ])
        ]),
    building(
        "Tests/Device",
        [
            tests(
                "DeviceAgentTests",
                [
                    "DeviceAgent", "PowerAuthProtocol", "SimulatedDevice", "LabCore", "LabControl", "LabVocabulary",
                    "LabPoints", "LabSystem", grdb,
                ])
        ]),
    building(
        "Tests/Lab",
        [
            tests("LabControlTests", ["LabControl", "LabCore", "LabPoints", "LabSystem", "ZeroMQ"]),
            tests("LabVocabularyTests", ["LabControl", "LabCore", "LabPoints", "LabVocabulary"]),
            tests("LabCoreTests", ["LabCore", "LabPoints", "LabSystem", "LabVocabulary"]),
            tests(
                "LabPeerTests",
                ["LabPeer", "LabCore", "LabControl", "LabVocabulary", "WatchConnectivity", argumentParser]),
            tests("LabChecksTests", ["LabChecks", "LabCore", "LabPoints", "LabSystem"]),
            tests(
                "ScenarioTests",
                [
                    "LabTools", "LabReports", "ScenarioEngine", "ScenarioLanguage", "LabChecks", "LabFile", "LabCore",
                    "LabControl", "LabVocabulary", "LabPoints",
                    "LabSystem",
                ],
                reading: ["Golden", "Failures"]),
        ]),
].flatMap(\.self)

// The house itself, and the suites that launch real processes.
let wholeTests = building(
    "Tests",
    [
        tests(
            "EndToEndTests",
            [
                "Kills", "LabTesting", "LabChecks", "LabReports", "SimulatedDevice", "ZeroMQ",
                "LabCore", "LabControl", "LabVocabulary", "LabPoints", "LabSystem",
            ],
            reading: ["Explanations"]),
        tests("ArchitectureTests", ["LabPoints", "LabSystem", yams]),
    ])

// Programs that measure, kill, and stand for an app of a user; the other tools are packages of their own.
let tools = building(
    "Tools",
    [
        // Kills apps, devices and servers; driven by tests and, for longer, by the program behind `make soak`.
        .target(
            name: "Kills",
            dependencies: [
                "LabTesting", "LabChecks", "PowerAuthProtocol", "LabCore", "LabControl", "LabVocabulary", "LabPoints",
                "LabSystem", grdb,
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "soak",
            dependencies: ["LabCore", "Kills", "LabProgram", "LabControl", "LabSystem", argumentParser],
            swiftSettings: settings),
        // What the link between phone and watch costs, beside what its parts cost; part of `make bench`.
        .executableTarget(
            name: "link-load",
            dependencies: [
                "LabProgram", "SimulatedDevice", "LabCore", "LabControl", "LabSystem", "ZeroMQ", grdb, argumentParser,
            ],
            swiftSettings: settings),
        // What the launch of an app costs, beside that of a program in C.
        .executableTarget(
            name: "launch-load",
            dependencies: ["LabTesting", "LabProgram", "LabVocabulary", "LabSystem", argumentParser],
            swiftSettings: settings),
        .executableTarget(name: "answering-program"),
        // An app as a user's package has one.
        .executableTarget(
            name: "sample-app", dependencies: ["LabApp", "PowerAuth2", "UIKit"],
            swiftSettings: settings),
        // An app in another language, which only follows the page about own apps.
        .executableTarget(
            name: "greeter", dependencies: [], path: "Examples/other-language",
            linkerSettings: [.linkedLibrary("zmq")]),
    ])

let package = Package(
    name: "PowerAuthLab",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "lab", targets: ["lab"]),
        .executable(name: "lab-server", targets: ["lab-server"]),
        .executable(name: "device-agent", targets: ["device-agent"]),
        .executable(name: "main-app", targets: ["main-app"]),
        .executable(name: "app-extension", targets: ["app-extension"]),
        .executable(name: "watch-companion", targets: ["watch-companion"]),
        .library(name: "PowerAuth2", targets: ["PowerAuth2"]),
        .library(name: "PowerAuthSDK2", targets: ["PowerAuthSDK2"]),
        .library(name: "PowerAuth2ForExtensions", targets: ["PowerAuth2ForExtensions"]),
        .library(name: "PowerAuth2ForWatch", targets: ["PowerAuth2ForWatch"]),
        .library(name: "WultraPowerAuthNetworking", targets: ["WultraPowerAuthNetworking"]),
        .library(name: "WultraMobileTokenSDK", targets: ["WultraMobileTokenSDK"]),
        // Apple's modules. Network, Security and os cannot have their names here (docs/own-app.md).
        .library(name: "UIKit", targets: ["UIKit", "_Testing_UIKit"]),
        .library(name: "LocalAuthentication", targets: ["LocalAuthentication"]),
        .library(name: "WatchConnectivity", targets: ["WatchConnectivity"]),
        .library(name: "WatchKit", targets: ["WatchKit"]),
        .library(name: "UserNotifications", targets: ["UserNotifications"]),
        .library(name: "NetworkFramework", targets: ["NetworkFramework"]),
        .library(name: "CFNetwork", targets: ["CFNetwork"]),
        .library(name: "SecurityFramework", targets: ["SecurityFramework"]),
        .library(name: "OSFramework", targets: ["OSFramework"]),
        .library(name: "OSLog", targets: ["OSLog"]),
        .library(name: "LabApp", targets: ["LabApp"]),
        .library(name: "LabTesting", targets: ["LabTesting"]),
        // For the packages in Benchmarks and Fuzzing.
        .library(name: "PowerAuthProtocol", targets: ["PowerAuthProtocol"]),
        .library(name: "PowerAuthCore", targets: ["PowerAuthCore"]),
        .library(name: "ParserProperties", targets: ["ParserProperties"]),
        .library(name: "SharingSubject", targets: ["SharingSubject"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: ["FullFoundation"]),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    ],
    targets: system + protocols + platform + sdk + server + device + lab + programs + testSupport + unitTests
        + wholeTests
        + tools,
    swiftLanguageModes: [.v6]
)

// Only `make docs` needs the plugin that builds the reference.
if Context.environment["LAB_DOCS"] != nil {
    package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"))
}
