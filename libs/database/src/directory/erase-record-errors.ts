// SQL by hand: updates and deletions for a set of records.
import { arraysOf, texts, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import { useIndexScans } from '../transaction-settings.js';

/**
 * Replaces the details of an erased person's errors, so that the number of errors and of their records stays correct.
 */
const erased = { externalId: 'erased', message: 'the person was erased' };

/**
 * Removes records from the error lists and error messages of jobs. It locks these jobs; a transaction that holds such a
 * lock may wait for the event sequence, so call it before locking the sequence.
 */
export async function eraseRecordErrors(
  tx: Transaction,
  records: readonly { connectorId: string; externalId: string }[],
): Promise<void> {
  const { tenantId } = tx;
  const anchors = arraysOf(records, { connectorId: uuids, externalId: texts });
  // A connector may have many jobs and few errors.
  await useIndexScans(tx);
  const theirs = 'unnest($2::uuid[], $3::text[]) as their (connector_id, external_id)';
  await tx.query(
    `delete from failing_records f using ${theirs}
      where f.tenant_id = $1 and f.connector_id = their.connector_id and f.external_id = their.external_id`,
    [tenantId, ...anchors],
  );
  const connectors = [tenantId, anchors[0]];
  // An error without an external id may concern any record.
  await tx.query(
    `update failing_records set source_message = null
      where tenant_id = $1 and connector_id = any($2) and external_id is null and source_message is not null`,
    connectors,
  );
  // `offset 0`: one index lookup for each connector, also in a table without statistics.
  const locked = await tx.ids(
    `with found as materialized (
       select e.job_id as id from ${theirs}
         join sync_record_errors e on e.tenant_id = $1 and e.external_id = their.external_id
        cross join lateral (select connector_id from sync_jobs where tenant_id = $1 and id = e.job_id limit 1) j
        where j.connector_id = their.connector_id
       union
       select j.id from (select distinct connector_id from ${theirs}) as theirs
        cross join lateral (
          select id from sync_jobs
           where tenant_id = $1 and connector_id = theirs.connector_id and source_message is not null offset 0) j)
     select j.id from (select id from found order by id) as wanted
      cross join lateral (
        select id from sync_jobs where tenant_id = $1 and id = wanted.id limit 1 for no key update) j`,
    [tenantId, ...anchors],
  );
  const jobIds = uuids(locked);
  await tx.query(
    `update sync_jobs j set error_message = split_part(j.error_message, '; ', 1) from ${theirs}
      where j.tenant_id = $1 and j.id = any($4) and j.status = 'completed_with_errors'
        and j.connector_id = their.connector_id and their.external_id = (
          select external_id from sync_record_errors where tenant_id = $1 and job_id = j.id order by id limit 1)`,
    [tenantId, ...anchors, jobIds],
  );
  // The error text of a source may contain an entry.
  await tx.query(
    `update sync_jobs set source_message = null
      where tenant_id = $1 and connector_id = any($2) and id = any($3) and source_message is not null`,
    [...connectors, jobIds],
  );
  await tx.query(
    `update sync_record_errors e set external_id = $5, message = $6, source_message = null from sync_jobs j, ${theirs}
      where e.tenant_id = $1 and j.tenant_id = $1 and j.id = any($4) and j.id = e.job_id
        and j.connector_id = their.connector_id and e.external_id = their.external_id`,
    [tenantId, ...anchors, jobIds, erased.externalId, erased.message],
  );
}
