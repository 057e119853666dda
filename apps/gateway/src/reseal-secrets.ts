import {
  type Database,
  findOutdatedSecrets,
  open,
  replaceSecrets,
  type SealedSecret,
  type SecretsPlace,
  seal,
  sealMark,
} from '@idsync/database';
import type { Chore } from '@idsync/messaging';

/** Secrets of one transaction. */
const atATime = 500;
const beginning = '00000000-0000-0000-0000-000000000000';

/** The current key first, then those from before. */
export type SealingKeys = readonly [Buffer, ...Buffer[]];

interface Log {
  info(message: string): void;
  warn(message: string): void;
}

/**
 * Seals secrets of one place with the current key that were sealed with an earlier one: a walk over all of them, in portions that
 * are complete each by itself, told about at its end. The next walk finds what a gateway that had only the earlier key sealed meanwhile.
 */
export function resealing(
  database: Database,
  place: SecretsPlace,
  keys: SealingKeys,
  log: Log,
  portion = atATime,
): Chore {
  let walk = { after: beginning, resealed: 0, unopened: 0 };
  return {
    name: `re-sealing secrets of ${place}`,
    portion,
    run: async () => {
      const { count, last, resealed, unopened } = await resealPortion(database, place, keys, walk.after, portion);
      walk = {
        after: last ?? walk.after,
        resealed: walk.resealed + resealed,
        unopened: walk.unopened + unopened,
      };
      if (count === portion) return count;
      tell(place, walk, log);
      walk = { after: beginning, resealed: 0, unopened: 0 };
      return count;
    },
  };
}

/** What another gateway, or a rotation, has replaced or removed by now is left as it is. */
async function resealPortion(
  database: Database,
  place: SecretsPlace,
  keys: SealingKeys,
  after: string,
  portion: number,
) {
  const [current] = keys;
  return database.transaction(undefined, async (tx) => {
    const { outdated, ...found } = await findOutdatedSecrets(tx, place, sealMark(current), after, portion);
    const fresh = outdated.flatMap((secret) => {
      const opened = tryToOpen(secret, keys);
      return opened === undefined ? [] : [{ ...secret, fresh: seal(opened, current, secret.tenantId) }];
    });
    const resealed = fresh.length > 0 ? await replaceSecrets(tx, place, fresh) : 0;
    return { ...found, resealed, unopened: outdated.length - fresh.length };
  });
}

function tryToOpen({ sealed, tenantId }: SealedSecret, keys: SealingKeys): string | undefined {
  try {
    return open(sealed, keys, tenantId);
  } catch {
    return undefined;
  }
}

function tell(place: SecretsPlace, { resealed, unopened }: { resealed: number; unopened: number }, log: Log): void {
  if (unopened > 0) {
    log.warn(
      `secrets of ${place}: ${resealed} re-sealed; ${unopened} that no key opens: name their key in ENCRYPTION_KEYS_PREVIOUS, or give new ones`,
    );
  } else {
    log.info(`secrets of ${place}: ${resealed} re-sealed; all are sealed with ENCRYPTION_KEY`);
  }
}
