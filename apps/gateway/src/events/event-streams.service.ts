import { Database } from '@idsync/database';
import { findEventReferences, findNewestSequence } from '@idsync/database/gateway';
import { gauge, Logger, pause } from '@idsync/runtime';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { networkOf } from '../access/networks.js';
import { OperatorGuard } from '../access/operator.guard.js';
import { ApiError } from '../http/api-error.js';
import { EventStream, eventStreamType } from '../http/event-stream.js';
import { HttpOptions, type StreamTimes } from '../http/http-options.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { presentEventReference } from './present-operator-event.js';

/** A browser opens six connections to a host for all its tabs, and other requests need some of them. */
const ofOneHolder = 4;
const ofThisGateway = 200;
/** A stream that is further behind gets a reset, which bounds the events of one read. */
const maxBehind = 1_000;
const usualTimes: StreamTimes = { pollMs: 1_000, checkMs: 15_000, longestMs: 15 * 60_000 };

const openStreams = gauge({
  name: 'event_streams',
  help: `Open event streams of operators; a gateway opens at most ${ofThisGateway}.`,
});

interface StreamRequest {
  tenantId: string;
  after: number | 'latest';
  request: FastifyRequest;
  reply: FastifyReply;
}

/** Streams references of new events to operators. One loop reads the events for all streams of a tenant. */
@Injectable()
export class EventStreams implements BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly ofTenants = new Map<string, Set<EventStream>>();
  private readonly holders = new Map<EventStream, string>();
  private readonly stopping = new AbortController();
  private readonly unwatch = openStreams.watch(() => [{ labels: {}, value: this.holders.size }]);
  private readonly times: StreamTimes;

  constructor(
    private readonly database: Database,
    private readonly tenants: TenantTransactions,
    private readonly operators: OperatorGuard,
    private readonly logger: Logger,
    options: HttpOptions,
  ) {
    this.times = options.streamTimes ?? usualTimes;
  }

  /** Throws a 404 if the tenant does not exist, and a 429 or 503 for too many streams. */
  async open({ tenantId, after, request, reply }: StreamRequest): Promise<void> {
    await this.tenants.require(tenantId);
    const newest = await findNewestSequence(this.database, tenantId);
    // The client has left meanwhile.
    if (reply.raw.destroyed) return;
    const holder = holderOf(request);
    this.requireRoom(holder);
    reply.headers({ 'content-type': eventStreamType, 'x-accel-buffering': 'no' });
    if (request.method === 'HEAD') return void reply.send('');
    const isAhead = after !== 'latest' && after > newest;
    const stream = new EventStream(reply.raw, isAhead || after === 'latest' ? newest : after);
    // After the restore of a backup, events with numbers that the client has seen are others.
    if (isAhead) reset(stream, newest);
    this.add(tenantId, stream, holder);
    const opened = performance.now();
    const timer = setInterval(() => void this.check(stream, request, tenantId, opened), this.times.checkMs);
    reply.raw.once('close', () => {
      clearInterval(timer);
      this.remove(tenantId, stream);
    });
    void reply.send(stream.body);
  }

  /** Clients continue on another gateway. */
  beforeApplicationShutdown(): void {
    this.stopping.abort();
    for (const stream of this.holders.keys()) stream.end();
  }

  onApplicationShutdown(): void {
    this.unwatch();
  }

  private requireRoom(holder: string): void {
    if (this.stopping.signal.aborted) throw new ApiError(503, 'the gateway stops', 1);
    if ([...this.holders.values()].filter((other) => other === holder).length >= ofOneHolder)
      throw new ApiError(429, `${ofOneHolder} event streams of this session or address are open`, 30);
    if (this.holders.size >= ofThisGateway)
      throw new ApiError(503, `${ofThisGateway} event streams are open on this gateway: try again later`, 60);
  }

  private add(tenantId: string, stream: EventStream, holder: string): void {
    this.holders.set(stream, holder);
    const streams = this.ofTenants.get(tenantId);
    if (streams) {
      streams.add(stream);
      return;
    }
    const first = new Set([stream]);
    this.ofTenants.set(tenantId, first);
    void this.follow(tenantId, first);
  }

  private remove(tenantId: string, stream: EventStream): void {
    this.holders.delete(stream);
    this.ofTenants.get(tenantId)?.delete(stream);
  }

  private async check(stream: EventStream, request: FastifyRequest, tenantId: string, opened: number): Promise<void> {
    const isOver = performance.now() - opened >= this.times.longestMs;
    // A check that fails ends the stream, because it must not outlast its session.
    const isOpen = !isOver && (await this.operators.hasAccessStill(request, tenantId).catch(() => false));
    if (isOpen) stream.keepAlive();
    else stream.end();
  }

  private async follow(tenantId: string, streams: Set<EventStream>): Promise<void> {
    // A shutdown ends the pause at once, and streams close a moment later.
    while (streams.size > 0 && !this.stopping.signal.aborted) {
      try {
        await this.sendNew(tenantId, [...streams]);
      } catch (err) {
        this.logger.warn({ err, tenant_id: tenantId }, 'reading events for streams failed');
        for (const stream of streams) stream.end();
      }
      await pause(this.times.pollMs, this.stopping.signal);
    }
    this.ofTenants.delete(tenantId);
  }

  private async sendNew(tenantId: string, streams: readonly EventStream[]): Promise<void> {
    const newest = await findNewestSequence(this.database, tenantId);
    for (const stream of streams) if (newest - stream.position > maxBehind) reset(stream, newest);
    const first = Math.min(...streams.map(({ position }) => position)) + 1;
    if (first > newest) return;
    for (const row of await findEventReferences(this.database, tenantId, { first, last: newest })) {
      const message = { id: row.sequence, data: presentEventReference(row) };
      for (const stream of streams) if (row.sequence > stream.position) stream.send(message);
    }
  }
}

/** The session, or the network of callers with a token, which programs on many machines may share. */
function holderOf({ caller, ip }: FastifyRequest): string {
  return (caller?.access === 'operator' && caller.session?.id) || networkOf(ip);
}

function reset(stream: EventStream, newest: number): void {
  stream.send({ id: newest, event: 'reset', data: {} });
}
