import { Module } from '@nestjs/common';
import { SharedModule } from '../shared/shared.module.js';
import { EventsController } from './events.controller.js';
import { IdentitiesController } from './identities.controller.js';
import { SyncController } from './sync.controller.js';
import { UsersController } from './users.controller.js';
import { WebhooksController } from './webhooks.controller.js';

/** `/v1`: routes for clients of a tenant, with an API key. */
@Module({
  imports: [SharedModule],
  controllers: [IdentitiesController, UsersController, SyncController, WebhooksController, EventsController],
})
export class PublicModule {}
