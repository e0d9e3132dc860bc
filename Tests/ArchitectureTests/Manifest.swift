import Foundation
import TestSupport

/// The modules of `Sources` as `Package.swift` declares them.
struct Manifest {
    struct Module {
        let name: String
        /// The modules of this package that it depends on, in the order of the manifest.
        let dependencies: [String]
    }

    /// The modules by building, both in the order of the manifest.
    let buildings: [(name: String, modules: [Module])]

    init() throws {
        let text = try Project.text(of: "Package.swift")
        buildings = text.components(separatedBy: "building(\n").compactMap { section in
            guard let folder = section.prefixMatch(of: #/\s*"Sources/(\w+)"/#) else { return nil }
            let modules = section.matches(
                of:
                    #/
                    \b(?:module|program|target|systemLibrary)\(\s*(?:name:\ )?"([\w-]+)"
                    (?:,\s*(?:dependencies:\ )?\[([^\]]*)\])?
                    /#
            ).map { match in
                // Products of other packages are constants of the manifest; modules are texts.
                let dependencies = (match.2 ?? "").matches(of: #/"([\w-]+)"/#).map { String($0.1) }
                return Module(name: String(match.1), dependencies: dependencies)
            }
            return (String(folder.1), modules)
        }
    }
}
