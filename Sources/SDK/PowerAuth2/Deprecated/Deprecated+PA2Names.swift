// The types of the main SDK under their names from before 1.6 (extensions-and-legacy-names.md, section 3).

@available(*, deprecated, renamed: "PowerAuthActivationState")
public typealias PA2ActivationState = PowerAuthActivationState

@available(*, deprecated, renamed: "PowerAuthActivationStatus")
public typealias PA2ActivationStatus = PowerAuthActivationStatus

@available(*, deprecated, renamed: "PowerAuthActivationResult")
public typealias PA2ActivationResult = PowerAuthActivationResult

@available(*, deprecated, renamed: "PowerAuthActivationRecoveryData")
public typealias PA2ActivationRecoveryData = PowerAuthActivationRecoveryData
