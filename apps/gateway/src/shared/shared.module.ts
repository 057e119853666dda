import { Module } from '@nestjs/common';
import { TenantPositions } from '../identities/tenant-positions.service.js';
import { GatewaySettings } from './gateway-settings.service.js';

@Module({ providers: [GatewaySettings, TenantPositions], exports: [GatewaySettings, TenantPositions] })
export class SharedModule {}
