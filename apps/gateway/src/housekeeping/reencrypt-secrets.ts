import { type Database, decrypt, eachTenant, encrypt, keyPrefix } from '@idsync/database';
import { type EncryptedSecret, findOutdatedSecrets, replaceSecrets, type SecretsTable } from '@idsync/database/gateway';
import type { Chore } from '@idsync/messaging';
import type { Logger } from '@idsync/runtime';

/** Secrets per transaction. */
const atATime = 500;

/** The current key, followed by the previous keys. */
export type EncryptionKeys = readonly [Buffer, ...Buffer[]];

/**
 * Re-encrypts secrets that were encrypted with a previous key. Walks over all secrets of a table in independent batches and logs the
 * result at the end. The next walk finds secrets that a gateway without the current key has written in the meantime.
 */
export function reencryption(
  database: Database,
  table: SecretsTable,
  keys: EncryptionKeys,
  logger: Logger,
  batchSize = atATime,
): Chore {
  const start: { after?: readonly string[]; resealed: number; unopened: number } = { resealed: 0, unopened: 0 };
  let walk = start;
  return {
    name: `re-encrypting secrets of ${table}`,
    batchSize,
    run: async () => {
      const { count, last, resealed, unopened } = await reencryptBatch(database, table, keys, walk.after, batchSize);
      walk = {
        after: last ?? walk.after,
        resealed: walk.resealed + resealed,
        unopened: walk.unopened + unopened,
      };
      if (count === batchSize) return count;
      report(table, walk, logger);
      walk = start;
      return count;
    },
  };
}

/** Skips secrets that another gateway or a rotation has replaced or removed in the meantime. */
async function reencryptBatch(
  database: Database,
  table: SecretsTable,
  keys: EncryptionKeys,
  after: readonly string[] | undefined,
  batchSize: number,
) {
  const [current] = keys;
  const { outdated, ...found } = await database.acrossTenants((tx) =>
    findOutdatedSecrets(tx, table, keyPrefix(current), after, batchSize),
  );
  const fresh = outdated.flatMap((secret) => {
    const opened = tryToOpen(secret, keys);
    return opened === undefined ? [] : [{ ...secret, fresh: encrypt(opened, current, secret.tenantId) }];
  });
  let resealed = 0;
  await eachTenant(fresh, async (tenantId, own) => {
    resealed += await database.transaction(tenantId, (tx) => replaceSecrets(tx, table, tenantId, own));
  });
  return { ...found, resealed, unopened: outdated.length - fresh.length };
}

function tryToOpen({ encrypted, tenantId }: EncryptedSecret, keys: EncryptionKeys): string | undefined {
  try {
    return decrypt(encrypted, keys, tenantId);
  } catch {
    return undefined;
  }
}

function report(table: SecretsTable, walk: { resealed: number; unopened: number }, logger: Logger): void {
  const fields = { place: table, resealed: walk.resealed, unopened: walk.unopened };
  if (walk.unopened === 0) logger.info(fields, 'all secrets are encrypted with ENCRYPTION_KEY');
  else {
    logger.warn(
      fields,
      'some secrets cannot be decrypted: add their key to ENCRYPTION_KEYS_PREVIOUS, or set them again',
    );
  }
}
