import { uuids } from '../arrays.js';
import type { Transaction } from '../database.js';

const lockName = (tenantId: string) => `payloads ${tenantId}`;

/**
 * Whoever renders what is sent says so first: an erasure waits for those who began before it, and who begins after it sees what
 * it has left.
 */
export async function announceRendering(tx: Transaction, tenantId: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [lockName(tenantId)]);
}

/**
 * Deletes what was or would be sent of events about these identities and records, and what receivers answered to it. What is
 * still to be sent is rendered anew.
 */
export async function forgetPayloads(
  tx: Transaction,
  tenantId: string,
  about: { identityIds: readonly string[]; recordIds: readonly string[] },
): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [lockName(tenantId)]);
  await tx.query(
    `with told as materialized (
       select sequence from events where identity_id = any($2) and tenant_id = $1
       union select sequence from events where subject_id = any($3) and tenant_id = $1),
     sent as (
       select d.id from told cross join webhooks w
         join webhook_deliveries d on d.webhook_id = w.id and d.event_sequence = told.sequence
        where w.tenant_id = $1),
     answers as (
       update webhook_attempts a set response_body = null
         from sent where a.delivery_id = sent.id and a.response_body is not null)
     delete from event_payloads p using told where p.tenant_id = $1 and p.sequence = told.sequence`,
    [tenantId, uuids(about.identityIds), uuids(about.recordIds)],
  );
}
