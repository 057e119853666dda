import { z } from 'zod';
import { CheckpointExpired } from '../connector.js';
import type { ApiClient } from '../http/api-client.js';
import { StatusError } from '../http/failures.js';
import { scimAnswer } from './scim-listing.js';
import type { ScimService } from './scim-service.js';

/** What is written down when a read begins, to tell by the next one what has changed since. */
export const scimCheckpoint = z.object({
  /** By the service's clock. */
  started: z.iso.datetime(),
  /** How many there were; -1 for groups that do not matter. */
  records: z.int().nonnegative(),
  groups: z.int().min(-1),
});
export type ScimCheckpoint = z.infer<typeof scimCheckpoint>;

/** What a change is looked for in. */
export interface WatchedList {
  client: ApiClient;
  path: string;
  filter: string | undefined;
  /** The mapping reads groups, and a change of one changes people whom it does not name. */
  needsGroups: boolean;
  signal: AbortSignal;
}

const groupsPath = '/Groups';
/** A clock in a cluster may be behind another; who was read twice is not changed by it. */
const overlapMs = 5 * 60_000;

/** Undefined where a service cannot tell changes at all. */
export async function checkpointNow(list: WatchedList, service: ScimService): Promise<ScimCheckpoint | undefined> {
  if (!service.filters || !service.now) return undefined;
  const records = await countOf(list, list.path, list.filter);
  const groups = list.needsGroups ? await countOf(list, groupsPath).catch(onlyStatus) : -1;
  if (records === undefined || groups === undefined) return undefined;
  return { started: service.now.toISOString(), records, groups };
}

/**
 * `meta.lastModified` tells neither who was deleted nor who was taken out of a group. Throws CheckpointExpired where one of
 * these has, or may have, happened.
 */
export async function requireChangesTold(
  list: WatchedList,
  since: ScimCheckpoint,
  now: ScimCheckpoint | false | undefined,
): Promise<void> {
  if (!now) throw new CheckpointExpired('the service does not tell changes any more');
  if (now.records < since.records) throw new CheckpointExpired('there are fewer resources than before');
  if (!list.needsGroups) return;
  if (now.groups !== since.groups) throw new CheckpointExpired('there are more or fewer groups than before');
  const changed = await countOf(list, groupsPath, changedSince(since));
  if (changed !== 0) throw new CheckpointExpired('groups have changed');
}

export function changedSince({ started }: ScimCheckpoint): string {
  return `meta.lastModified ge "${new Date(Date.parse(started) - overlapMs).toISOString()}"`;
}

/** A service that says it filters, but not by this. */
export function isFilterRefused(error: unknown): boolean {
  return error instanceof StatusError && error.status === 400 && /invalidFilter/i.test(error.code ?? '');
}

async function countOf(list: WatchedList, path: string, filter?: string): Promise<number | undefined> {
  const query = { ...(filter && { filter }), count: 1 };
  return scimAnswer(await list.client.page(list.signal).get(path, { query })).total;
}

/** Groups may be closed to us; then changes of them are never told. */
function onlyStatus(error: unknown): undefined {
  if (!(error instanceof StatusError)) throw error;
}
