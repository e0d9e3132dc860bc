// The parts of a new project's lab file.
extension ProjectCast {
    static let labHeader = """
        # yaml-language-server: $schema=.lab/lab.schema.json
        # Who takes part. The names of apps, devices and links are the actors of scenarios.
        topologies:
          default:
            devices:
              phone:
                kind: phone
                apps:

        """

    static let mainApp = app("main", "")

    static let walletApp = app("wallet", " # another app of the vendor: it shares the activation with `main`")

    private static func app(_ name: String, _ remark: String) -> String {
        """
                  \(name):\(remark)
                    kind: app
                    bundleIdentifier: com.example.\(name)
                    appGroups: [group.com.example]
                    keychainAccessGroups: [LABTEAM001.com.example.shared]
                    powerAuth:
                      instanceId: com.example.bank
                      sharing:
                        appGroup: group.com.example
                        appIdentifier: com.example.\(name)
                        keychainAccessGroup: LABTEAM001.com.example.shared

        """
    }

    static let widgetApp = """
                  widget: # an app extension: it reads what `main` has stored
                    kind: extension
                    host: main
                    bundleIdentifier: com.example.main.widget
                    appGroups: [group.com.example]
                    keychainAccessGroups: [LABTEAM001.com.example.shared]
                    powerAuth:
                      sdk: extensions
                      instanceId: com.example.bank
                      keychainAccessGroup: LABTEAM001.com.example.shared
                      userDefaultsSuiteName: group.com.example

        """

    static let watch = """
              watch:
                kind: watch
                apps:
                  companion: # the watch app of `main`
                    kind: watchApp
                    host: main
                    bundleIdentifier: com.example.main.watch
                    powerAuth:
                      instanceId: com.example.bank

            links:
              pairing: { phone: phone, watch: watch }

        """
}
