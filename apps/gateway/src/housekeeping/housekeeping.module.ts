import { Module } from '@nestjs/common';
import { SharedModule } from '../shared/shared.module.js';
import { GatewayHousekeeping } from './gateway-housekeeping.service.js';

/** Background chores: re-encrypts secrets with the current key, and deletes obsolete pushed resources. */
@Module({ imports: [SharedModule], providers: [GatewayHousekeeping] })
export class HousekeepingModule {}
