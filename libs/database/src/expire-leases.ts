import pg from 'pg';

/**
 * Ends every lease of a database that only this process can use: whoever held them is dead. Elsewhere a lease must run out,
 * which is what would make the first start after a kill wait.
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
