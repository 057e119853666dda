import type { QueryRunner } from 'typeorm';

export interface IndexToBuild {
  name: string;
  /** `events (tenant_id, type) where …` */
  on: string;
  unique?: boolean;
}

/** It waits for the transactions that are open, and nobody waits for it; a dump that takes longer has to be ended first. */
const longestWait = '30min';

/**
 * An index on a table that has rows, while it is written. Its migration has `transaction = false` and does nothing else. Killed,
 * it leaves an index that is not valid, which the next run replaces.
 */
export async function buildIndex(runner: QueryRunner, { name, on, unique = false }: IndexToBuild): Promise<void> {
  const [found]: { valid: boolean }[] = await runner.query(
    'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
    [name],
  );
  if (found?.valid) return;
  await runner.query(`set lock_timeout = '${longestWait}'`);
  try {
    if (found) await runner.query(`drop index concurrently if exists ${name}`);
    await runner.query(`create ${unique ? 'unique ' : ''}index concurrently ${name} on ${on}`);
  } finally {
    // Of a connection that is gone nothing has to be put back.
    await runner.query('reset lock_timeout').catch(() => undefined);
  }
}
