import { texts, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';

/** What stands in place of whom an error was of: the number of errors, and that each is of one record, stay true. */
const erased = { externalId: 'erased', message: 'of a person who was erased' };

/**
 * Takes records out of what jobs say of those they could not use, each and the first of them. It waits for whoever is at one of these
 * jobs, who may wait for the sequence of events: call it before that is held.
 */
export async function forgetRecordErrors(
  tx: Transaction,
  tenantId: string,
  records: readonly { connectorId: string; externalId: string }[],
): Promise<void> {
  const anchors = [
    uuids(records.map(({ connectorId }) => connectorId)),
    texts(records.map(({ externalId }) => externalId)),
  ];
  const theirs = 'unnest($2::uuid[], $3::text[]) as their (connector_id, external_id)';
  await tx.query(
    `delete from failing_records f using ${theirs}
      where f.tenant_id = $1 and f.connector_id = their.connector_id and f.external_id = their.external_id`,
    [tenantId, ...anchors],
  );
  const locked = await tx.query<{ id: string }>(
    `select id from sync_jobs where id in (
       select e.job_id from ${theirs}
         join sync_record_errors e on e.tenant_id = $1 and e.external_id = their.external_id
         join sync_jobs j on j.id = e.job_id and j.connector_id = their.connector_id)
      order by id for no key update`,
    [tenantId, ...anchors],
  );
  const jobIds = uuids(locked.map(({ id }) => id));
  await tx.query(
    `update sync_jobs j set error_message = split_part(j.error_message, '; ', 1) from ${theirs}
      where j.tenant_id = $1 and j.id = any($4) and j.status = 'completed_with_errors' and j.connector_id = their.connector_id
        and their.external_id = (select external_id from sync_record_errors where job_id = j.id order by id limit 1)`,
    [tenantId, ...anchors, jobIds],
  );
  await tx.query(
    `update sync_record_errors e set external_id = $5, message = $6 from sync_jobs j, ${theirs}
      where e.tenant_id = $1 and j.id = any($4) and j.id = e.job_id
        and j.connector_id = their.connector_id and e.external_id = their.external_id`,
    [tenantId, ...anchors, jobIds, erased.externalId, erased.message],
  );
}
