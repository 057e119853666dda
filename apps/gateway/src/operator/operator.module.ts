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
import { ApiKeysController } from './api-keys.controller.js';
import { AuditController } from './audit.controller.js';
import { CasesController } from './cases.controller.js';
import { ConnectorSourceController, ConnectorsController, ConnectorTokensController } from './connectors.controller.js';
import { DeletedConnectorsController } from './deleted-connectors.controller.js';
import { EventStreams } from './event-streams.service.js';
import { FindingsController } from './findings.controller.js';
import { OperationsController } from './operations.controller.js';
import { Operations } from './operations.service.js';
import { OperatorEventsController } from './operator-events.controller.js';
import { OperatorIdentitiesController } from './operator-identities.controller.js';
import {
  AccountsController,
  MachineIdentitiesController,
  OperatorListsController,
} from './operator-lists.controller.js';
import {
  DeliveriesController,
  OperatorPortalLinksController,
  OperatorWebhooksController,
  ReplaysController,
} from './operator-webhooks.controller.js';
import { Probes } from './probes.service.js';
import { RecordJobs } from './record-jobs.service.js';
import { ServiceTokensController } from './service-tokens.controller.js';
import { SessionController, SessionsController, SignInController } from './sessions.controller.js';
import { Suppressions, SuppressionsController } from './suppressions.service.js';
import { SyncJobsController } from './sync-jobs.controller.js';
import { TenantExports } from './tenant-exports.service.js';
import {
  AttributePrioritiesController,
  LifecyclePolicyController,
  MatchingRulesController,
  OperatorPolicyController,
  TenantSettingsController,
} from './tenant-settings.controller.js';
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
