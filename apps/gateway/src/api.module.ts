import { Module } from '@nestjs/common';
import { AccessModule } from './access/access.module.js';
import { ApiKeysController } from './access/api-keys.controller.js';
import { ServiceTokensController } from './access/service-tokens.controller.js';
import { SessionsController } from './access/sessions.controller.js';
import { ApprovalsController } from './approvals/approvals.controller.js';
import { Approvals } from './approvals/approvals.service.js';
import { GuardedActs } from './approvals/guarded-acts.service.js';
import { AuditController } from './audit/audit.controller.js';
import { AuditModule } from './audit/audit.module.js';
import { ConnectorSourceController } from './connectors/connector-source.controller.js';
import { ConnectorTokensController } from './connectors/connector-tokens.controller.js';
import { ConnectorsController } from './connectors/connectors.controller.js';
import { ConsoleFiles } from './console/console-files.service.js';
import { EventStreams } from './events/event-streams.service.js';
import { EventsController } from './events/events.controller.js';
import { HealthController } from './health/health.controller.js';
import { GroupsController } from './identities/groups.controller.js';
import { IdentitiesController } from './identities/identities.controller.js';
import { RecordsController } from './identities/records.controller.js';
import { SuppressionsController } from './identities/suppressions.controller.js';
import { TenantPositions } from './identities/tenant-positions.service.js';
import { SyncJobsController } from './jobs/sync-jobs.controller.js';
import { OperationsController } from './operations/operations.controller.js';
import { Operations } from './operations/operations.service.js';
import { QuotasController } from './quotas/quotas.controller.js';
import { ReferenceController } from './reference/reference.controller.js';
import { CasesController } from './review/cases.controller.js';
import { FindingsController } from './review/findings.controller.js';
import { DiscoveryController } from './scim/discovery.controller.js';
import { PushGroups } from './scim/push-groups.service.js';
import { ScimController } from './scim/scim.controller.js';
import { ReaderDiscoveryController } from './scim-reader/reader-discovery.controller.js';
import { ScimReaderController } from './scim-reader/scim-reader.controller.js';
import { SettingsController } from './settings/settings.controller.js';
import { SharedModule } from './shared/shared.module.js';
import { SystemController } from './system/system.controller.js';
import { TenantExports } from './tenants/tenant-exports.service.js';
import { TenantTransactions } from './tenants/tenant-transactions.service.js';
import { TenantsController } from './tenants/tenants.controller.js';
import { DeliveriesController } from './webhooks/deliveries.controller.js';
import { PortalLinksController } from './webhooks/portal-links.controller.js';
import { WebhooksController } from './webhooks/webhooks.controller.js';

/** `/v1` for clients of a tenant, `/admin/v1` for operators, and `/scim/v2` for identity providers and SCIM clients. */
@Module({
  imports: [AccessModule, AuditModule, SharedModule],
  controllers: [
    ApiKeysController,
    ServiceTokensController,
    SessionsController,
    ApprovalsController,
    AuditController,
    ConnectorSourceController,
    ConnectorTokensController,
    ConnectorsController,
    EventsController,
    HealthController,
    GroupsController,
    IdentitiesController,
    SuppressionsController,
    RecordsController,
    SyncJobsController,
    OperationsController,
    QuotasController,
    ReferenceController,
    CasesController,
    FindingsController,
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
    Approvals,
    ConsoleFiles,
    EventStreams,
    GuardedActs,
    Operations,
    PushGroups,
    TenantExports,
    TenantPositions,
    TenantTransactions,
  ],
})
export class ApiModule {}
