import { z } from 'zod';
import { CheckpointExpired } from '../connector.js';
import type { ApiClient } from '../http/api-client.js';
import { StatusError } from '../http/failures.js';
import { valueAt } from '../json/json-value.js';
import { scimAnswer } from './list-resources.js';

/** The state at the start of a read, by which the next one detects changes. */
export const scimCheckpoint = z.object({
  /** Start time by the clock of the service. */
  started: z.iso.datetime(),
  /** Number of resources and of groups; -1 if groups are not mapped. */
  records: z.int().nonnegative(),
  groups: z.int().min(-1),
});
type ScimCheckpoint = z.infer<typeof scimCheckpoint>;

/** The list in which changes are detected. */
interface WatchedList {
  client: ApiClient;
  path: string;
  filter: string | undefined;
  /** Whether the mapping reads groups, whose changes do not appear in the users. */
  needsGroups: boolean;
  signal: AbortSignal;
}

const groupsPath = '/Groups';
/** Allows for clock differences in a cluster. Reading a resource twice has no effect. */
const overlapMs = 5 * 60_000;

/** Returns the checkpoint; undefined if the service cannot report changes. */
export async function checkpointNow(list: WatchedList, service: ScimService): Promise<ScimCheckpoint | undefined> {
  if (!service.filters || !service.now) return undefined;
  const records = await countOf(list, list.path, list.filter);
  const groups = list.needsGroups ? await countOf(list, groupsPath).catch(onlyStatus) : -1;
  if (records === undefined || groups === undefined) return undefined;
  return { started: service.now.toISOString(), records, groups };
}

/**
 * Throws CheckpointExpired if a deletion or a removal from a group happened or may have happened, because
 * `meta.lastModified` reports neither.
 */
export async function requireReportableChanges(
  list: WatchedList,
  since: ScimCheckpoint,
  now: ScimCheckpoint | false | undefined,
): Promise<void> {
  if (!now) throw new CheckpointExpired('the service no longer reports changes');
  if (now.records < since.records) throw new CheckpointExpired('the number of resources has decreased');
  if (!list.needsGroups) return;
  if (now.groups !== since.groups) throw new CheckpointExpired('the number of groups has changed');
  const changed = await countOf(list, groupsPath, changedSince(since));
  if (changed !== 0) throw new CheckpointExpired('groups have changed');
}

export function changedSince({ started }: ScimCheckpoint): string {
  return `meta.lastModified ge "${new Date(Date.parse(started) - overlapMs).toISOString()}"`;
}

/** Returns whether the service rejected the filter although it declares filter support. */
export function isFilterRefused(error: unknown): boolean {
  return error instanceof StatusError && error.status === 400 && /invalidFilter/i.test(error.reason ?? '');
}

async function countOf(list: WatchedList, path: string, filter?: string): Promise<number | undefined> {
  const query = { ...(filter && { filter }), count: 1 };
  return scimAnswer(await list.client.page(list.signal).get(path, { query })).total;
}

/** Groups may not be accessible, so that incremental reads are not possible. */
function onlyStatus(error: unknown): undefined {
  if (!(error instanceof StatusError)) throw error;
}

/** The declared capabilities of a service. */
export interface ScimService {
  filters: boolean;
  sorts: boolean;
  pagesByCursor: boolean;
  /** The time of the service; undefined if it does not report one. */
  now: Date | undefined;
}

/**
 * Reads the ServiceProviderConfig (RFC 7644, 4). A service without one is assumed to support only the mandatory
 * features.
 */
export async function askService(client: ApiClient, signal: AbortSignal): Promise<ScimService> {
  try {
    const { body, headers } = await client.page(signal).get('/ServiceProviderConfig');
    const supports = (name: string) => valueAt(valueAt(body, name), 'supported') === true;
    const now = new Date(headers.date ?? '');
    return {
      filters: supports('filter'),
      sorts: supports('sort'),
      pagesByCursor: valueAt(valueAt(body, 'pagination'), 'cursor') === true,
      now: Number.isNaN(now.getTime()) ? undefined : now,
    };
  } catch (error) {
    if (!isMissing(error)) throw error;
    return { filters: false, sorts: false, pagesByCursor: false, now: undefined };
  }
}

/** True of an endpoint that there is not, or not for us. */
function isMissing(error: unknown): boolean {
  return error instanceof StatusError && [403, 404, 405, 501].includes(error.status);
}
