import type { responses } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { findJob, findJobErrors } from '@idsync/database/gateway';
import { notFound } from '../http/api-error.js';
import { presentOperatorJob } from '../present.js';

/** Returns a job with the records that it could not apply. */
export async function presentJobWithErrors(
  database: Database,
  tenantId: string,
  id: string,
): Promise<responses.JobDetails> {
  const found = await database.transaction(tenantId, async (tx) => {
    const job = await findJob(tx, tenantId, id);
    return job && { job, errors: await findJobErrors(tx, id) };
  });
  if (!found) throw notFound();
  const errors = found.errors.map(({ line, externalId, field, message, sourceMessage }) => ({
    line: line ?? undefined,
    external_id: externalId ?? undefined,
    field: field ?? undefined,
    message,
    source_message: sourceMessage ?? undefined,
  }));
  return { ...presentOperatorJob(found.job), errors };
}
