import { Module } from '@nestjs/common';
import { GatewaySettings } from './gateway-settings.service.js';

@Module({ providers: [GatewaySettings], exports: [GatewaySettings] })
export class SharedModule {}
