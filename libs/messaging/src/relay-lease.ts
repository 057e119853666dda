import type { Database } from '@idsync/database';

/** Seconds a relay may be silent before another takes over. */
export const leaseSeconds = 8;

/**
 * Takes or renews this service's relay lease. The token grows each time the lease changes hands, and is what a relay must
 * still hold when it deletes what it published. Undefined while another relay holds it.
 */
export async function acquireRelayLease(database: Database, owner: string): Promise<number | undefined> {
  const rows = await database.transaction(undefined, (tx) =>
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

/** Gives the lease up, so that the next relay need not wait for it to run out. */
export async function releaseRelayLease(database: Database, owner: string): Promise<void> {
  await database.transaction(undefined, (tx) =>
    tx.query('update relay_leases set until = now() where producer = current_user and owner = $1', [owner]),
  );
}
