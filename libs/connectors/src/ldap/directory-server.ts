import { parseDate } from '@idsync/contracts';
import { PresenceFilter } from 'ldapts';
import { type Anchor, firstText, textsOf } from './entry-values.js';
import { refusal, resultCodes } from './ldap-errors.js';
import type { LdapEntry } from './ldap-messages.js';
import type { LdapSession } from './ldap-session.js';

export interface DirectoryServer {
  kind: 'active_directory' | 'ldap';
  /** Returns the naming context of an entry; undefined if the server does not report it. */
  contextOf(dn: string): string | undefined;
  /** The time of the server, or the local time if it does not report one. */
  now: Date;
  /** Whether it is 389 Directory Server, which has roles and `nsUniqueId`. */
  is389?: boolean;
  /** The database of a domain controller and its highest update sequence number. */
  replica?: { invocationId: string; highestUsn: bigint };
}

/** The `vendorName` of 389 Directory Server, of Red Hat Directory Server and of FreeIPA. */
const vendor389 = '389 Project';
const activeDirectory = '1.2.840.113556.1.4.800';
const everything = new PresenceFilter({ attribute: 'objectClass' });
const nothing: LdapEntry = { dn: '', values: new Map(), names: [] };

/** Returns the attributes that identify entries if none is configured. */
export function defaultAnchor({ kind, is389 }: DirectoryServer): Anchor {
  if (kind === 'active_directory') return ['objectGUID'];
  // Entries from before version 1.4.4 have no entryUUID until its fix-up task has run.
  return is389 ? ['entryUUID', 'nsUniqueId'] : ['entryUUID'];
}

export async function describeServer(session: LdapSession): Promise<DirectoryServer> {
  const ofControllers = ['supportedCapabilities', 'currentTime', 'dsServiceName', 'highestCommittedUSN'];
  const root = (await readOne(session, '', ['namingContexts', 'vendorName', ...ofControllers])) ?? nothing;
  const isActiveDirectory = textsOf(root, 'supportedCapabilities')?.includes(activeDirectory);
  const time = firstText(root, 'currentTime');
  const contexts = textsOf(root, 'namingContexts') ?? [];
  const replica = isActiveDirectory ? await replicaOf(session, root) : undefined;
  return {
    kind: isActiveDirectory ? 'active_directory' : 'ldap',
    is389: firstText(root, 'vendorName') === vendor389,
    contextOf: (dn) => longestAbove(contexts, dn),
    now: new Date((time && parseDate(time)) ?? Date.now()),
    replica,
  };
}

async function replicaOf(session: LdapSession, root: LdapEntry): Promise<DirectoryServer['replica']> {
  const [service, usn] = [firstText(root, 'dsServiceName'), firstText(root, 'highestCommittedUSN')];
  if (service === undefined || usn === undefined || !/^\d{1,19}$/.test(usn)) return undefined;
  const settings = await readOne(session, service, ['invocationId']);
  const invocationId = settings?.values.get('invocationid')?.[0]?.toString('hex');
  return invocationId === undefined ? undefined : { invocationId, highestUsn: BigInt(usn) };
}

/** Reads an entry by DN; undefined if it does not exist or is not visible. */
async function readOne(session: LdapSession, dn: string, attributes: string[]): Promise<LdapEntry | undefined> {
  const search = { base: dn, scope: 'base', filter: everything, attributes, limit: 1 } as const;
  const { entries, result } = await session.search(search);
  const { success, noSuchObject, noAccess } = resultCodes;
  if ([success, noSuchObject, noAccess].some((code) => code === result.code)) return entries[0];
  throw refusal(result, 'reading the root DSE');
}

function longestAbove(contexts: readonly string[], dn: string): string | undefined {
  const canonical = (name: string) => {
    const parts = name.toLowerCase().split(/([,=])/);
    return parts.map((part) => part.trim()).join('');
  };
  return contexts
    .filter((context) => context !== '' && `,${canonical(dn)}`.endsWith(`,${canonical(context)}`))
    .sort((a, b) => b.length - a.length)[0];
}
