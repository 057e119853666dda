import { newUuid } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  closeCase,
  lockCase,
  lockIdentities,
  lockRecordsById,
  lockRecordsOfIdentities,
  type StoredRecord,
} from '@idsync/database/directory';
import type { Cause } from '../changes/cause.js';
import { idsOf } from '../shared/collections.js';
import { linkManually, lockWhole } from './move-records.js';
import { type Handler, Refused, type Undo } from './outcome.js';

const closedAs = { link: 'linked', new: 'new', ignore: 'ignored' } as const;

/** Resolves a review case: links the record to any identity, makes it a new person, or ignores the case. */
export const resolveCase: Handler<'case.resolve'> = async (tx, cause, { case_id, resolution, identity_id }) => {
  const open = await lockCase(tx, case_id);
  if (!open) throw new Refused('the case does not exist');
  if (open.status !== 'open') throw new Refused(`the case is already ${open.status}`);
  const [record] = await lockRecordsById(tx, [open.recordId]);
  if (!record) throw new Refused('the record no longer exists');

  if (resolution === 'link' && identity_id === undefined)
    throw new Refused('identity_id is required for the resolution link');
  // Closed before the records move, because a new dispute about the record then opens another case.
  await closeCase(tx, case_id, closedAs[resolution], cause.operationId ?? case_id, cause.now);
  let links: Undo['links'] = [];
  let { identityId } = record;
  const decide = async (id: string, others: readonly StoredRecord[]) => {
    identityId = id;
    links = await linkBeside(tx, cause, { record, identityId: id, caseId: case_id }, others);
  };
  if (resolution === 'link' && identity_id !== undefined) await decide(identity_id, await lockWhole(tx, [identity_id]));
  if (resolution === 'new') {
    const isInDoubt = open.candidates.some((candidate) => candidate.identity_id === record.identityId);
    // A case about the person that the record is linked to parts them.
    const isOwn = record.kind === 'user' && !isInDoubt;
    await decide((isOwn && record.identityId) || newUuid(), await presentCandidates(tx, open.candidates));
  }
  return {
    result: { case_id, resolution, identity_id: identityId },
    undo: { links, case_id },
  };
};

/** Links the record manually, and the compared records to their current identities. */
async function linkBeside(
  tx: Transaction,
  cause: Cause,
  { record, identityId, caseId }: { record: StoredRecord; identityId: string; caseId: string },
  others: readonly StoredRecord[],
): Promise<Undo['links']> {
  const staying = others.flatMap((other) =>
    other.id !== record.id && other.identityId ? { record: other, identityId: other.identityId } : [],
  );
  return linkManually(tx, cause, [{ record, identityId }, ...staying], { recordId: record.id, caseId });
}

/** Returns the records of the candidates that still exist and were not erased. */
async function presentCandidates(
  tx: Transaction,
  candidates: readonly { identity_id: string }[],
): Promise<StoredRecord[]> {
  const ids = candidates.map(({ identity_id }) => identity_id);
  const present = (await lockIdentities(tx, ids)).filter(({ purgeAt }) => purgeAt === undefined);
  return lockRecordsOfIdentities(tx, idsOf(present));
}
