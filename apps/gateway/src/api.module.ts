import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AccessGuard } from './access/access.guard.js';
import { ApiKeysController } from './access/api-keys.controller.js';
import { Authentication } from './access/authentication.service.js';
import { KeyRing } from './access/key-ring.service.js';
import { OidcSettings } from './access/oidc-settings.service.js';
import { OperatorGuard } from './access/operator.guard.js';
import { OperatorTokens } from './access/operator-tokens.service.js';
import { RateLimit } from './access/rate-limit.service.js';
import { ServiceTokensController } from './access/service-tokens.controller.js';
import { ServiceTokens } from './access/service-tokens.service.js';
import { SessionCookie } from './access/session-cookie.service.js';
import { SessionsController } from './access/sessions.controller.js';
import { Sessions } from './access/sessions.service.js';
import { UnknownKeyLimits } from './access/unknown-key-limits.js';
import { ApprovalsController } from './approvals/approvals.controller.js';
import { Approvals } from './approvals/approvals.service.js';
import { GuardedActs } from './approvals/guarded-acts.service.js';
import { AuditController } from './audit/audit.controller.js';
import { AuditLog } from './audit/audit-log.service.js';
import { FailedSignIns } from './audit/failed-sign-ins.service.js';
import { RefusedAddresses } from './audit/refused-addresses.service.js';
import { ConnectorSourceController } from './connectors/connector-source.controller.js';
import { ConnectorsController } from './connectors/connectors.controller.js';
import { ConsoleFiles } from './console/console-files.service.js';
import { EventStreams } from './events/event-streams.service.js';
import { EventsController } from './events/events.controller.js';
import { HealthController } from './health/health.controller.js';
import { GatewayHousekeeping } from './housekeeping/gateway-housekeeping.service.js';
import { GroupsController } from './identities/groups.controller.js';
import { IdentitiesController } from './identities/identities.controller.js';
import { RecordsController } from './identities/records.controller.js';
import { SuppressionsController } from './identities/suppressions.controller.js';
import { TenantPositions } from './identities/tenant-positions.service.js';
import { SyncJobsController } from './jobs/sync-jobs.controller.js';
import { OidcController } from './oidc/oidc.controller.js';
import { OidcClient } from './oidc/oidc-client.service.js';
import { OidcSignIn } from './oidc/oidc-sign-in.service.js';
import { ProviderLimits } from './oidc/provider-limits.js';
import { OperationsController } from './operations/operations.controller.js';
import { Operations } from './operations/operations.service.js';
import { QuotasController } from './quotas/quotas.controller.js';
import { ReferenceController } from './reference/reference.controller.js';
import { ReviewController } from './review/review.controller.js';
import { DiscoveryController } from './scim/discovery.controller.js';
import { PushGroups } from './scim/push-groups.service.js';
import { ScimController } from './scim/scim.controller.js';
import { ReaderDiscoveryController } from './scim-reader/reader-discovery.controller.js';
import { ScimReaderController } from './scim-reader/scim-reader.controller.js';
import { SettingsController } from './settings/settings.controller.js';
import { GatewaySettings } from './shared/gateway-settings.service.js';
import { SystemController } from './system/system.controller.js';
import { TenantExports } from './tenants/tenant-exports.service.js';
import { TenantTransactions } from './tenants/tenant-transactions.service.js';
import { TenantsController } from './tenants/tenants.controller.js';
import { DeliveriesController } from './webhooks/deliveries.controller.js';
import { PortalLinksController } from './webhooks/portal-links.controller.js';
import { WebhooksController } from './webhooks/webhooks.controller.js';

/** `/v1` for clients of a tenant, `/admin/v1` for operators, and `/scim/v2` for identity providers and SCIM clients. */
@Module({
  controllers: [
    ApiKeysController,
    ServiceTokensController,
    SessionsController,
    ApprovalsController,
    AuditController,
    ConnectorSourceController,
    ConnectorsController,
    EventsController,
    HealthController,
    GroupsController,
    IdentitiesController,
    SuppressionsController,
    RecordsController,
    SyncJobsController,
    OidcController,
    OperationsController,
    QuotasController,
    ReferenceController,
    ReviewController,
    DiscoveryController,
    ScimController,
    ReaderDiscoveryController,
    ScimReaderController,
    SettingsController,
    SystemController,
    TenantsController,
    DeliveriesController,
    PortalLinksController,
    WebhooksController,
  ],
  providers: [
    // Not `useClass`, so that a test can override it.
    { provide: APP_GUARD, useExisting: AccessGuard },
    AccessGuard,
    Approvals,
    AuditLog,
    Authentication,
    ConsoleFiles,
    EventStreams,
    FailedSignIns,
    GatewayHousekeeping,
    GatewaySettings,
    GuardedActs,
    KeyRing,
    OidcClient,
    OidcSettings,
    OidcSignIn,
    Operations,
    OperatorGuard,
    OperatorTokens,
    ProviderLimits,
    PushGroups,
    RateLimit,
    RefusedAddresses,
    ServiceTokens,
    SessionCookie,
    Sessions,
    TenantExports,
    TenantPositions,
    TenantTransactions,
    UnknownKeyLimits,
  ],
  exports: [Authentication],
})
export class ApiModule {}
