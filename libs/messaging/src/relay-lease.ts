// SQL by hand: an upsert that depends on the stored row.
import type { Database } from '@idsync/database';

/** Seconds without a renewal after which another relay takes over. */
export const leaseSeconds = 8;

/**
 * Takes or renews this service's relay lease. The token grows with each change of owner, and a relay must still hold it
 * when it deletes published rows. Returns undefined while another relay holds the lease.
 */
export async function acquireRelayLease(database: Database, owner: string): Promise<number | undefined> {
  const rows = await database.withoutTenant((tx) =>
    tx.query<{ token: number }>(
      `insert into relay_leases as lease (producer, token, owner, until)
       values (current_user, 1, $1, now() + make_interval(secs => $2))
       on conflict (producer) do update
          set token = lease.token + case when lease.owner = $1 then 0 else 1 end, owner = $1, until = excluded.until
        where lease.owner = $1 or lease.until <= now()
       returning token`,
      [owner, leaseSeconds],
    ),
  );
  return rows[0]?.token;
}

/** Releases the lease, so that the next relay does not have to wait for its expiry. */
export async function releaseRelayLease(database: Database, owner: string): Promise<void> {
  await database.withoutTenant((tx) =>
    tx.query('update relay_leases set until = now() where producer = current_user and owner = $1', [owner]),
  );
}
