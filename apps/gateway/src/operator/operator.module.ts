import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { SharedModule } from '../shared/shared.module.js';
import { ApiKeysController } from './api-keys.controller.js';
import { AttributePrioritiesController } from './attribute-priorities.controller.js';
import { CasesController } from './cases.controller.js';
import { ConnectorSourceController } from './connector-source.controller.js';
import { ConnectorTokensController } from './connector-tokens.controller.js';
import { ConnectorsController } from './connectors.controller.js';
import { DeliveriesController } from './deliveries.controller.js';
import { LifecyclePolicyController } from './lifecycle-policy.controller.js';
import { MachineIdentitiesController } from './machine-identities.controller.js';
import { MatchingRulesController } from './matching-rules.controller.js';
import { OperationsController } from './operations.controller.js';
import { Operations } from './operations.service.js';
import { OperatorIdentitiesController } from './operator-identities.controller.js';
import { OperatorWebhooksController } from './operator-webhooks.controller.js';
import { Probes } from './probes.service.js';
import { RecordJobs } from './record-jobs.service.js';
import { ReplaysController } from './replays.controller.js';
import { SyncJobsController } from './sync-jobs.controller.js';
import { TenantTransactions } from './tenant-transactions.service.js';
import { TenantsController } from './tenants.controller.js';

/** `/admin/v1`: routes for operators, with the operator token. */
@Module({
  imports: [AccessModule, SharedModule],
  controllers: [
    TenantsController,
    ApiKeysController,
    ConnectorsController,
    ConnectorTokensController,
    ConnectorSourceController,
    SyncJobsController,
    AttributePrioritiesController,
    CasesController,
    OperatorIdentitiesController,
    MachineIdentitiesController,
    LifecyclePolicyController,
    MatchingRulesController,
    OperationsController,
    OperatorWebhooksController,
    DeliveriesController,
    ReplaysController,
  ],
  providers: [TenantTransactions, Operations, Probes, RecordJobs],
})
export class OperatorModule {}
