// SQL by hand: advisory locks, and deletions for a set of events.
import { uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import { eventsAbout } from '../events-about.js';

const lockName = (tenantId: string) => `payloads ${tenantId}`;

/**
 * Takes a shared lock for rendering payloads. An erasure waits for earlier renderings, and later renderings see its
 * result.
 */
export async function lockPayloadsForRendering(tx: Transaction): Promise<void> {
  await tx.query('select pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [lockName(tx.tenantId)]);
}

/**
 * Deletes payloads of events about these identities and records, and the responses of receivers. Pending deliveries are
 * rendered again.
 */
export async function erasePayloads(
  tx: Transaction,
  about: { identityIds: readonly string[]; recordIds: readonly string[] },
): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [lockName(tx.tenantId)]);
  // Without the limit, PostgreSQL may read all deliveries of a webhook, whose number it underestimates.
  await tx.query(
    `with affected as materialized (
       select sequence from ${eventsAbout('identity_id', '$2::uuid[]')} as about
       union select sequence from ${eventsAbout('subject_id', '$3::uuid[]')} as about),
     sent as (
       select d.id from affected cross join webhooks w cross join lateral (
         select id from webhook_deliveries
          where tenant_id = $1 and webhook_id = w.id and event_sequence = affected.sequence limit 1) d
        where w.tenant_id = $1),
     answers as (
       update webhook_attempts a set response_body = null, response_headers = null
         from sent where a.tenant_id = $1 and a.delivery_id = sent.id
          and (a.response_body is not null or a.response_headers is not null))
     delete from event_payloads p using affected where p.tenant_id = $1 and p.sequence = affected.sequence`,
    [tx.tenantId, uuids(about.identityIds), uuids(about.recordIds)],
  );
}
