import type { Database } from '@idsync/database';
import { findSearchProgress } from '@idsync/database/gateway';
import { LRUCache } from 'lru-cache';

const cacheSize = 20_000;
const incompleteMs = 5_000;

/** A complete search remains complete while this version runs. */
const known = new WeakMap<Database, LRUCache<string, { isComplete: boolean }>>();

/** Returns whether searches and filters find everything of a tenant; reads this once, or again every 5 s if they do not. */
export async function isSearchComplete(database: Database, tenantId: string): Promise<boolean> {
  const cache = known.get(database) ?? new LRUCache<string, { isComplete: boolean }>({ max: cacheSize });
  known.set(database, cache);
  const found = cache.get(tenantId);
  if (found) return found.isComplete;
  const isComplete = (await findSearchProgress(database, tenantId)) === undefined;
  cache.set(tenantId, { isComplete }, { ttl: isComplete ? 0 : incompleteMs });
  return isComplete;
}
