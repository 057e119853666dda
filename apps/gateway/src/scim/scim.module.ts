import { Module } from '@nestjs/common';
import { DiscoveryController } from './discovery.controller.js';
import { PushGroups } from './push-groups.service.js';
import { ScimController } from './scim.controller.js';

/** `/scim/v2/:connectorId`: routes for identity providers, with the token of a connector. */
@Module({ controllers: [DiscoveryController, ScimController], providers: [PushGroups] })
export class ScimModule {}
