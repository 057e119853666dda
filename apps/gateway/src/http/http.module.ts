import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { ApiModule } from '../api.module.js';
import { ClientConnections } from './client-connections.service.js';
import { ErrorsFilter } from './errors.filter.js';
import { HttpHooks } from './http-hooks.service.js';
import { HttpOptions } from './http-options.js';
import { QueryParametersGuard } from './query-parameters.guard.js';

/** HTTP concerns outside Nest's handlers: server hooks, connections and error responses. */
@Module({})
export class HttpModule {
  static forRoot(options: HttpOptions): DynamicModule {
    return {
      module: HttpModule,
      global: true,
      imports: [ApiModule],
      providers: [
        { provide: HttpOptions, useValue: options },
        { provide: APP_FILTER, useClass: ErrorsFilter },
        { provide: APP_GUARD, useClass: QueryParametersGuard },
        HttpHooks,
        ClientConnections,
      ],
      exports: [HttpOptions],
    };
  }
}
