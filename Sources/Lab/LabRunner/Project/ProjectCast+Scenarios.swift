// The scenarios of a new project.
extension ProjectCast {
    /// The scenario of the default cast: everything in one file.
    static let sharedActivation = """
        # yaml-language-server: $schema=../.lab/scenario.schema.json
        name: A second app signs with the activation of the first
        steps:
          - server: initActivation
            with: { userId: alice }
            as: code

          - main: createActivation
            with: { activationCode: "${code.activationCode}" }

          - main: persistActivation
            with: { password: "1234" }

          - server: commitActivation
            with: { activationId: "${code.activationId}" }

          - wallet: fetchActivationStatus
            expect: { state: active, remainingAttempts: 5 }

          - wallet: validatePassword
            with: { password: "1234" }

          - note: A wrong password costs both apps an attempt
            wallet: validatePassword
            with: { password: "0000" }
            fails: any

          - main: fetchActivationStatus
            expect: { state: active, remainingAttempts: 4 }

        """

    static let activation = """
        # yaml-language-server: $schema=../../.lab/steps.schema.json
        # Steps for `include`: `main` gets an active activation.
        parameters:
          password: { type: secret, default: "1234", meaning: The password of the new activation. }
        outputs:
          code: The activation code and the identifier of the activation.
        steps:
          - server: initActivation
            with: { userId: alice }
            as: code

          - main: createActivation
            with: { activationCode: "${code.activationCode}", name: Alice's phone }

          - main: persistActivation
            with: { password: "${password}" }

          - server: commitActivation
            with: { activationId: "${code.activationId}" }

        """

    /// The first scenario belongs to every cast; small casts also get the others.
    static let phoneScenarios = [
        (path: "Scenarios/wrong-password.yaml", content: wrongPassword),
        (path: "Scenarios/late-answer.yaml", content: lateAnswer),
        (path: "Scenarios/removed-activation.yaml", content: removedActivation),
    ]

    private static let wrongPassword = """
        # yaml-language-server: $schema=../.lab/scenario.schema.json
        name: A wrong password costs an attempt, and the right one gives it back
        steps:
          - include: steps/activate.yaml

          - main: validatePassword
            with: { password: "0000" }
            fails: { code: networkError, httpStatusCode: 401 }

          - main: fetchActivationStatus
            expect: { state: active, remainingAttempts: 4 }

          - main: validatePassword
            with: { password: "1234" }

          - main: fetchActivationStatus
            expect: { state: active, remainingAttempts: 5 }

        """

    private static let lateAnswer = """
        # yaml-language-server: $schema=../.lab/scenario.schema.json
        name: A request that the server answers too late ends in a time-out, and the next one succeeds
        steps:
          - include: steps/activate.yaml

          - server: slow
            with: { endpoint: activation/status, by: 30s, times: 1 }

          - parallel:
              - main: fetchActivationStatus
                fails: timedOut
              - - waitFor: { event: server.faulted, peer: server }
                - advance: 21s

          - main: fetchActivationStatus
            expect: { state: active }

        """

    private static let removedActivation = """
        # yaml-language-server: $schema=../.lab/scenario.schema.json
        name: An activation that the back office removes is gone with the next status
        steps:
          - include: steps/activate.yaml

          - server: removeActivation
            with: { activationId: "${code.activationId}" }

          - main: fetchActivationStatus
            expect: { state: removed }

        """

    static let walletScenario = """
        # yaml-language-server: $schema=../.lab/scenario.schema.json
        name: A second app signs with the activation of the first
        steps:
          - include: steps/activate.yaml

          - wallet: requestSignature
            with: { method: POST, uriId: /payment, password: "1234" }
            as: signature

          - server: verifySignature
            with: { header: "${signature.value}", method: POST, uriId: /payment }
            expect: { signatureValid: true, userId: alice }

        """

    static let widgetScenario = """
        # yaml-language-server: $schema=../.lab/scenario.schema.json
        name: The extension uses the token that the app has got
        steps:
          - include: steps/activate.yaml

          - main: requestAccessToken
            with: { name: accounts, password: "1234" }

          - widget: activationIdentifier
            expect: "${code.activationId}"

          - widget: generateHeader
            with: { name: accounts }
            as: header

          - server: validateToken
            with: { header: "${header.value}" }
            expect: { tokenValid: true, userId: alice }

        """

    static let watchScenario = """
        # yaml-language-server: $schema=../.lab/scenario.schema.json
        name: A watch that is out of range learns of the activation when it is back
        steps:
          - include: steps/activate.yaml

          - pairing: down

          - main: sendActivationStatusToWatch
            with: { delivery: guaranteed }
            expect: true

          - companion: hasValidActivation
            expect: false

          - pairing: up

          - companion: hasValidActivation
            eventually: 5s
            expect: true

        """
}
