import { Database } from '@idsync/database';
import { type DynamicModule, Module } from '@nestjs/common';
import { DirectoryController } from './directory.controller.js';
import { EventsController } from './events.controller.js';
import { GatewaySettings } from './gateway-settings.js';
import { HealthController } from './health.controller.js';
import { KeyRing } from './key-ring.js';
import { ApiKeysController } from './operator/api-keys.controller.js';
import { AttributePrioritiesController } from './operator/attribute-priorities.controller.js';
import { CasesController } from './operator/cases.controller.js';
import { ConnectorTokensController } from './operator/connector-tokens.controller.js';
import { ConnectorsController } from './operator/connectors.controller.js';
import { DeliveriesController } from './operator/deliveries.controller.js';
import { IdentitiesController } from './operator/identities.controller.js';
import { MachineIdentitiesController } from './operator/machine-identities.controller.js';
import { MatchingRulesController } from './operator/matching-rules.controller.js';
import { OperationsController } from './operator/operations.controller.js';
import { OperatorWebhooksController } from './operator/operator-webhooks.controller.js';
import { ReplaysController } from './operator/replays.controller.js';
import { SyncJobsController } from './operator/sync-jobs.controller.js';
import { TenantsController } from './operator/tenants.controller.js';
import { DiscoveryController } from './scim/discovery.controller.js';
import { ScimController } from './scim/scim.controller.js';
import { SyncController } from './sync.controller.js';
import { WebhooksController } from './webhooks.controller.js';

@Module({})
export class GatewayModule {
  static with(database: Database, keyRing: KeyRing, settings: GatewaySettings): DynamicModule {
    return {
      module: GatewayModule,
      controllers: [
        HealthController,
        DirectoryController,
        SyncController,
        WebhooksController,
        EventsController,
        DiscoveryController,
        ScimController,
        TenantsController,
        ApiKeysController,
        ConnectorsController,
        ConnectorTokensController,
        SyncJobsController,
        AttributePrioritiesController,
        CasesController,
        IdentitiesController,
        MachineIdentitiesController,
        MatchingRulesController,
        OperationsController,
        OperatorWebhooksController,
        DeliveriesController,
        ReplaysController,
      ],
      providers: [
        { provide: Database, useValue: database },
        { provide: KeyRing, useValue: keyRing },
        { provide: GatewaySettings, useValue: settings },
      ],
    };
  }
}
