/// Every number that limits something, with the tests that try the values around it: one less, as many, one more, and a
/// second round where there can be one. `SizeIndexTests` find the numbers in the
/// code, so that a new one is a missing row.
enum SizeIndex {
    /// The test or reason of a number.
    enum Row {
        /// The display name of the test that tries the values around it.
        case test(String)
        /// Not a size: why no other value would be right, or where a whole is compared with it.
        case fixed(String)
    }

    static let rows = [server, serverPolicies, protocolAndCore, clients, devices, system, lab, reports].reduce(
        into: [String: Row]()
    ) { rows, more in rows.merge(more) { $1 } }

    private static let lengths =
        "Every text, list and mapping of a request has a limit in the description, which the server holds"

    private static let server: [String: Row] = [
        "AccessTokens.longestLifetime": .test(
            "An access token with any lifetime is kept for a day at most"),
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
        "LabIdentityProvider.targets": .test("A redirect target is registered until as many newer ones are"),
        "LabIdentityProvider.tokenValidity": .test("A code is redeemed for a token that its published key has signed"),
        "LineBuffer.capacity": .test(
            "A line is written at once; lines added during a write do not wait and are written together"),
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
        "SeedService.limit": .test("Seeding is limited per request, also in several parts"),
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
            "A signature of the window's last counter is accepted, and the counters stay in step"),
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
        "SymmetricKey.minimumPasswordSize": .test("A password has four bytes, regardless of the characters"),
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
            "A change below ten seconds is noise, a change of ten seconds is not, twice in a row"),
    ]

    private static let clients: [String: Row] = [
        "BiometryKeyStore.nameLength": format,
        "HTTPRequest.largestBody": .test("A body without end is refused"),
        "MultiHandle.keptConnections": .fixed("connections that are kept change no answer"),
        "MultiHandle.longestWait": .fixed("a thread looks again after it; what it waits for wakes it"),
        "OperationPolling.minimum": .test(
            "A delayed start waits for the first interval, which is five seconds at least"),
        "QRFieldReader.maximum": .test("Each mistake has a reason of its own, and the first one is reported"),
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
        "StatusFetch.maximumAttempts": .test("After three attempts the fetch fails, and the next one continues"),
        "TemporaryKeyStore.safetyMargin": .test(
            "Several requests share one temporary key, and an expired one is replaced"),
        "TokenRecord.secretLength": .test("Any other value is not a record"),
        "WatchPacket.minimumSize": .test(
            "W1: seventeen bytes with the magic are ours, even if broken; sixteen are not"),
    ]

    private static let code = Row.fixed("a code of `WCError`; watch.md, section 9.8")
    private static let pause = Row.fixed("real time between two looks; it changes no answer")
    private static let shown = Row.fixed("how much is shown")
    private static let version = Row.fixed("a version")

    private static let devices: [String: Row] = [
        "AuthenticationContext.validity": .test(
            "A confirmed context needs no dialog for five minutes; one without interaction never opens one"),
        "AuthenticationService.animation": .test(
            "A second request during the animation of a confirmed face fails; a finger has none"),
        "BinaryPropertyList.greatestDepth": .test("Containers may lie in each other, but not without end"),
        "ComplicationBudget.day": .test(
            "The budget of complications is the same on each day, which begins with its first transfer"),
        "ComplicationBudget.perDay": .test("Fifty a day are brought at once; without a complication none"),
        "DeviceDisk.size": format,
        "DeviceNotification.longestPayload": .test("A push service takes payloads of up to 4,096 bytes of JSON"),
        "Heartbeat.interval": .test(
            "Three unanswered questions are the end of the connection, in each direction by itself"),
        "Heartbeat.patience": .test(
            "Three unanswered questions are the end of the connection, in each direction by itself"),
        "LinkCode.companionAppNotInstalled": code, "LinkCode.deliveryFailed": code, "LinkCode.deviceNotPaired": code,
        "LinkCode.fileAccessDenied": code, "LinkCode.generic": code, "LinkCode.insufficientSpace": code,
        "LinkCode.messageReplyFailed": code, "LinkCode.messageReplyTimedOut": code, "LinkCode.notReachable": code,
        "LinkCode.payloadTooLarge": code, "LinkCode.payloadUnsupportedTypes": code, "LinkCode.sessionInactive": code,
        "LinkCode.sessionNotActivated": code, "LinkCode.transferTimedOut": code, "LinkCode.watchAppNotInstalled": code,
        "LinkHost.retransmissionTimeout": pause, "LinkHost.retryPause": pause,
        "LiveMessages.deliveryTimeout": .test(
            "The time of a message ends at its limit and not a moment before, for delivery and for the reply"),
        "LiveMessages.memory": .test(
            "A duplicate immediate message is delivered once, within the memory of recent messages"),
        "LiveMessages.replyTimeout": .test(
            "The time of a message ends at its limit and not a moment before, for delivery and for the reply"),
        "NamedSharedMemorySpace.maximumNameLength": .test("A name has at most 31 bytes"),
        "Outbox.window": .test(
            "No more than the window is under way, and each confirmation lets so many go as it confirms"),
        "RefusalTally.limit": .test(
            "The first refusals of a second are reported one by one, the others as one number at its end"),
        "RefusalTally.period": .test(
            "The first refusals of a second are reported one by one, the others as one number at its end"),
        "SecurityState.attemptsBeforeLockout": .test(
            "Five attempts in a row lock biometry out until the passcode is entered"),
        "SuspensionChecks.lookAgain": pause, "SuspensionChecks.pause": pause,
        "WatchContent.contextLimit": .test(
            "A transfer, a context and a file of the maximum size are accepted; one byte more is not"),
        "WatchContent.messageLimit": .test(
            "A transfer, a context and a file of the maximum size are accepted; one byte more is not"),
        "WatchFrame.headerLength": format,
        "WatchLink.firstPairing": .fixed("pairings are counted from it"),
    ]

    private static let system: [String: Row] = [
        "AppVocabulary.version": version,
        "ChildProcess.patience": pause,
        "ConnectionLimits.retryAfterSeconds": .fixed("advice for a client that was sent away"),
        "ControlClientLoop.graceNanoseconds": pause,
        "DeadInstances.restTime": .test("Instances of dead processes are swept, living ones are not"),
        "Farewell.patienceNanoseconds": pause,
        "FaultSlot.armed": format, "FaultSlot.headerSize": format, "FaultSlot.lastArmingOffset": format,
        "FaultSlot.layoutVersion": version, "FaultSlot.liveCountOffset": format, "FaultSlot.slotSize": format,
        "FaultSlot.textSize":
            .test("A text too long for a slot is refused, and the longest allowed text is kept whole"),
        "FaultTable.magic": format,
        "FaultTable.slotCount": .test("A full table reports an error, and the slots of spent rules are reused"),
        "InstanceLayout.maximumSocketPath": .test("A socket path is checked against the kernel's limit"),
        "JSONParser.maximumDepth": .test(
            "Lists and objects may be nested up to the limit; siblings do not add to the depth"),
        "JoinHello.currentVersion": version, "JoinSocketLoop.farewellPatience": pause,
        "LabClock.magic": format, "LabClock.size": format, "LabClock.version": version,
        "LinkSpec.defaultCapacity": .fixed("a default; a link's own number is tried by `QueueCapacityTests`"),
        "ServerSettings.languageLength": .test(lengths),
        "TCPSocket.patience": pause,
    ]

    private static let lab: [String: Row] = [
        "InstanceSlot.count": .fixed("how many instances the tests of a process keep at a time"),
        "JoinGuest.measurements": .fixed("the best of several measurements of the same difference"),
        "JoinHost.bootsOfGuest": .fixed("boots of a guest's devices are distinguished from the owner's"),
        "Pacing.hurriedAttempts": pause,
        "ProgramQuestion.limit": .test("A program that prints without end is killed"),
        "SharingCheckers.lateness": .fixed("how late a process writes down what it has done, at most"),
        "SourceFile.largestSize": .test("A file is read up to the maximum size"),
        "StressConfiguration.processCounts": .test("Two to sixteen apps take part"),
        "TraceBoard.fewest": .test(
            "An event with a kept name is found after any number of others; other events are not kept"),
        "YAMLDocument.deepestNesting": .test("Lists may be nested to the maximum depth; siblings do not add to it"),
        "YAMLDocument.mostNodes": .test("A document may have the maximum number of values, including lists"),
    ]

    private static let reports: [String: Row] = [
        "Breach.longestExcerpt": .test("An excerpt has at most twenty events, in order of time"),
        "CauseFinder.usualWait": .fixed("a shorter wait for a lock is no cause of a failure"),
        "DiagnosticRenderer.widestLine": .test(
            "A line is shown whole up to the maximum width; a longer line is shown around the caret"),
        "Doctor.neededDescriptors": .fixed("advice"), "Doctor.neededDisk": .fixed("advice"),
        "Doctor.neededSharedMemory": .fixed("advice"),
        "EventReference.version": version, "JSONReport.version": version, "StateAtStep.version": version,
        "VocabularyReference.version": version,
        "GitHubAnnotations.most": .test("Ten are shown, and a line counts the rest"),
        "GitHubSummary.most": .test("GitHub's summary has rows for fifty scenarios, and a line for the rest"),
        "NearMiss.longText": .test("Only differences are reported, with the common part"),
        "PageTemplate.longestPlain": .fixed("a block is the same in both forms"),
        "RecordedSteps.longPause": .fixed("from how long a pause on a replay is advised to wait"),
        "RunDifference.context": .test(
            "The first difference of each process is shown with two lines before it"),
        "RunDifference.longestLine": .test(
            "An entry is shown up to 160 characters, and a longer one is cut there"),
        "ScenarioTimeline.longestLog": .test(
            "Only the end of a long log is kept, and only logs of interest"),
        "ScenarioTraffic.longestText": shown, "ScenarioTraffic.most": shown,
        "ShellHistory.kept": shown,
        "StepEvents.longest": .test("Its own last twelve events, and the number before them"),
        "StepEvents.shown": .test("The last eight events before it"),
        "StepExplainer.longestSource": shown,
        "SuiteSearch.shownMistakes": .test("Fifty errors are shown, and a line counts the rest"),
        "TerminalReport.recapColumns": shown,
        "TerminalReport.recapLimit": .test(
            "A run of several scenarios ends with those that did not pass and why; at most twenty"),
    ]
}
