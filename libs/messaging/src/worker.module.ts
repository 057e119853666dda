import type { ServiceName } from '@idsync/contracts';
import { DatabaseModule } from '@idsync/database';
import { RuntimeModule } from '@idsync/runtime';
import { Catch, type DynamicModule, Module, type RpcExceptionFilter } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { APP_FILTER } from '@nestjs/core';
import { type Observable, throwError } from 'rxjs';
import { BusModule } from './bus.module.js';

/** Configuration of every worker. */
export interface WorkerConfig {
  DATABASE_URL: string;
  /** Address of RabbitMQ; without it, messages go through PostgreSQL. */
  AMQP_URL?: string;
  LOG_LEVEL: string;
}

type Config = ConfigService<WorkerConfig, true>;

/** Provides `ConfigService`, `Logger`, `Database` and `Bus` to a worker. */
@Module({})
export class WorkerModule {
  static forRoot(service: ServiceName, config: WorkerConfig): DynamicModule {
    const inject = [ConfigService];
    // Nest registers the imports of a dynamic module concurrently and would close the database before the bus, so this
    // module is static.
    @Module({
      imports: [
        RuntimeModule.forRoot(service, config),
        DatabaseModule.forRootAsync({
          service,
          inject,
          useFactory: (values: Config) => ({ url: values.get('DATABASE_URL', { infer: true }) }),
        }),
        BusModule.forRootAsync({
          service,
          inject,
          useFactory: (values: Config) => ({ amqpUrl: values.get('AMQP_URL', { infer: true }) }),
        }),
      ],
    })
    class Connections {}
    return {
      module: WorkerModule,
      imports: [Connections],
      providers: [{ provide: APP_FILTER, useClass: HandlerErrorsFilter }],
    };
  }
}

/** Passes a handler's error on unchanged; Nest's own filter replaces every error with `Internal server error`. */
@Catch()
class HandlerErrorsFilter implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}
