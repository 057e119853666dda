import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { SharedModule } from '../shared/shared.module.js';
import { EventsController } from './events.controller.js';
import {
  AccountsController,
  GroupsController,
  IdentitiesController,
  PublicMachinesController,
  UsersController,
} from './people.controller.js';
import { PublicConnectorsController, SyncController } from './sync.controller.js';
import {
  PortalLinksController,
  SigningKeysController,
  WebhookDeliveriesController,
  WebhooksController,
} from './webhooks.controller.js';

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
