extension ServerServices {
    /// Every resource below `/rest/v3` (server.md, section 4), and the back end of the vendor's tests below `/v2`.
    var backOfficeEndpoints: [Endpoint] {
        let integrations = IntegrationEndpoints(service: IntegrationService(context: context))
        let all =
            SystemEndpoints(clock: context.clock, names: names).endpoints
            + TelemetryEndpoint(context: context).endpoints
            + ApplicationEndpoints(service: applications).endpoints
            + ApplicationSettingsEndpoints(service: ApplicationSettingsService(context: context)).endpoints
            + ActivationEndpoints(activations: activations, statuses: statuses, policy: context.policy).endpoints
            + KeyExchangeEndpoints(context: context).endpoints
            + ActivationAdministrationEndpoints(service: activations).endpoints
            + SignatureEndpoints(context: context).endpoints
            + TokenEndpoints(service: tokens).endpoints
            + CryptographyEndpoints(context: context).endpoints
            + RecoveryEndpoints(service: RecoveryService(context: context)).endpoints
            + integrations.endpoints
            + CallbackEndpoints(service: CallbackService(context: context)).endpoints
            + OperationTemplateEndpoints(service: OperationTemplateService(context: context)).endpoints
            + OperationEndpoints(context: context).endpoints
            + FacadeEndpoints(context: context).endpoints
        return all.map(integrations.restricted)
    }
}
