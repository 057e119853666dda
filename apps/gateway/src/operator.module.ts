import { Module } from '@nestjs/common';
import { AccessModule } from './access/access.module.js';
import { ApiKeysController } from './access/api-keys.controller.js';
import { ServiceTokensController } from './access/service-tokens.controller.js';
import { SessionController } from './access/session.controller.js';
import { SessionsController } from './access/sessions.controller.js';
import { SignInController } from './access/sign-in.controller.js';
import { ApprovalsController } from './approvals/approvals.controller.js';
import { Approvals } from './approvals/approvals.service.js';
import { GuardedActs } from './approvals/guarded-acts.service.js';
import { OperatorPolicyController } from './approvals/operator-policy.controller.js';
import { AuditController } from './audit/audit.controller.js';
import { AuditModule } from './audit/audit.module.js';
import { ConnectorSourceController } from './connectors/connector-source.controller.js';
import { ConnectorTokensController } from './connectors/connector-tokens.controller.js';
import { ConnectorsController } from './connectors/connectors.controller.js';
import { DeletedConnectorsController } from './connectors/deleted-connectors.controller.js';
import { Probes } from './connectors/probes.service.js';
import { EventStreams } from './events/event-streams.service.js';
import { OperatorEventsController } from './events/operator-events.controller.js';
import { AccountsController } from './identities/operator-accounts.controller.js';
import { OperatorIdentitiesController } from './identities/operator-identities.controller.js';
import { OperatorListsController } from './identities/operator-lists.controller.js';
import { MachineIdentitiesController } from './identities/operator-machines.controller.js';
import { SuppressionsController } from './identities/suppressions.controller.js';
import { Suppressions } from './identities/suppressions.service.js';
import { RecordJobs } from './jobs/record-jobs.service.js';
import { SyncJobsController } from './jobs/sync-jobs.controller.js';
import { OperationsController } from './operations/operations.controller.js';
import { Operations } from './operations/operations.service.js';
import { QuotasController } from './quotas/quotas.controller.js';
import { CasesController } from './review/cases.controller.js';
import { FindingsController } from './review/findings.controller.js';
import { AttributePrioritiesController } from './settings/attribute-priorities.controller.js';
import { LifecyclePolicyController } from './settings/lifecycle-policy.controller.js';
import { MatchingRulesController } from './settings/matching-rules.controller.js';
import { TenantSettingsController } from './settings/tenant-settings.controller.js';
import { SharedModule } from './shared/shared.module.js';
import { DeadLettersController } from './system/dead-letters.controller.js';
import { SystemController } from './system/system.controller.js';
import { TenantExports } from './tenants/tenant-exports.service.js';
import { TenantTransactions } from './tenants/tenant-transactions.service.js';
import { TenantsController } from './tenants/tenants.controller.js';
import { DeliveriesController } from './webhooks/deliveries.controller.js';
import { OperatorPortalLinksController } from './webhooks/operator-portal-links.controller.js';
import { OperatorWebhooksController } from './webhooks/operator-webhooks.controller.js';
import { ReplaysController } from './webhooks/replays.controller.js';

/** `/admin/v1`: routes for operators, with the token of an operator. */
@Module({
  imports: [AccessModule, AuditModule, SharedModule],
  controllers: [
    AuditController,
    ApprovalsController,
    QuotasController,
    OperatorPolicyController,
    ServiceTokensController,
    SignInController,
    SessionController,
    SessionsController,
    TenantsController,
    ApiKeysController,
    ConnectorsController,
    ConnectorTokensController,
    ConnectorSourceController,
    DeletedConnectorsController,
    SyncJobsController,
    AttributePrioritiesController,
    CasesController,
    OperatorIdentitiesController,
    OperatorListsController,
    AccountsController,
    MachineIdentitiesController,
    LifecyclePolicyController,
    FindingsController,
    MatchingRulesController,
    OperationsController,
    OperatorWebhooksController,
    OperatorPortalLinksController,
    DeliveriesController,
    OperatorEventsController,
    ReplaysController,
    SuppressionsController,
    TenantSettingsController,
    SystemController,
    DeadLettersController,
  ],
  providers: [
    TenantTransactions,
    Approvals,
    GuardedActs,
    TenantExports,
    EventStreams,
    Operations,
    Suppressions,
    Probes,
    RecordJobs,
  ],
})
export class OperatorModule {}
