import type { RecordKind } from '@idsync/contracts';

type AccountState = 'active' | 'disabled' | 'locked';

/** The status of each record kind for each account state. */
const statuses: Record<RecordKind, Record<AccountState, string>> = {
  user: { active: 'active', disabled: 'inactive', locked: 'suspended' },
  account: { active: 'active', disabled: 'disabled', locked: 'locked' },
  // A machine that cannot sign in for any reason is disabled.
  machine_identity: { active: 'active', disabled: 'disabled', locked: 'disabled' },
};

/** The attributes that determine the account state in any directory. */
export const stateAttributes = [
  'userAccountControl',
  'msDS-User-Account-Control-Computed',
  'accountExpires',
  'pwdAccountLockedTime',
  'nsAccountLock',
];

const disabledFlag = 0x2;
const lockedFlag = 0x10;
const epochOfWindowsMs = 11_644_473_600_000n;
/** Represents "never". */
const never = 0x7fff_ffff_ffff_ffffn;

/** Returns the status of an LDAP entry. `now` is the time of the directory, to which the account expiry is compared. */
export function statusOf(kind: RecordKind, first: (attribute: string) => string | undefined, now: Date): string {
  return statuses[kind][accountStateOf(first, now)];
}

function accountStateOf(first: (attribute: string) => string | undefined, now: Date): AccountState {
  const flags = Number(first('userAccountControl') ?? 0);
  const computed = Number(first('msDS-User-Account-Control-Computed') ?? 0);
  const expires = first('accountExpires') ?? '';
  if (flags & disabledFlag || hasExpired(expires, now) || /^true$/i.test(first('nsAccountLock') ?? ''))
    return 'disabled';
  // Only the computed flags show an expired lock, because lockoutTime remains until the next sign-in.
  if (computed & lockedFlag || first('pwdAccountLockedTime') !== undefined) return 'locked';
  return 'active';
}

function hasExpired(fileTime: string, now: Date): boolean {
  if (!/^\d{1,19}$/.test(fileTime)) return false;
  const time = BigInt(fileTime);
  return time !== 0n && time !== never && time / 10_000n - epochOfWindowsMs <= BigInt(now.getTime());
}
