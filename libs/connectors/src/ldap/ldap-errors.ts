import type { SourceErrorCode } from '@idsync/contracts';
import { SourceError } from '../connector.js';
import { type Anchor, keyOf, nameOfAnchor } from './entry-values.js';
import type { LdapEntry, LdapResult } from './ldap-messages.js';

export const resultCodes = {
  success: 0,
  referral: 10,
  noSuchObject: 32,
  invalidDn: 34,
  noAccess: 50,
  busy: 51,
  unavailable: 52,
} as const;

/** The directory rejected an operation. */
export class LdapRefusal extends SourceError {
  readonly result: number;

  constructor(message: string, { result, said }: { result: number; said: string }) {
    super(message, {
      code: meanings[result]?.[0] ?? 'refused',
      transient: result === resultCodes.busy || result === resultCodes.unavailable,
      ...(said !== '' && { said }),
    });
    this.result = result;
  }
}

const meanings: Readonly<Record<number, readonly [SourceErrorCode, string]>> = {
  3: ['timed_out', 'the search reached the time limit of the directory'],
  4: ['incomplete', 'the search reached the size limit of the directory for this account, which has to be raised'],
  7: ['auth_failed', 'the directory does not support a bind with a password'],
  8: ['auth_failed', 'the directory requires an encrypted connection'],
  10: ['refused', 'the directory returned a referral to another server, which is not followed'],
  11: ['refused', 'the search exceeds an administrative limit of the directory'],
  12: ['refused', 'the directory does not support a control that is needed for a complete read'],
  13: ['auth_failed', 'the directory requires an encrypted connection'],
  32: ['not_found', 'the entry does not exist, or this account may not see it'],
  34: ['misconfigured', 'a DN has an invalid syntax'],
  48: ['auth_failed', 'the directory does not allow this account to bind with a password'],
  49: ['auth_failed', 'the directory rejected bind_dn or bind_password'],
  50: ['forbidden', 'the directory does not allow this account to read there'],
  51: ['unavailable', 'the directory is busy'],
  52: ['unavailable', 'the directory is not available'],
  53: ['refused', 'the directory is unwilling to perform the operation'],
};

/** Returns the key of an entry. Throws SourceError if it has none. */
export function requireKey(entry: LdapEntry, anchor: Anchor): string {
  const key = keyOf(entry, anchor);
  if (key !== undefined) return key;
  const message = `an entry has no ${nameOfAnchor(anchor)} that this account can read`;
  throw new SourceError(message, { code: 'forbidden', said: entry.dn });
}

/** Reasons for a failed bind by the number in the error text of Active Directory. */
const adReasons: Readonly<Record<string, string>> = {
  '525': 'the account does not exist',
  '52e': 'the password is wrong',
  '530': 'the account may not sign in at this time',
  '531': 'the account may not sign in from this host',
  '532': 'the password has expired',
  '533': 'the account is disabled',
  '701': 'the account has expired',
  '773': 'the password has to be changed',
  '775': 'the account is locked',
};

/** Creates the error for a result code. `entry` is the affected DN, if the directory named it. */
export function refusal({ code, text }: LdapResult, what: string, entry?: string): LdapRefusal {
  const reason = code === 49 ? adReasons[/\bdata ([0-9a-f]{3}),/i.exec(text)?.[1]?.toLowerCase() ?? ''] : undefined;
  const meaning = meanings[code]?.[1] ?? 'the directory rejected the operation';
  const name = [resultName(code), reason].filter((part) => part !== undefined).join(': ');
  const said = [entry, text].filter((part) => part !== undefined && part !== '').join(': ');
  return new LdapRefusal(`${what}: ${meaning} (${name})`, { result: code, said });
}

/** Result codes of RFC 4511, 4.1.9, and later additions. */
const names: Readonly<Record<number, string>> = {
  1: 'operationsError',
  2: 'protocolError',
  3: 'timeLimitExceeded',
  4: 'sizeLimitExceeded',
  7: 'authMethodNotSupported',
  8: 'strongerAuthRequired',
  10: 'referral',
  11: 'adminLimitExceeded',
  12: 'unavailableCriticalExtension',
  13: 'confidentialityRequired',
  14: 'saslBindInProgress',
  16: 'noSuchAttribute',
  17: 'undefinedAttributeType',
  18: 'inappropriateMatching',
  19: 'constraintViolation',
  21: 'invalidAttributeSyntax',
  32: 'noSuchObject',
  33: 'aliasProblem',
  34: 'invalidDNSyntax',
  36: 'aliasDereferencingProblem',
  48: 'inappropriateAuthentication',
  49: 'invalidCredentials',
  50: 'insufficientAccessRights',
  51: 'busy',
  52: 'unavailable',
  53: 'unwillingToPerform',
  54: 'loopDetect',
  80: 'other',
  118: 'canceled',
};

/** A result of LDAP by its number and, if it is a known one, its name. */
export function resultName(code: number): string {
  const name = names[code];
  return name === undefined ? `result ${code}` : `${code} ${name}`;
}
