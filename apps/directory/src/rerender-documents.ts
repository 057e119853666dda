import { documentVersion, recordKinds } from '@idsync/contracts';
import type { Database, Transaction } from '@idsync/database';
import { assignTime } from '@idsync/database/bus';
import {
  type DocumentRendering,
  findRecordIds,
  findRecordsOfSameIdentities,
  lockDocumentRendering,
  lockIdentities,
  lockRecordsById,
  renewListTerms,
  renewSearchTerms,
  type StoredRecord,
  saveDocumentRendering,
  scheduleDocumentRendering,
  updateIdentities,
  updateRecords,
} from '@idsync/database/directory';
import { loadTenant } from './cause.js';
import { saveLookupKeys } from './matching/note-for-matching.js';
import { mergeAttributes } from './merge-attributes.js';
import { renderIdentity } from './render-identity.js';
import { renderRecord } from './render-record.js';
import { runChunk } from './run-chunk.js';

/** Long enough for a rolling update to end: processes of the previous version still write documents of its shape. */
const delaySeconds = 15 * 60;
/** Records per transaction. */
const chunkSize = 200;

export interface RerenderOptions {
  /** Time to stop; the next call continues. */
  until: Date;
  version?: number;
  delaySeconds?: number;
  chunkSize?: number;
}

/**
 * Renders a tenant's documents again if they have another version, and compares its records by their new lookup keys.
 * Writes no history and no events. Safe to kill: each
 * chunk is one transaction. Returns the number of records.
 */
export async function rerenderDocuments(
  database: Database,
  tenantId: string,
  options: RerenderOptions,
): Promise<number> {
  const version = options.version ?? documentVersion;
  const delay = options.delaySeconds ?? delaySeconds;
  if (await database.transaction(tenantId, (tx) => scheduleDocumentRendering(tx, tenantId, version, delay))) return 0;
  let done = 0;
  while (Date.now() < options.until.getTime()) {
    const count = await runChunk(database, tenantId, options.chunkSize ?? chunkSize, async (tx, size) => {
      const rendering = await lockDocumentRendering(tx, tenantId, version);
      return rendering && renderChunk(tx, tenantId, rendering, size);
    });
    if (count === undefined) return done;
    done += count;
  }
  return done;
}

async function renderChunk(
  tx: Transaction,
  tenantId: string,
  { kind, afterId }: DocumentRendering,
  size: number,
): Promise<number> {
  const ids = await findRecordIds(tx, tenantId, kind, afterId ?? undefined, size);
  if (ids.length > 0) await renderRecords(tx, tenantId, ids);
  // No event reports a rendering, but documents change.
  if (ids.length > 0) await assignTime(tx, tenantId);
  const last = ids.at(-1);
  const nextKind = recordKinds[recordKinds.indexOf(kind) + 1];
  if (last !== undefined) await saveDocumentRendering(tx, tenantId, { kind, afterId: last }, ids.length);
  else await saveDocumentRendering(tx, tenantId, nextKind && { kind: nextKind, afterId: null }, 0);
  return ids.length;
}

/** Renders these records and their complete identities. */
async function renderRecords(tx: Transaction, tenantId: string, ids: readonly string[]): Promise<void> {
  const cause = await loadTenant(tx, tenantId);
  const stored = await lockRecordsById(tx, await findRecordsOfSameIdentities(tx, ids));
  const records = stored.map((record) => ({ ...record, document: renderRecord(record, tenantId) }));
  const members = new Map<string, StoredRecord[]>();
  for (const record of records) {
    if (record.identityId) members.set(record.identityId, [...(members.get(record.identityId) ?? []), record]);
  }
  const identities = (await lockIdentities(tx, [...members.keys()])).map((before) => {
    const own = members.get(before.id) ?? [];
    const document = renderIdentity(before, mergeAttributes(before.id, own, cause), own);
    return { before, identity: { ...before, document } };
  });
  const chunk = new Set(ids);
  await saveLookupKeys(
    tx,
    cause,
    stored.filter(({ id }) => chunk.has(id)),
  );
  await updateRecords(
    tx,
    records.filter(({ document }, nth) => document !== stored[nth]?.document),
  );
  await renewSearchTerms(tx, records);
  await renewListTerms(tx, records);
  await updateIdentities(
    tx,
    tenantId,
    identities.filter(({ before, identity }) => identity.document !== before.document).map(({ identity }) => identity),
  );
}
