/// Every number of the server, the protocol and the SDKs that limits something, with the tests that try the values around
/// it: one less, as many, one more, and a second round where there can be one. `SizeIndexTests` find the numbers in the
/// code, so that a new one is a missing row.
enum SizeIndex {
    /// What stands for a number.
    enum Row {
        /// The display name of the test that tries the values around it.
        case test(String)
        /// Not a size: why no other value would be right, or where a whole is compared with it.
        case fixed(String)
    }

    static let rows = server.merging(serverPolicies) { $1 }.merging(protocolAndCore) { $1 }.merging(clients) { $1 }

    private static let lengths =
        "Every text, list and mapping of a request has a limit in the description, which the server holds"

    private static let server: [String: Row] = [
        "AccessTokens.longestLifetime": .test(
            "No promise of an access token is too long or too short: it is kept for a day at most"),
        "AuditStore.page": .test("The audit shows the oldest behind a number, and the rest behind the last"),
        "CallbackStore.mostAttempts": .test("The log of a callback shows the newest attempts"),
        "IdentityProviders.clockTolerance": .test("A token that does not fit is refused"),
        "InboxEndpoints.pageSize": .test("The first and the second page of an inbox"),
        "InboxService.bodyLength": .test("The subject, the summary and the body of a message"),
        "InboxService.lineLength": .test("The subject, the summary and the body of a message"),
        "InboxService.longestPage": .test("A page has at most a thousand messages, and a list reads no bodies"),
        "LabCertificates.day": .fixed("a day has so many milliseconds"),
        "LabEndpoints.longestStep": .test("Only a clock that can be moved is moved"),
        "LabIdentityProvider.capacity": .test(
            "A code of the identity provider is good until as many newer ones are there"),
        "LabIdentityProvider.codeValidity": .test(
            "A code is good once, for a minute, at its address, and with its verifier"),
        "LabIdentityProvider.targets": .test("A target of browsers is registered until as many newer ones are"),
        "LabIdentityProvider.tokenValidity": .test("A code is redeemed for a token that its published key has signed"),
        "LineBuffer.capacity": .test(
            "A line is written at once; lines that come while one is written wait for nobody and go out together"),
        "MobileOperationService.pageSize": .test("A list of operations for an app"),
        "MoneyFormat.mostStyles": .fixed("what is kept of formatters changes no text"),
        "OfflineSignatureService.maximumStepCount": .test(
            "A one-time code of the last step that counts is accepted, and one of the step before is not"),
        "OperationService.expiryBatch": .test("Every overdue operation expires"),
        "OperationService.mostParameters": .test("A field of a request"),
        "OutgoingRequest.largestBody": .fixed(
            "the bodies of targets are small; it keeps memory, and no answer depends on it"),
        "PurgeJobs.batch": .test("Everything whose time is over is deleted, and nothing else"),
        "PushJournal.limit": .test("The journal of pushes drops the oldest tenth when it is full"),
        "RequestLengths.harmless": .test(lengths),
        "RequestLengths.mostElements": .test(lengths),
        "ScheduledJobs.expiryBatch": .test("Every activation that was not finished is removed"),
        "SeedService.limit": .test("No more activations are seeded at a time than may be, also in several parts"),
        "ServerLimits.bodyBytes": .test("A body beyond the limit is refused before it is read"),
        "SignatureAuditStore.most": .test("The audit of signatures shows the newest"),
        "TemporaryKeyService.expiryTolerance": .test("A temporary-key request that says it is over is refused"),
        "UITemplate.mostAttributes": .test("The attributes of a template"),
    ]

    private static let serverPolicies: [String: Row] = [
        "CallbackPolicy.backoffMultiplier": .test(
            "A message is tried as often as its callback says, with pauses up to the longest"),
        "CallbackPolicy.concurrentCalls": .test(
            "However slow the target and however late it is, each message is delivered once"),
        "CallbackPolicy.connectTimeout": .fixed("real time of a connection; `ServerSettingsTests` read it"),
        "CallbackPolicy.failureThreshold": .test(
            "As many failures in a row as the settings say open the circuit, and a success starts anew"),
        "CallbackPolicy.initialBackoff": .test(
            "A message is tried as often as its callback says, with pauses up to the longest"),
        "CallbackPolicy.maxAttempts": .test(
            "A message is tried as often as its callback says, with pauses up to the longest"),
        "CallbackPolicy.maxBackoff": .test(
            "A message is tried as often as its callback says, with pauses up to the longest"),
        "CallbackPolicy.resetTimeout": .test(
            "As many failures in a row as the settings say open the circuit, and a success starts anew"),
        "CallbackPolicy.responseTimeout": .fixed("real time of an answer; `ServerSettingsTests` read it"),
        "CallbackPolicy.retention": .test("Finished messages are forgotten when their time is over"),
        "ProximityPolicy.digits": .test(
            "Length, step and number of steps of proximity codes are those of the settings"),
        "ProximityPolicy.previousSteps": .test(
            "The code of an operation is good for the steps before that the settings allow"),
        "ProximityPolicy.step": .test("Length, step and number of steps of proximity codes are those of the settings"),
        "ServerPolicy.activationValidity": .test("An activation is committed to the last millisecond of its time"),
        "ServerPolicy.extendedRequestWindow": .test(
            "Timestamps have a window, and newer versions a narrower one ahead"),
        "ServerPolicy.generationAttempts": .test("Ten collisions are enough"),
        "ServerPolicy.lookAhead": .test(
            "A signature of the window's last counter is accepted, and the counters go on together"),
        "ServerPolicy.maxFailedAttempts": .test(
            "An activation that was unblocked has all its attempts again, however often"),
        "ServerPolicy.offlineComponentLength": .test("A digit more or less is no length of an offline signature"),
        "ServerPolicy.pageSize": .test("A list of activations for the back office"),
        "ServerPolicy.recoveryMaxFailedAttempts": .test(
            "A call of the back office that counts a failure closes at the limit, and not before"),
        "ServerPolicy.requestWindow": .test("An envelope from the future is refused, one within the window is not"),
        "ServerPolicy.temporaryKeyValidity": .test("A temporary key decrypts to the last moment of its time"),
        "ServerPolicy.temporaryKeysPerActivation": .test("An activation holds its newest keys, up to the limit"),
        "ServerPolicy.temporaryKeysPerApplication": .test(
            "Devices without activation hold the newest keys of their application version, up to the limit"),
        "ServerPolicy.tokenForwardValidity": .test("Timestamps have a window, and newer versions a narrower one ahead"),
        "ServerPolicy.tokenValidity": .test("Timestamps have a window, and newer versions a narrower one ahead"),
    ]

    private static let format = Row.fixed("a form of bytes, compared as a whole with the vendor's")

    private static let protocolAndCore: [String: Row] = [
        "ActivationRecord.keySize": format,
        "ActivationRecord.passwordIterations": .test("Fewer password iterations than ten thousand are refused"),
        "CountEncoding.maximum": .test("Counts are encoded in one, two or four bytes"),
        "Decimalization.lengths": .test("An offline signature has four to eight digits a factor"),
        "SymmetricKey.minimumPasswordSize": .test("A password has four bytes, whatever the characters"),
        "SymmetricKey.passwordIterations": .test("Fewer password iterations than ten thousand are refused"),
        "SymmetricKey.saltSize": format,
        "MaskedBytes.padSize": .test("A password of any length keeps its bytes"),
        "MobileSdkConfiguration.p256KeyIdentifier": format,
        "MobileSdkConfiguration.version": format,
        "RSAPublicKey.bits": .test("An RSA key has 2,048 to 8,192 bits"),
        "UnsignedRequest.nonceTextLength": .test("Refused requests do not move the counter"),
        "SessionStateCoding.activationFollows": format,
        "SessionStateCoding.hasCounterByte": format,
        "SessionStateCoding.pendingUpgradeMask": format,
        "SessionStateCoding.pendingUpgradeShift": format,
        "SessionStateCoding.tag": format,
        "SessionStateCoding.usesExternalKey": format,
        "StatusBlob.size": format,
        "TemporaryKeyResponse.safetyMargin": .test("Keys are used until shortly before their end"),
        "TimeSynchronization.acceptedDifference": .test(
            "A difference below two seconds needs no adjustment, two seconds do"),
        "TimeSynchronization.longestExchange": .test("An exchange of sixteen seconds is believed, a longer one is not"),
        "TimeSynchronization.stableDifference": .test(
            "A change below ten seconds is noise, ten seconds are none, two times"),
    ]

    private static let clients: [String: Row] = [
        "BiometryKeyStore.nameLength": format,
        "CurlTransfer.maximumBodySize": .test("A body without end is refused"),
        "MultiHandle.keptConnections": .fixed("connections that are kept change no answer"),
        "MultiHandle.longestWait": .fixed("a thread looks again after it; what it waits for wakes it"),
        "OperationPolling.minimum": .test(
            "A delayed start waits for the first interval, which is five seconds at least"),
        "QRFieldReader.maximum": .test("Each mistake has a reason of its own, and the first one is told"),
        "ServerStatusRequests.earliestTime": .fixed("any time before the lab was written will do"),
        "SharedData.applicationIdentifierLimit": .test(
            "A longer application identifier is cut and leaves the hash of the instance alone"),
        "SharedData.instanceHash": format, "SharedData.magic": format, "SharedData.operationApplication": format,
        "SharedData.operationStart": format, "SharedData.operationTicket": format, "SharedData.operationType": format,
        "SharedData.size": format, "SharedData.stateModifyCounter": format, "SharedData.tokenModifyCounter": format,
        "SharedData.version": format,
        "SharedNames.computedIdentifierLength": .test(
            "The memory identifier is the beginning of the instance identifier's hash"),
        "SharedNames.memoryNameLimit": .test("The longest memory name has 31 bytes"),
        "StatusFetch.maximumAttempts": .test("After three attempts the fetch gives up, and the next one goes on"),
        "TemporaryKeyStore.safetyMargin": .test(
            "Several requests share one temporary key, and an expired one is replaced"),
        "TokenRecord.secretLength": .test("Anything else is no record"),
        "WatchPacket.minimumSize": .test(
            "W1: seventeen bytes with the magic are ours, even if broken; sixteen are not"),
    ]
}
