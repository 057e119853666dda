import { Module } from '@nestjs/common';
import { GatewaySettings } from './gateway-settings.service.js';
import { TenantPositions } from '../identities/tenant-positions.service.js';

@Module({ providers: [GatewaySettings, TenantPositions], exports: [GatewaySettings, TenantPositions] })
export class SharedModule {}
