import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { Database } from '@idsync/database';
import { type ExportPosition, exportTenant } from '@idsync/database/gateway';
import { Logger } from '@idsync/runtime';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { ApiError } from '../http/api-error.js';
import { TenantTransactions } from './tenant-transactions.service.js';

/** Each export has a connection and a snapshot, which delays the removal of dead rows. */
const atOnce = 2;
const longestMs = 60 * 60_000;
/** Shorter than the time that PostgreSQL allows an idle transaction. */
const longestStallMs = 45_000;

/**
 * Streams exports of tenants as fast as their clients read them. An export that fails destroys its stream, so that the
 * client sees a truncated response and never a complete one.
 */
@Injectable()
export class TenantExports implements BeforeApplicationShutdown {
  private readonly running = new Set<PassThrough>();

  constructor(
    private readonly database: Database,
    private readonly tenants: TenantTransactions,
    private readonly logger: Logger,
  ) {}

  /** Throws a 404 if the tenant does not exist, and a 503 while too many exports are running. */
  async start(tenantId: string, after?: ExportPosition): Promise<Readable> {
    await this.tenants.require(tenantId);
    if (this.running.size >= atOnce) {
      throw new ApiError(503, `${atOnce} exports are running on this gateway: try again later`, 60);
    }
    const stream = new PassThrough();
    this.running.add(stream);
    void this.write(tenantId, stream, after);
    return stream;
  }

  /** Running exports fail at once: their clients continue them at another gateway. */
  beforeApplicationShutdown(): void {
    for (const stream of this.running) stream.destroy(new Error('the gateway stops'));
  }

  private async write(tenantId: string, stream: PassThrough, after?: ExportPosition): Promise<void> {
    const closed = new AbortController();
    stream.once('close', () => closed.abort());
    const until = AbortSignal.any([closed.signal, AbortSignal.timeout(longestMs)]);
    try {
      await this.database.snapshot(tenantId, (tx) =>
        exportTenant(
          tx,
          async (line) => {
            until.throwIfAborted();
            if (stream.write(line)) return;
            await once(stream, 'drain', { signal: AbortSignal.any([until, AbortSignal.timeout(longestStallMs)]) });
          },
          after,
        ),
      );
      stream.end();
    } catch (err) {
      this.logger.warn({ err, tenant_id: tenantId }, 'the export of a tenant failed');
      stream.destroy(err as Error);
    } finally {
      this.running.delete(stream);
    }
  }
}
