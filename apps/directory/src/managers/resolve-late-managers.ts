import type { Transaction } from '@idsync/database';
import { findReferringUsers, LoadLimitExceeded, lockRecordsById } from '@idsync/database/directory';
import { applyInHalves, NotApplicable } from '../batch/divide-batch.js';
import { applyChanges } from '../changes/apply-changes.js';
import type { Cause } from '../changes/cause.js';
import { managerReference } from './references.js';
import { findManagers } from './resolve-managers.js';

/**
 * Resolves the managers of these users who are known by now, and forgets those who no longer are. Changes of other
 * people are found here instead of in their own batches, which would have to wait for each other. A user who
 * cannot be changed, because too many records are related, is left as it is.
 */
export async function resolveLateManagers(
  tx: Transaction,
  cause: Cause,
  userIds: readonly string[],
  isAlone: boolean,
): Promise<void> {
  const users = await findReferringUsers(tx, userIds);
  const references = users.flatMap((user) => managerReference(user, user.text) ?? []);
  const managers = await findManagers(tx, cause, references);
  const late = users.filter(({ id, managerId }) => (managers.get(id) ?? null) !== managerId).map(({ id }) => id);
  if (late.length === 0) return;
  const apply = async (part: readonly string[]) => {
    const records = await lockRecordsById(tx, part);
    const changes = records.map((before) => ({ before, record: { ...before, updatedAt: cause.now } }));
    await applyChanges(tx, cause, changes);
  };
  await applyInHalves(tx, late, apply, (error) => {
    if (!(error instanceof NotApplicable || (isAlone && error instanceof LoadLimitExceeded))) throw error;
  });
}
