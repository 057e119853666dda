import { newUuid, type OperationInput } from '@idsync/contracts';
import {
  closeCase,
  lockCase,
  lockIdentities,
  lockRecordsById,
  lockRecordsOfIdentities,
  type StoredRecord,
  type Transaction,
} from '@idsync/database';
import type { Cause } from '../cause.js';
import { lockWhole, placeDecided } from './move-records.js';
import { type Outcome, Refused, type Undo } from './outcome.js';

const closedAs = { link: 'linked', new: 'new', ignore: 'ignored' } as const;

/** Decides whose a record is: one of the people who could be meant, or any other; somebody new; or not asked again. */
export async function resolveCase(
  tx: Transaction,
  cause: Cause,
  { case_id, resolution, identity_id }: OperationInput<'case.resolve'>,
): Promise<Outcome> {
  const open = await lockCase(tx, cause.tenantId, case_id);
  if (!open) throw new Refused('there is no such case');
  if (open.status !== 'open') throw new Refused(`the case is ${open.status} already`);
  const [record] = await lockRecordsById(tx, [open.recordId]);
  if (!record) throw new Refused('the record is there no more');

  let links: Undo['links'] = [];
  let identityId = record.identityId;
  if (resolution === 'link') {
    if (identity_id === undefined) throw new Refused('identity_id says whom the record belongs to');
    identityId = identity_id;
    const { records } = await lockWhole(tx, [identity_id]);
    links = await decide(tx, cause, record, identity_id, records);
  }
  if (resolution === 'new') {
    identityId = record.kind === 'user' && record.identityId ? record.identityId : newUuid();
    links = await decide(tx, cause, record, identityId, await presentCandidates(tx, open.candidates));
  }
  await closeCase(tx, case_id, closedAs[resolution], cause.operationId ?? case_id, cause.now);
  return {
    result: { case_id, resolution, ...(identityId !== undefined && { identity_id: identityId }) },
    undo: { links, case_id },
  };
}

/** The record goes where it is told, and those it was compared with stay where they are, for good. */
async function decide(
  tx: Transaction,
  cause: Cause,
  record: StoredRecord,
  identityId: string,
  others: readonly StoredRecord[],
): Promise<Undo['links']> {
  const staying = others.filter(({ id, identityId }) => id !== record.id && identityId !== undefined);
  const { links } = await placeDecided(tx, cause, [
    { record, identityId },
    ...staying.map((other) => ({ record: other, identityId: other.identityId ?? identityId })),
  ]);
  return links;
}

/** The records of those who could be meant; a candidate that is gone since, or was erased, is none. */
async function presentCandidates(
  tx: Transaction,
  candidates: readonly { identity_id: string }[],
): Promise<StoredRecord[]> {
  const ids = candidates.map(({ identity_id }) => identity_id);
  const present = (await lockIdentities(tx, ids)).filter(({ purgeAt }) => purgeAt === undefined);
  return lockRecordsOfIdentities(
    tx,
    present.map(({ id }) => id),
  );
}
