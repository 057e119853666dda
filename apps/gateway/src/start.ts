import { Database } from '@idsync/database';
import { Bus, serviceChecks } from '@idsync/messaging';
import {
  createLogger,
  type GatewayConfig,
  Logger,
  NestLogger,
  type ObservedService,
  observedApplication,
} from '@idsync/runtime';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { GatewayModule } from './gateway.module.js';
import { createHttpAdapter } from './http/http.adapter.js';
import type { HttpOptions } from './http/http-options.js';

export interface Gateway extends ObservedService {
  url: string;
  /** False while RabbitMQ is unreachable. Requests are then accepted and processed once it is back. */
  readonly busUp: boolean;
}

export function createGateway(config: GatewayConfig, options: HttpOptions = {}): Promise<NestFastifyApplication> {
  return NestFactory.create<NestFastifyApplication>(
    GatewayModule.forRoot(config, options),
    createHttpAdapter(config, options),
    { logger: new NestLogger(createLogger('gateway', config.LOG_LEVEL)), abortOnError: false, bodyParser: false },
  );
}

export async function startGateway(config: GatewayConfig, options: HttpOptions = {}): Promise<Gateway> {
  const app = await createGateway(config, options);
  await app.listen(config.PORT, config.HOST);
  app.get(Logger).info('ready');
  const bus = app.get(Bus);
  return {
    // Only degraded without the broker, because requests are accepted and queued.
    ...observedApplication(app, serviceChecks(app.get(Database), bus, 'degraded')),
    url: addressOf(app, config.HOST),
    get busUp() {
      return bus.up;
    },
  };
}

function addressOf(app: NestFastifyApplication, host: string): string {
  const address: unknown = app.getHttpServer().address();
  const port = typeof address === 'object' && address !== null && 'port' in address ? String(address.port) : '';
  const reachable = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
