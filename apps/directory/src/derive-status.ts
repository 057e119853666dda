import { decidingUsers, type PersonStatus, type RankedUser, statusRank } from '@idsync/contracts';
import type { StoredRecord } from '@idsync/database/directory';
import { isTombstone } from './matching/record-keys.js';
import type { Precedence } from './rank-sources.js';

type RecordState = Pick<StoredRecord, 'kind' | 'status' | 'connectorId' | 'contentHash'>;

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
 * Returns the status that the lifecycle authority gives, its best status if it lists several users. Without users: the
 * best status of the accounts, else of the machines. `before` is the identity before the change.
 */
export function deriveIdentityStatus(
  records: readonly RecordState[],
  precedence: Precedence,
  before?: { document: string | null },
): PersonStatus {
  const [first] = records;
  // Most people of an import.
  if (records.length === 1 && first?.kind === 'user') return first.status as PersonStatus;
  const users = records.filter((record) => record.kind === 'user');
  if (users.length > 0) {
    const listed = users.filter((user) => !isTombstone(user));
    const ranked = (listed.length > 0 ? listed : users).map((user) => rankedUser(user, precedence));
    return best(decidingUsers(ranked).map(({ status }) => status as PersonStatus));
  }
  const accounts = records.filter((record) => record.kind === 'account');
  if (accounts.length > 0 && before?.document && isLeaverWithAccount(before.document)) return 'deleted';
  if (accounts.length > 0) return best(accounts.map((account) => fromAccount[account.status] ?? 'inactive'));
  return best(records.map((record) => fromMachine[record.status] ?? 'inactive'));
}

/** No account revives a person: the status of this one is not that of its accounts, also when its users are purged. */
function isLeaverWithAccount(document: string): boolean {
  const { status, accounts } = JSON.parse(document) as { status: string; accounts: { status: string }[] };
  return status === 'deleted' && accounts.some((account) => account.status !== 'deleted');
}

/** Returns what decides between users of a person. */
export function rankedUser(
  { connectorId, status }: Pick<StoredRecord, 'connectorId' | 'status'>,
  { rankOf, connectors }: Precedence,
): RankedUser {
  return {
    status,
    statusRank: rankOf(connectorId, 'status'),
    isEmployment: connectors.get(connectorId)?.employments ?? false,
  };
}

function best(statuses: readonly PersonStatus[]): PersonStatus {
  return statusRank.find((status) => statuses.includes(status)) ?? 'deleted';
}
