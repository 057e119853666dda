import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { SharedModule } from '../shared/shared.module.js';
import { AccountsController } from './accounts.controller.js';
import { EventsController } from './events.controller.js';
import { GroupsController } from './groups.controller.js';
import { IdentitiesController } from './identities.controller.js';
import { PortalLinksController } from './portal-links.controller.js';
import { PublicConnectorsController } from './public-connectors.controller.js';
import { PublicMachinesController } from './public-machines.controller.js';
import { SigningKeysController } from './signing-keys.controller.js';
import { SyncController } from './sync.controller.js';
import { UsersController } from './users.controller.js';
import { WebhookDeliveriesController } from './webhook-deliveries.controller.js';
import { WebhooksController } from './webhooks.controller.js';

/** `/v1`: routes for clients of a tenant, with an API key. */
@Module({
  imports: [AccessModule, AuditModule, SharedModule],
  controllers: [
    IdentitiesController,
    UsersController,
    AccountsController,
    PublicMachinesController,
    GroupsController,
    PublicConnectorsController,
    SyncController,
    WebhooksController,
    WebhookDeliveriesController,
    SigningKeysController,
    PortalLinksController,
    EventsController,
  ],
})
export class PublicModule {}
