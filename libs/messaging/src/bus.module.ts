import type { ServiceName } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { isTenantDeleted } from '@idsync/database/bus';
import { Logger, ShutdownFailures } from '@idsync/runtime';
import { type DynamicModule, type FactoryProvider, Global, Module } from '@nestjs/common';
import { Bus, type BusOptions } from './bus.js';

type BusSettings = Pick<BusOptions, 'amqpUrl' | 'backoff'>;

export interface BusModuleOptions extends Pick<FactoryProvider, 'inject'> {
  service: ServiceName;
  useFactory: FactoryProvider<BusSettings>['useFactory'];
}

const busSettings = Symbol('BusSettings');

/**
 * Provides the service's `Bus`. Import it after `DatabaseModule`: the bus uses `Database` until it is closed, and Nest
 * shuts global modules down in the reverse order of their imports.
 */
@Global()
@Module({})
export class BusModule {
  static forRootAsync({ service, inject = [], useFactory }: BusModuleOptions): DynamicModule {
    return {
      module: BusModule,
      providers: [
        { provide: busSettings, inject, useFactory },
        {
          provide: Bus,
          inject: [Database, Logger, ShutdownFailures, busSettings],
          useFactory: (database: Database, logger: Logger, failures: ShutdownFailures, settings: BusSettings) =>
            Bus.open({
              ...settings,
              service,
              database,
              logger,
              failures,
              isIgnored: (tenantId) => isTenantDeleted(database, tenantId),
            }),
        },
      ],
      exports: [Bus],
    };
  }
}
