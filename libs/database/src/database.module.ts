import type { ServiceName } from '@idsync/contracts';
import { type DynamicModule, type FactoryProvider, Global, Logger, Module } from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import type { DataSourceOptions } from 'typeorm';
import { ServiceDataSource } from './data-source.js';
import { connectChecked, Database, type DatabaseOptions, serviceDataSource } from './database.js';

type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

export interface DatabaseModuleOptions extends Pick<FactoryProvider, 'inject'> {
  /**
   * The service whose role is used. It also names the data source, since services in one process must not share one.
   */
  service: ServiceName;
  useFactory: FactoryProvider<Omit<DatabaseOptions, 'service'>>['useFactory'];
}

const databaseOptions = Symbol('DatabaseOptions');
const logger = new Logger('Database');

/** Provides the service's `Database`, on a TypeORM data source that is closed after all its users. */
@Global()
@Module({})
export class DatabaseModule {
  static forRootAsync({ service, inject = [], useFactory }: DatabaseModuleOptions): DynamicModule {
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRootAsync({
          name: service,
          inject,
          useFactory: async (...dependencies: unknown[]) => ({
            ...serviceDataSource({ ...(await useFactory(...dependencies)), service }),
            // The process entry point decides about retries.
            toRetry: () => false,
          }),
          dataSourceFactory: (options) =>
            connectChecked(new ServiceDataSource(options as PostgresOptions), (message) => logger.warn(message)),
        }),
      ],
      providers: [
        { provide: databaseOptions, inject, useFactory },
        {
          provide: Database,
          inject: [getDataSourceToken(service), databaseOptions],
          useFactory: (dataSource: ServiceDataSource, options: DatabaseOptions) =>
            new Database(dataSource, { ...options, service }),
        },
      ],
      exports: [Database],
    };
  }
}
