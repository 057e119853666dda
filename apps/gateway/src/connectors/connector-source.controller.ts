import {
  adminRoutes,
  canReadOne,
  comparedText,
  encodeId,
  type ProbeKind,
  requests,
  type responses,
} from '@idsync/contracts';
import { Database } from '@idsync/database';
import { enqueue } from '@idsync/database/bus';
import {
  findConnector,
  findJob,
  findProbe,
  insertRecordJob,
  type JobRow,
  type ProbeRow,
  requestProbe,
} from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { badRequest, orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { validate } from '../http/validate.js';
import { presentJobWithErrors } from '../jobs/present-job.js';
import { waitFor } from '../operations/wait-for.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';

/** Longer than the sync-worker's limit of 20 s per probe. */
const probeWaitMs = 22_000;
const jobWaitMs = 10_000;

/**
 * Actions on a connector's source, which the sync-worker runs while the request waits, because the gateway makes no
 * outgoing calls.
 */
@Controller()
export class ConnectorSourceController {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantTransactions,
  ) {}

  @Handles(adminRoutes.testConnector)
  test({ tenantId, connectorId }: Input<typeof adminRoutes.testConnector>) {
    return this.requestProbe(tenantId, connectorId, 'test');
  }

  @Handles(adminRoutes.discoverConnector)
  discover({ tenantId, connectorId }: Input<typeof adminRoutes.discoverConnector>) {
    return this.requestProbe(tenantId, connectorId, 'discover');
  }

  @Handles(adminRoutes.getConnectorProbe)
  async probe({ tenantId, connectorId, probeId }: Input<typeof adminRoutes.getConnectorProbe>) {
    const row = await this.tenants.run(tenantId, (tx) => findProbe(tx, probeId));
    return presentProbe(orNotFound(row?.connectorId === connectorId && row));
  }

  /** Requests a job for one record, and waits up to 10 s for its end. */
  @Handles(adminRoutes.syncConnectorRecord)
  async syncRecord({ tenantId, connectorId, externalId: recordId }: Input<typeof adminRoutes.syncConnectorRecord>) {
    const { external_id: externalId } = validate(requests.recordPath, { external_id: comparedText(recordId) });
    const id = await this.tenants.act(tenantId, async (tx, describe) => {
      const { type, records } = orNotFound(await findConnector(tx, connectorId));
      if (!canReadOne(type, records)) throw badRequest('this type of connector cannot read a single record');
      const jobId = await insertRecordJob(tx, { connectorId, externalId });
      await enqueue(tx, { type: 'sync.job.requested', tenantId, data: { job_id: jobId } });
      describe({ created: { job_id: encodeId('job', jobId) } });
      return jobId;
    });
    const job = await waitFor(
      () => this.database.transaction(tenantId, (tx) => findJob(tx, id)),
      isFinished,
      jobWaitMs,
    );
    return { finished: isFinished(job), body: await presentJobWithErrors(this.database, tenantId, id) };
  }

  private async requestProbe(tenantId: string, connectorId: string, kind: ProbeKind) {
    const requested = await this.tenants.act(tenantId, async (tx) => {
      orNotFound(await findConnector(tx, connectorId));
      return requestProbe(tx, connectorId, kind);
    });
    const row = await waitFor(
      async () => (await this.database.transaction(tenantId, (tx) => findProbe(tx, requested.id))) ?? requested,
      ({ status }) => status !== 'queued',
      probeWaitMs,
    );
    return { finished: row.status !== 'queued', body: presentProbe(row) };
  }
}

function isFinished(job: JobRow | undefined): boolean {
  return job !== undefined && job.status !== 'queued' && job.status !== 'running';
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
