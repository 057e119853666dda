import type { RecordKind } from '@idsync/contracts';

type Standing = 'active' | 'disabled' | 'locked';

/** How the standing of an account in a directory is called on a record of each kind. */
const statuses: Record<RecordKind, Record<Standing, string>> = {
  user: { active: 'active', disabled: 'inactive', locked: 'suspended' },
  account: { active: 'active', disabled: 'disabled', locked: 'locked' },
  // Who cannot sign in does no work, whatever the reason.
  machine_identity: { active: 'active', disabled: 'disabled', locked: 'disabled' },
};

/** What a standing is read of, in whatever directory. */
export const standingAttributes = [
  'userAccountControl',
  'msDS-User-Account-Control-Computed',
  'accountExpires',
  'pwdAccountLockedTime',
  'nsAccountLock',
];

const disabledFlag = 0x2;
const lockedFlag = 0x10;
const epochOfWindowsMs = 11_644_473_600_000n;
/** All bits: never. */
const never = 0x7fff_ffff_ffff_ffffn;

/** `now` is the time of the directory, for accounts that expire. */
export function statusOf(kind: RecordKind, first: (attribute: string) => string | undefined, now: Date): string {
  return statuses[kind][standingOf(first, now)];
}

function standingOf(first: (attribute: string) => string | undefined, now: Date): Standing {
  const flags = Number(first('userAccountControl') ?? 0);
  const computed = Number(first('msDS-User-Account-Control-Computed') ?? 0);
  const expires = first('accountExpires') ?? '';
  if (flags & disabledFlag || hasExpired(expires, now) || /^true$/i.test(first('nsAccountLock') ?? ''))
    return 'disabled';
  // Only the computed flags know that a lock is over; lockoutTime stays until somebody signs in.
  if (computed & lockedFlag || first('pwdAccountLockedTime') !== undefined) return 'locked';
  return 'active';
}

function hasExpired(fileTime: string, now: Date): boolean {
  if (!/^\d{1,19}$/.test(fileTime)) return false;
  const time = BigInt(fileTime);
  return time !== 0n && time !== never && time / 10_000n - epochOfWindowsMs <= BigInt(now.getTime());
}
