import type { ServiceName } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { createLogger, Logger, NestLogger, type ObservedService, observedApplication } from '@idsync/runtime';
import type { DynamicModule, INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AsyncMicroserviceOptions } from '@nestjs/microservices';
import { Bus } from './bus.js';
import { serviceChecks } from './service-checks.js';
import type { WorkerConfig } from './worker.module.js';

/**
 * Starts the module of a worker: its `@On` handlers and background services. `moreChecks` adds to the database and bus
 * checks.
 */
export async function startWorker(
  service: ServiceName,
  { LOG_LEVEL }: WorkerConfig,
  module: DynamicModule,
  moreChecks: (app: INestMicroservice) => ObservedService['checks'] = () => [],
): Promise<ObservedService> {
  const app = await NestFactory.createMicroservice<AsyncMicroserviceOptions>(module, {
    inject: [Bus],
    useFactory: (bus: Bus) => ({ strategy: bus.strategy }),
    logger: new NestLogger(createLogger(service, LOG_LEVEL)),
    abortOnError: false,
  });
  const worker = observedApplication(app, [
    ...serviceChecks(app.get(Database), app.get(Bus), 'down'),
    ...moreChecks(app),
  ]);
  try {
    await app.listen();
  } catch (error) {
    await worker.close().catch(() => undefined);
    throw error;
  }
  app.get(Logger).info('ready');
  return worker;
}
