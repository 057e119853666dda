import type { PersonStatus } from '@idsync/contracts';
import type { StoredRecord } from '@idsync/database/directory';
import { isTombstone } from './matching/record-keys.js';
import type { Ranking } from './rank-sources.js';

type RecordState = Pick<StoredRecord, 'kind' | 'status' | 'connectorId' | 'contentHash'>;

/** Best first. */
export const statusRank: readonly PersonStatus[] = ['active', 'pending', 'suspended', 'inactive', 'deleted'];

const fromAccount: Readonly<Record<string, PersonStatus>> = {
  active: 'active',
  locked: 'suspended',
  disabled: 'inactive',
  deleted: 'deleted',
};

const fromMachine: Readonly<Record<string, PersonStatus>> = {
  active: 'active',
  orphaned: 'active',
  disabled: 'inactive',
  decommissioned: 'deleted',
};

/**
 * Returns the status that the lifecycle authority gives: the first source in the precedence of `status` that lists the
 * person as a user, its best status if it lists several. Without users: the best status of the accounts, else of the
 * machines.
 */
export function deriveIdentityStatus(records: readonly RecordState[], rankOf: Ranking): PersonStatus {
  const [first] = records;
  // Most people of an import.
  if (records.length === 1 && first?.kind === 'user') return first.status as PersonStatus;
  const users = records.filter((record) => record.kind === 'user');
  if (users.length > 0) return best(decidingUsers(users, rankOf).map((user) => user.status as PersonStatus));
  const accounts = records.filter((record) => record.kind === 'account');
  if (accounts.length > 0) return best(accounts.map((account) => fromAccount[account.status] ?? 'inactive'));
  return best(records.map((record) => fromMachine[record.status] ?? 'inactive'));
}

/** Returns the users of the lifecycle authority. Sources of equal precedence decide together. */
function decidingUsers(users: readonly RecordState[], rankOf: Ranking): readonly RecordState[] {
  const listed = users.filter((user) => !isTombstone(user));
  const ranked = (listed.length > 0 ? listed : users).map((user) => ({
    user,
    rank: rankOf(user.connectorId, 'status'),
  }));
  const first = Math.min(...ranked.map((each) => each.rank));
  return ranked.filter((each) => each.rank === first).map(({ user }) => user);
}

function best(statuses: readonly PersonStatus[]): PersonStatus {
  return statusRank.find((status) => statuses.includes(status)) ?? 'deleted';
}
