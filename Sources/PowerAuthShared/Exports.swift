// The SDK modules re-export this module, and this module re-exports the core, so that an application
// that imports only `PowerAuth2` sees every vendor type exactly once (sdk.md, section 3, item 1).
@_exported public import PowerAuthCore
