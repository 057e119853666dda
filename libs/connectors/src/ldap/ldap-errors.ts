import { SourceError } from '../connector.js';
import type { LdapResult } from './ldap-messages.js';

export const resultCodes = { success: 0, referral: 10, noSuchObject: 32, invalidDn: 34, noAccess: 50 } as const;

/** What a server says of an operation it did not do. */
export class LdapRefusal extends SourceError {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

const meanings: Readonly<Record<number, string>> = {
  3: 'the directory gave up: the search took longer than it allows',
  4: 'the directory returns no more entries to this account (size limit exceeded): its limit has to be raised for it',
  7: 'the directory does not allow to sign in with a password',
  8: 'the directory demands an encrypted connection',
  10: 'the directory refers to another server, which is not followed',
  11: 'the directory gave up: the search goes beyond what its administrators allow',
  12: 'the directory does not know a control that is needed to read it completely',
  13: 'the directory demands an encrypted connection',
  32: 'the entry does not exist, or this account may not see it',
  34: 'a DN is not written as one',
  48: 'the directory does not let this account sign in with a password',
  49: 'the directory refused bind_dn or bind_password',
  50: 'the directory does not allow this account to read there',
  51: 'the directory is busy',
  52: 'the directory is not available',
  53: 'the directory is not willing to answer',
};

/** Why Active Directory refused somebody, by the number it hides in its text. */
const adReasons: Readonly<Record<string, string>> = {
  '525': 'there is no such account',
  '52e': 'the password is wrong',
  '530': 'not at this time',
  '531': 'not from here',
  '532': 'its password has expired',
  '533': 'it is disabled',
  '701': 'it has expired',
  '773': 'its password has to be changed',
  '775': 'it is locked',
};

export function refusal({ code, text }: LdapResult, what: string): LdapRefusal {
  const reason = code === 49 ? adReasons[/\bdata ([0-9a-f]{3}),/i.exec(text)?.[1]?.toLowerCase() ?? ''] : undefined;
  const said = text.replaceAll('\0', '').replace(/\s+/g, ' ').trim().slice(0, 200);
  const meaning = meanings[code] ?? `the directory answered with result ${code}`;
  // What it says of a refused password may be anything, the password too.
  const detail = code === 49 ? reason : said;
  return new LdapRefusal(code, `${what}: ${meaning}${detail ? ` (${detail})` : ''}`);
}
