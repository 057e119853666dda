import type { PersonStatus } from '@idsync/contracts';

interface RecordState {
  kind: 'user' | 'account' | 'machine_identity';
  status: string;
}

/** Best first. */
const rank: readonly PersonStatus[] = ['active', 'pending', 'suspended', 'inactive', 'deleted'];

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

/** An identity is as alive as the best of its users, or of its accounts if it has none, or else of its machines. */
export function deriveIdentityStatus(records: readonly RecordState[]): PersonStatus {
  const users = records.filter((record) => record.kind === 'user');
  if (users.length > 0) return best(users.map((user) => user.status as PersonStatus));
  const accounts = records.filter((record) => record.kind === 'account');
  if (accounts.length > 0) return best(accounts.map((account) => fromAccount[account.status] ?? 'inactive'));
  return best(records.map((record) => fromMachine[record.status] ?? 'inactive'));
}

function best(statuses: readonly PersonStatus[]): PersonStatus {
  return rank.find((status) => statuses.includes(status)) ?? 'deleted';
}
