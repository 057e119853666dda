import type { Transaction } from '../database.js';
import { count, type Page, type Rows } from './page.js';

export interface FailingRecordRow {
  jobId: string;
  externalId: string | null;
  line: number | null;
  message: string;
  firstFailedAt: Date;
  lastFailedAt: Date;
}

/** Records of a connector that could not be used when they were last read, in the order they began to fail. A few thousand at the most. */
export async function listFailingRecords(
  tx: Transaction,
  tenantId: string,
  connectorId: string,
  page: Page,
): Promise<Rows<FailingRecordRow>> {
  const rows = await tx.query<FailingRecordRow>(
    `select job_id as "jobId", external_id as "externalId", line, message, first_failed_at as "firstFailedAt",
            last_failed_at as "lastFailedAt"
       from failing_records where tenant_id = $1 and connector_id = $2 order by id limit $3 offset $4`,
    [tenantId, connectorId, page.limit, page.offset],
  );
  const total = 'select count(*) from failing_records where tenant_id = $1 and connector_id = $2';
  return { rows, total: await count(tx, total, [tenantId, connectorId]) };
}
