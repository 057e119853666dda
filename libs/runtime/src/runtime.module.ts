import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { ShutdownFailures } from './background.service.js';
import { createLogger, Logger } from './logger.service.js';

/** Provides configuration (`ConfigService`), `Logger` and `ShutdownFailures` to every service. */
@Global()
@Module({})
export class RuntimeModule {
  static forRoot(service: string, config: { LOG_LEVEL: string }): DynamicModule {
    return {
      module: RuntimeModule,
      imports: [
        // `readEnv` has already read and validated the environment.
        ConfigModule.forRoot({ isGlobal: true, ignoreEnvFile: true, skipProcessEnv: true, load: [() => config] }),
      ],
      providers: [{ provide: Logger, useFactory: () => createLogger(service, config.LOG_LEVEL) }, ShutdownFailures],
      exports: [Logger, ShutdownFailures],
    };
  }
}
