import type { DynamicModule, LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { HandlerErrorsFilter } from './handler-errors.filter.js';
import type { Bus } from './open-bus.js';

/** Starts a module's `@EventPattern` handlers on the bus; `close` stops them and waits, bounded, for those at work. */
export async function startConsumers(
  bus: Bus,
  module: DynamicModule,
  logger: LoggerService,
): Promise<{ close(): Promise<void> }> {
  const app = await NestFactory.createMicroservice(module, { strategy: bus.strategy, logger, abortOnError: false });
  app.useGlobalFilters(new HandlerErrorsFilter());
  await app.listen();
  return app;
}
