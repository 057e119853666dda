// Connections of the bare driver, to compare with.
import pg from 'pg';

export async function bareConnection(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

export function barePool(url, connections) {
  return new pg.Pool({ connectionString: url, max: connections });
}
