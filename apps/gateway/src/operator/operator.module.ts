import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { ApprovalsController } from '../approvals/approvals.controller.js';
import { Approvals } from '../approvals/approvals.service.js';
import { GuardedActs } from '../approvals/guarded-acts.service.js';
import { AuditModule } from '../audit/audit.module.js';
import { QuotasController } from '../quotas/quotas.controller.js';
import { SharedModule } from '../shared/shared.module.js';
import { DeadLettersController } from '../system/dead-letters.controller.js';
import { SystemController } from '../system/system.controller.js';
import { AccountsController } from './accounts.controller.js';
import { ApiKeysController } from './api-keys.controller.js';
import { AttributePrioritiesController } from './attribute-priorities.controller.js';
import { AuditController } from './audit.controller.js';
import { CasesController } from './cases.controller.js';
import { ConnectorSourceController } from './connector-source.controller.js';
import { ConnectorTokensController } from './connector-tokens.controller.js';
import { ConnectorsController } from './connectors.controller.js';
import { DeletedConnectorsController } from './deleted-connectors.controller.js';
import { DeliveriesController } from './deliveries.controller.js';
import { EventStreams } from './event-streams.service.js';
import { FindingsController } from './findings.controller.js';
import { LifecyclePolicyController } from './lifecycle-policy.controller.js';
import { MachineIdentitiesController } from './machine-identities.controller.js';
import { MatchingRulesController } from './matching-rules.controller.js';
import { OperationsController } from './operations.controller.js';
import { Operations } from './operations.service.js';
import { OperatorEventsController } from './operator-events.controller.js';
import { OperatorIdentitiesController } from './operator-identities.controller.js';
import { OperatorListsController } from './operator-lists.controller.js';
import { OperatorPolicyController } from './operator-policy.controller.js';
import { OperatorWebhooksController } from './operator-webhooks.controller.js';
import { OperatorPortalLinksController } from './portal-links.controller.js';
import { Probes } from './probes.service.js';
import { RecordJobs } from './record-jobs.service.js';
import { ReplaysController } from './replays.controller.js';
import { ServiceTokensController } from './service-tokens.controller.js';
import { SessionController } from './session.controller.js';
import { SessionsController } from './sessions.controller.js';
import { SignInController } from './sign-in.controller.js';
import { SuppressionsController } from './suppressions.controller.js';
import { Suppressions } from './suppressions.service.js';
import { SyncJobsController } from './sync-jobs.controller.js';
import { TenantExports } from './tenant-exports.service.js';
import { TenantSettingsController } from './tenant-settings.controller.js';
import { TenantTransactions } from './tenant-transactions.service.js';
import { TenantsController } from './tenants.controller.js';

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
