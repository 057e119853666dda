import { encodeId, type ProbeKind, type responses } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findConnector, findProbe, type ProbeRow, requestProbe } from '@idsync/database/gateway';
import { Injectable } from '@nestjs/common';
import { orNotFound } from '../http/api-error.js';
import type { Progress } from '../http/may-take-longer.interceptor.js';
import { waitFor } from '../operations/wait-for.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';

/** Longer than the sync-worker's limit of 20 s per probe. */
const waitMs = 22_000;

/** Requests tests and discoveries, which the sync-worker runs, because the gateway makes no outgoing calls. */
@Injectable()
export class Probes {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantTransactions,
  ) {}

  /** Requests a probe and waits up to 22 s for its end. */
  async request(tenantId: string, connectorId: string, kind: ProbeKind): Promise<Progress<responses.ConnectorProbe>> {
    const requested = await this.tenants.act(tenantId, async (tx) => {
      orNotFound(await findConnector(tx, tenantId, connectorId));
      return requestProbe(tx, tenantId, connectorId, kind);
    });
    const row = await waitFor(
      async () =>
        (await this.database.transaction(tenantId, (tx) => findProbe(tx, tenantId, requested.id))) ?? requested,
      ({ status }) => status !== 'queued',
      waitMs,
    );
    return { finished: row.status !== 'queued', body: presentProbe(row) };
  }

  async get(tenantId: string, connectorId: string, probeId: string): Promise<responses.ConnectorProbe> {
    const row = await this.tenants.run(tenantId, (tx) => findProbe(tx, tenantId, probeId));
    return presentProbe(orNotFound(row?.connectorId === connectorId && row));
  }
}

function presentProbe(row: ProbeRow): responses.ConnectorProbe {
  const { id, connectorId, kind, status, result, createdAt, endedAt } = row;
  return {
    probe_id: encodeId('probe', id),
    connector_id: encodeId('connector', connectorId),
    kind,
    status,
    created_at: createdAt.toISOString(),
    ...(endedAt && { ended_at: endedAt.toISOString() }),
    ...result,
  };
}
