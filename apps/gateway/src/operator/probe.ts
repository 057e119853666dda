import { encodeId, type ProbeKind } from '@idsync/contracts';
import { type Database, findConnector, findProbe, type ProbeRow, requestProbe } from '@idsync/database';
import type { FastifyReply } from 'fastify';
import { notFound } from '../api-error.js';
import { uuidOf } from '../directory.controller.js';
import { waitFor } from '../wait-for.js';
import { inTenant } from './tenants.controller.js';

/** The sync-worker gives a source 20 seconds. */
const patienceMs = 22_000;

/** Asks the sync-worker, since the gateway calls nobody, and waits a while for its answer. */
export async function probe(
  database: Database,
  reply: FastifyReply,
  tenantId: string,
  connectorId: string,
  kind: ProbeKind,
): Promise<object> {
  const id = uuidOf('connector', connectorId);
  const tenant = uuidOf('tenant', tenantId);
  const asked = await inTenant(database, tenantId, async (tx) => {
    if (!(await findConnector(tx, tenant, id))) throw notFound();
    return requestProbe(tx, tenant, id, kind);
  });
  const row = await waitFor(
    async () => (await database.transaction(tenant, (tx) => findProbe(tx, tenant, asked.id))) ?? asked,
    ({ status }) => status !== 'queued',
    patienceMs,
  );
  reply.status(row.status === 'queued' ? 202 : 200);
  return presentProbe(row);
}

export function presentProbe({ id, connectorId, kind, status, result, createdAt, endedAt }: ProbeRow): object {
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
