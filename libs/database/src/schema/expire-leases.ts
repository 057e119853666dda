// SQL by hand: roles, catalogues and DDL have no entities.
import pg from 'pg';

/**
 * Expires all leases of a database that only this process uses, because their owners are dead. Otherwise the first
 * start after a kill would wait for them.
 */
export async function expireLeases(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`
      update relay_leases set until = now() where until > now();
      update sync_jobs set lease_until = now() where status = 'running' and lease_until > now();
      update webhook_deliveries set lease_until = now() where status = 'pending' and lease_until > now();
      update bus_messages set available_at = now() where lease_token is not null and available_at > now();`);
  } finally {
    await client.end();
  }
}
