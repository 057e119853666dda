import type { ServiceName } from '@idsync/contracts';
import type pg from 'pg';
import type { EntityManager } from 'typeorm';
import { connectionWaitMs, type ServiceDataSource } from './data-source.js';
import { FairShares, type Share } from './fair-shares.js';
import { connections } from './metrics.js';

/** A connection in use. */
export interface Connection {
  readonly client: pg.Client;
  /** Returns the connection to the pool, or closes it if its state is unknown. */
  release(broken?: boolean): void;
}

/** A connection that TypeORM's repositories can use too. */
export interface ManagedConnection extends Connection {
  readonly manager: EntityManager;
}

/** Connections not available for the work of tenants: for authentication, the outbox relay, and listening. */
const reserved = 3;
/** Limits of an API key in the gateway, and of all requests that wait: a tenant may use half of these. */
const shareLimits = { ofOneMember: 3, waiting: 2_048, waitingOfOneMember: 1_000, waitMs: connectionWaitMs };

export interface ServiceConnectionsOptions {
  service: ServiceName;
  poolSize: number;
  /** Returns whose fair share of connections the current work of a tenant counts against. */
  shareOf: (tenantId: string) => Share;
  /** The server of the connections; default the primary. */
  server?: 'primary' | 'replica';
}

/** Hands out the connections of a service, and counts them. The gateway distributes them fairly among tenants. */
export class ServiceConnections {
  private readonly shareOf: (tenantId: string) => Share;
  private readonly shares: FairShares | undefined;
  private readonly unwatch: () => void;
  /** Number of operations that have a connection, and that wait for one. */
  private readonly work = { running: 0, waiting: 0 };

  constructor(
    private readonly dataSource: ServiceDataSource,
    { service, poolSize, shareOf, server = 'primary' }: ServiceConnectionsOptions,
  ) {
    this.shareOf = shareOf;
    if (service === 'gateway')
      this.shares = new FairShares({ ...shareLimits, connections: Math.max(poolSize - reserved, 1) });
    this.unwatch = connections.watch(() => {
      const { running, waiting } = this.work;
      const idle = Math.max(dataSource.connections.count - running, 0);
      return Object.entries({ in_use: running, idle, waiting }).map(([state, value]) => ({
        labels: { service, server, state },
        value,
      }));
    });
  }

  /** Stops reporting the number of connections. */
  close(): void {
    this.unwatch();
  }

  /** Takes a connection, from the fair share of a tenant if one is given. Throws DatabaseBusy. */
  take(tenantId: string | undefined): Promise<Connection> {
    return this.taken(tenantId, async () => {
      const [client, giveBack] = await this.dataSource.takeClient();
      return { client, release: giveBack };
    });
  }

  /** Takes a connection with repositories, from the fair share of a tenant if one is given. Throws DatabaseBusy. */
  takeManaged(tenantId: string | undefined): Promise<ManagedConnection> {
    return this.taken(tenantId, async () => {
      const runner = this.dataSource.createQueryRunner();
      const client: pg.Client = await runner.connect();
      // Without this, TypeORM would begin and commit its own transaction, also for `save`; at depth 1 it sets a savepoint.
      Object.assign(runner, { isTransactionActive: true, transactionDepth: 1 });
      const release = (broken = false) => {
        // The pool discards a client that is closing.
        if (broken) void client.end().catch(() => undefined);
        void runner.release();
      };
      return { client, manager: runner.manager, release };
    });
  }

  private async taken<Taken extends Connection>(
    tenantId: string | undefined,
    connect: () => Promise<Taken>,
  ): Promise<Taken> {
    const { work, shares } = this;
    let releaseShare: (() => void) | undefined;
    work.waiting += 1;
    try {
      if (shares && tenantId !== undefined) {
        const share = this.shareOf(tenantId);
        releaseShare = shares.takeNow(share) ?? (await shares.take(share));
      }
      const connection = await connect();
      work.running += 1;
      return {
        ...connection,
        release: (broken) => {
          work.running -= 1;
          connection.release(broken);
          releaseShare?.();
        },
      };
    } catch (error) {
      releaseShare?.();
      throw error;
    } finally {
      work.waiting -= 1;
    }
  }
}
