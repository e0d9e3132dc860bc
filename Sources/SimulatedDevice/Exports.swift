// What an app sees of the modules below this one. The SDKs import `SimulatedDevice` only; these are the few types
// of the foundations that appear in its signatures.
@_exported public import struct LabKit.DeviceSpec
@_exported public import struct LabKit.FaultPoint
@_exported public import enum LabKit.JSONValue
@_exported public import struct LabKit.Quirk
@_exported public import struct LabKit.QuirkSet
@_exported public import struct LabKit.TraceEventName
@_exported public import class LabSystem.FileLock
@_exported public import class LabSystem.MappedMemory
@_exported public import struct LabSystem.SystemError
