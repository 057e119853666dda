import { DatabaseModule } from '@idsync/database';
import { BusModule } from '@idsync/messaging';
import { type GatewayConfig, Logger, RuntimeModule } from '@idsync/runtime';
import { type DynamicModule, Module } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { currentShare } from './audit/request-context.js';
import { HttpModule } from './http/http.module.js';
import type { HttpOptions } from './http/http-options.js';

type Config = ConfigService<GatewayConfig, true>;

@Module({})
export class GatewayModule {
  static forRoot(config: GatewayConfig, options: HttpOptions): DynamicModule {
    // A static module, because Nest would close the database before the bus if a dynamic module imported both.
    @Module({
      imports: [
        RuntimeModule.forRoot('gateway', config),
        DatabaseModule.forRootAsync({
          service: 'gateway',
          inject: [ConfigService, Logger],
          useFactory: (settings: Config, log: Logger) => ({
            url: settings.get('DATABASE_URL', { infer: true }),
            readUrl: settings.get('DATABASE_READ_URL', { infer: true }),
            onReplicaChange: (err: unknown) =>
              err === undefined ? log.info('read replica is used again') : log.warn({ err }, 'read replica failed'),
            shareOf: currentShare,
          }),
        }),
        BusModule.forRootAsync({
          service: 'gateway',
          inject: [ConfigService],
          useFactory: (settings: Config) => ({ amqpUrl: settings.get('AMQP_URL', { infer: true }) }),
        }),
      ],
    })
    class Connections {}
    return {
      module: GatewayModule,
      imports: [Connections, HttpModule.forRoot(options)],
    };
  }
}
