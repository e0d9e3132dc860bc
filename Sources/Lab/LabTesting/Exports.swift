// A test names commands, their arguments and results, topologies and durations, which are LabKit's, and the error of
// an instance that does not work, and of a call that no actor could carry out. Neither module is a product, so
// LabTesting exports both.
@_exported public import LabKit

@_exported public import struct LabRunner.BadUsage
@_exported public import struct LabRunner.LabFailure
