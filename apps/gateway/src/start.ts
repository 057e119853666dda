import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Database } from '@idsync/database';
import { Housekeeping, openBus, serviceChecks } from '@idsync/messaging';
import { addressVetter, closeInTurn, createLogger, NestLogger, type ObservedService } from '@idsync/runtime';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { badRequest, notFound } from './api-error.js';
import { authenticate, registerAuthentication } from './authenticate.js';
import { ClientConnections, type EndingTimes } from './client-connections.js';
import { ErrorsFilter, sendError } from './errors.filter.js';
import { GatewayModule } from './gateway.module.js';
import { GatewaySettings } from './gateway-settings.js';
import { observeRequests } from './http-metrics.js';
import { KeyRing } from './key-ring.js';
import { isNestedDeeper } from './nesting.js';
import { RateLimit } from './rate-limit.js';
import { registerReferencePage } from './reference-page.js';
import { registerRequestIds, requestIdOf } from './request-id.js';
import { resealing, type SealingKeys } from './reseal-secrets.js';
import { pushedChores } from './scim/pushed-chores.js';
import { traceRequests } from './trace-requests.js';

export interface GatewayOptions {
  databaseUrl: string;
  /** RabbitMQ's address; without one, messages travel through PostgreSQL. */
  amqpUrl?: string;
  host: string;
  port: number;
  adminToken: string;
  /** Of the secrets of webhooks and connectors. */
  encryptionKeys: SealingKeys;
  /** Networks of private receivers that webhooks may call. */
  allowedCidrs: readonly string[];
  /** Of each key; without it no key has a limit. */
  requestsPerMinute?: number;
  logLevel: string;
  /** Aborted when the process was told to end: from then on no connection is kept for another request. */
  stopping?: AbortSignal;
  endingTimes?: EndingTimes;
}

export interface Gateway extends ObservedService {
  url: string;
  /** False while RabbitMQ is away: requests are accepted, and done when it is back. */
  readonly busUp: boolean;
}

const version = '0.1.0';
const largestBody = 1024 * 1024;
/** A group is pushed with all of its members. */
const largestScimBody = 8 * 1024 * 1024;
/** No body that we understand is nested as deeply. */
const deepestBody = 64;
const scimPrefix = '/scim/';
/** A request that has not arrived whole by then is dropped. */
const requestTimeoutMs = 30_000;
const housekeepingMs = 60 * 60_000;

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const logger = createLogger('gateway', options.logLevel);
  const database = await Database.connect({ url: options.databaseUrl, service: 'gateway' });
  const bus = await openBus({ service: 'gateway', database, amqpUrl: options.amqpUrl, logger });
  const keyRing = new KeyRing(database, (message) => logger.warn(message));
  const logError = (error: unknown, request: string) => logger.error({ err: error, request }, 'request failed');
  const answerUnreadableAddress = async (request: FastifyRequest, reply: FastifyReply) => {
    // It names nothing, like any other path no route has; under /v1 that is told to callers with a key only.
    const denied = await authenticate(request, keyRing, options.adminToken).catch((error: unknown) => error);
    sendError(denied ?? notFound(), request, reply, logError);
  };

  const adapter = new FastifyAdapter({
    bodyLimit: largestBody,
    requestTimeout: requestTimeoutMs,
    genReqId: requestIdOf,
    requestIdHeader: false,
    forceCloseConnections: 'idle',
    // What still comes on a connection that was kept is answered like any other.
    return503OnClosing: false,
    // Node would answer with no body; `answerForNode` does it in our words.
    http: { requireHostHeader: false },
    // A longer id names nothing, and is told so by the route.
    routerOptions: { maxParamLength: 4_096 },
    frameworkErrors: (_error: unknown, request: FastifyRequest, reply: FastifyReply) =>
      void answerUnreadableAddress(request, reply),
    clientErrorHandler: answerBrokenRequest,
  });
  const app = await NestFactory.create<NestFastifyApplication>(
    GatewayModule.with(
      database,
      keyRing,
      new GatewaySettings(options.encryptionKeys, addressVetter(options.allowedCidrs)),
    ),
    adapter,
    { logger: new NestLogger(logger), abortOnError: false, bodyParser: false },
  );
  app.useGlobalFilters(new ErrorsFilter(logError));
  const server: FastifyInstance = adapter.getInstance();
  const connections = new ClientConnections(server.server, options.endingTimes);
  registerRequestIds(server, logger);
  answerForNode(server);
  observeRequests(server);
  registerAuthentication(server, keyRing, options.adminToken, new RateLimit(options.requestsPerMinute));
  traceRequests(server);
  server.addHook('onSend', async (_request, reply) => {
    reply.headers({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    if (options.stopping?.aborted) reply.header('connection', 'close');
    // Answers hold people's data, and secrets that are shown once.
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
  });
  acceptJson(server);
  server.addHook('onRoute', (route) => {
    if (route.url.startsWith(scimPrefix)) route.bodyLimit = largestScimBody;
  });
  await registerReferencePage(server, version);
  await app.listen(options.port, options.host);
  const chores = [
    ...(['webhooks', 'connectors'] as const).map((place) => resealing(database, place, options.encryptionKeys, logger)),
    ...pushedChores(database),
  ];
  const housekeeping = new Housekeeping(chores, housekeepingMs, logger);
  housekeeping.start();
  logger.info('ready');
  return {
    url: addressOf(app, options.host),
    // Requests are accepted without the broker, and queued.
    checks: serviceChecks(database, bus, 'degraded'),
    get busUp() {
      return bus.up;
    },
    close: () =>
      closeInTurn(
        () => connections.endWith(() => app.close()),
        () => housekeeping.stop(),
        () => keyRing.close(),
        () => bus.close(),
        () => database.close(),
      ),
  };
}

/** JSON bodies only; an empty one is no body, since many clients name the type even where they send nothing. */
function acceptJson(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  const notJson = badRequest('the body must be application/json');
  const notUtf8 = badRequest('the body is not UTF-8');
  const malformed = badRequest('the body is not valid JSON');
  const nested = badRequest(`the body is nested more than ${deepestBody} deep`);
  const poisoned = badRequest('the body must not contain the names __proto__ or constructor.prototype');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    ['application/json', 'application/scim+json'],
    { parseAs: 'buffer' },
    (request, body: Buffer, done) => {
      const isScim = request.headers['content-type']?.startsWith('application/scim+json');
      if (isScim && !request.url.startsWith(scimPrefix)) done(notJson);
      else if (body.length === 0) done(null, undefined);
      else if (!isUtf8(body)) done(notUtf8);
      else if (isNestedDeeper(body, deepestBody)) done(nested);
      else {
        const text = body.toString('utf8');
        void parse(request, text, (error, value) => {
          if (error) done(isJson(text) ? poisoned : malformed);
          else done(null, value);
        });
      }
    },
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** HTTP/1.1 asks for a Host, be it empty. Node answers an unknown `Expect` with no body either; it asks nothing of us. */
function answerForNode(server: FastifyInstance): void {
  server.addHook('onRequest', async (request) => {
    if (request.raw.httpVersion === '1.1' && request.headers.host === undefined) {
      throw badRequest('the Host header is missing');
    }
  });
  server.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.server.emit('request', request, response);
  });
}

/** What is not even HTTP is answered on the bare socket. */
function answerBrokenRequest(_error: Error, socket: Socket): void {
  if (!socket.writable) return;
  const body = '{"error":"the request is not valid HTTP"}';
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function addressOf(app: NestFastifyApplication, host: string): string {
  const address: unknown = app.getHttpServer().address();
  const port = typeof address === 'object' && address !== null && 'port' in address ? String(address.port) : '';
  const reachable = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
