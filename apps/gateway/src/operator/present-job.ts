import { type Database, findJob, findJobErrors } from '@idsync/database';
import { notFound } from '../api-error.js';
import { presentOperatorJob } from '../present.js';

/** A job with the records it could not use. */
export async function presentJobWithErrors(database: Database, tenantId: string, id: string): Promise<object> {
  const found = await database.transaction(tenantId, async (tx) => {
    const job = await findJob(tx, tenantId, id);
    return job && { job, errors: await findJobErrors(tx, id) };
  });
  if (!found) throw notFound();
  const errors = found.errors.map(({ line, externalId, message }) => ({
    line: line ?? undefined,
    external_id: externalId ?? undefined,
    message,
  }));
  return { ...presentOperatorJob(found.job), errors };
}
