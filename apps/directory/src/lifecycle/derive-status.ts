import { decidingUsers, encodeId, hasLeft, type PersonStatus, type RankedUser, statusRank } from '@idsync/contracts';
import type { StoredRecord } from '@idsync/database/directory';
import { isDeleted, isTombstone } from '../matching/record-keys.js';
import type { Precedence } from './rank-sources.js';

type RecordState = Pick<StoredRecord, 'id' | 'kind' | 'status' | 'connectorId' | 'contentHash'>;

/** How a status is derived: an operation is a decision, and may give access by what remains. */
type Deriving = Precedence & { operationId?: string | undefined };

/** The identity before a change. */
interface Earlier {
  /** Unknown of a merged identity. */
  status?: PersonStatus;
  document: string | null;
}

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
 * best status of the accounts, else of the machines. A user who was active before gives no access to a person who had none.
 */
export function deriveIdentityStatus(
  records: readonly RecordState[],
  deriving: Deriving,
  before?: Earlier,
): PersonStatus {
  const [first] = records;
  const isOne = records.length === 1 && first?.kind === 'user';
  // Most people of an import.
  if (isOne && (!before || before.status === first.status)) return first.status as PersonStatus;
  const users = isOne ? records : records.filter((record) => record.kind === 'user');
  if (users.length > 0) {
    const listed = users.filter((user) => !isTombstone(user));
    const ranked = (listed.length > 0 ? listed : users).map((user) => rankedUser(user, deriving));
    const status = best(decidingUsers(ranked).map((user) => user.status as PersonStatus));
    return statusWithoutAccess(status, { users, listed }, deriving, before) ?? status;
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

/** Statuses by the access that they give. */
const accessOf: Readonly<Record<string, number>> = { active: 2, suspended: 1 };

/**
 * Returns the status that a person keeps who would get access only because a record is gone: the users that are listed
 * now gave none before. By an operation only a person whose sources all listed an active user before keeps it.
 */
function statusWithoutAccess(
  to: PersonStatus,
  { users, listed }: Record<'users' | 'listed', readonly RecordState[]>,
  { operationId }: Deriving,
  before: Earlier | undefined,
): PersonStatus | undefined {
  const gains = (from: PersonStatus) => (accessOf[to] ?? 0) > (accessOf[from] ?? 0);
  if (!before?.document || (before.status && !gains(before.status))) return undefined;
  const earlier = JSON.parse(before.document) as { status: PersonStatus; users: { id: string; status: string }[] };
  if (!gains(earlier.status)) return undefined;
  const statuses = new Map(earlier.users.map(({ id, status }) => [id, status]));
  const was = ({ id }: RecordState) => statuses.get(encodeId('user', id));
  const givesAccess = (user: RecordState) => was(user) !== 'active' && was(user) !== user.status && !hasLeft(user);
  if (listed.some(givesAccess)) return undefined;
  // A record that belongs to another person now says nothing about this one.
  const own = new Set(users.map(({ id }) => encodeId('user', id)));
  const others = earlier.users.filter(({ status }) => status !== 'active' && !isDeleted({ status }));
  if (others.some(({ id }) => !own.has(id))) return undefined;
  const active = new Set(users.flatMap((user) => (was(user) === 'active' ? user.connectorId : [])));
  const isOfAnother = (user: RecordState) =>
    !active.has(user.connectorId) && !isDeleted({ status: was(user) ?? 'deleted' });
  return operationId !== undefined && users.some(isOfAnother) ? undefined : earlier.status;
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
