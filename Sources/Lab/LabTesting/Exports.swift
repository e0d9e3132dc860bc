// SPDX-License-Identifier: Apache-2.0

// A test names commands, their arguments and results, which are the vocabulary's, fault points and trace events, and of
// other modules the types below. None of these modules is a product, so LabTesting exports what a test needs.
@_exported public import LabPoints
@_exported public import LabVocabulary

@_exported public import struct LabControl.ControlError
@_exported public import struct LabCore.AppSpec
@_exported public import struct LabCore.DeviceSpec
@_exported public import struct LabCore.InstanceLayout
@_exported public import enum LabCore.JSONValue
@_exported public import struct LabCore.LabDuration
@_exported public import struct LabCore.LinkSpec
@_exported public import struct LabCore.PowerAuthSpec
@_exported public import struct LabCore.Secret
@_exported public import struct LabCore.ServerReady
@_exported public import struct LabCore.ServerSettings
@_exported public import struct LabCore.ServerSpec
@_exported public import struct LabCore.SharingSpec
@_exported public import struct LabCore.Topology
@_exported public import struct LabCore.TraceEvent
@_exported public import struct ScenarioEngine.LabFailure
@_exported public import struct ScenarioLanguage.BadUsage
