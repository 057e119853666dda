// SQL by hand: roles, catalogues and DDL have no entities.
import type { QueryRunner } from 'typeorm';

export interface IndexToBuild {
  name: string;
  /** `events (tenant_id, type) where …` */
  on: string;
  unique?: boolean;
}

/**
 * Building waits for open transactions, but no session waits for it. A dump that takes longer must be stopped first.
 */
const longestWait = '30min';

/**
 * Builds an index without blocking writes. Its migration must have `transaction = false` and do nothing else. An
 * interrupted build leaves an invalid index, which the next run replaces.
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
    // A lost connection needs no reset.
    await runner.query('reset lock_timeout').catch(() => undefined);
  }
}
