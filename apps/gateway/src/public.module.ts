import { Module } from '@nestjs/common';
import { AccessModule } from './access/access.module.js';
import { AuditModule } from './audit/audit.module.js';
import { PublicConnectorsController } from './connectors/client-connectors.controller.js';
import { EventsController } from './events/events.controller.js';
import { AccountsController } from './identities/accounts.controller.js';
import { GroupsController } from './identities/groups.controller.js';
import { IdentitiesController } from './identities/identities.controller.js';
import { PublicMachinesController } from './identities/machines.controller.js';
import { UsersController } from './identities/users.controller.js';
import { SyncController } from './jobs/client-jobs.controller.js';
import { SharedModule } from './shared/shared.module.js';
import { PortalLinksController } from './webhooks/portal-links.controller.js';
import { SigningKeysController } from './webhooks/signing-keys.controller.js';
import { WebhookDeliveriesController } from './webhooks/webhook-deliveries.controller.js';
import { WebhooksController } from './webhooks/webhooks.controller.js';

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
