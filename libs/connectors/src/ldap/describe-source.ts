import { isSecretLdapAttribute, ldapMappings, ldapVirtualNames } from '@idsync/contracts';
import type { Filter } from 'ldapts';
import type { SourceDescription, SourceField } from '../connector.js';
import { FieldSamples } from '../field-samples.js';
import { sourceNames } from '../transform.js';
import { stateAttributes } from './account-state.js';
import { type DirectoryServer, defaultAnchor } from './directory-server.js';
import { firstText, textsOf } from './entry-values.js';
import { completeRanges, inParallel, readEntry } from './fetch-entries.js';
import { LdapRefusal } from './ldap-errors.js';
import type { LdapEntry } from './ldap-messages.js';
import type { LdapSession, LdapSettings } from './ldap-session.js';
import { type Listing, listEntries } from './list-entries.js';
import { parseFilter } from './parse-filter.js';
import { listingOf } from './reading.js';

/** Number of entries that a test reads, because the directory may have millions. */
const sampled = 500;

/** Entries that may be people, independently of the configured filter. */
const people = {
  active_directory: parseFilter('(&(objectCategory=person)(objectClass=user))'),
  ldap: parseFilter(
    '(|(objectClass=person)(objectClass=inetOrgPerson)(objectClass=nsPerson)(objectClass=posixAccount))',
  ),
};

/** Reports what a read would not see, from the first entries of the directory. */
export async function describeSource(
  session: LdapSession,
  settings: LdapSettings,
  server: DirectoryServer,
): Promise<SourceDescription> {
  const listing = listingOf(settings, server);
  const { config, records } = settings;
  const anchor = config.anchor === undefined ? defaultAnchor(server) : [config.anchor];
  const locks = mappedLocks(settings, server);
  const entries = await firstEntries(session, listing, [...new Set([...anchor, ...locks])]);
  const warnings = [lockWarning(entries, locks), anchorWarning(entries, anchor), tombstoneWarning(settings, server)];
  if (records !== 'machine_identity') warnings.push(await filterWarning(session, listing, people[server.kind]));
  return { warnings: warnings.flatMap((warning) => warning ?? []) };
}

/** Returns the attributes of the mapping that show that a person is disabled or locked. */
function mappedLocks({ config, records }: LdapSettings, { kind }: DirectoryServer): string[] {
  const fields = config.fields ?? ldapMappings[kind][records].fields;
  const names = sourceNames({ external_id: 'dn', fields }).map((name) => name.trim().toLowerCase());
  if (names.includes('@status')) return stateAttributes;
  return stateAttributes.filter((attribute) => names.includes(attribute.toLowerCase()));
}

function lockWarning(entries: readonly LdapEntry[], locks: readonly string[]): string | undefined {
  const isReadable = entries.some((entry) => locks.some((attribute) => firstText(entry, attribute) !== undefined));
  if (locks.length === 0 || entries.length === 0 || isReadable) return undefined;
  return `none of the first ${entries.length} entries has ${locks.join(', ')}: if this account may not read them, people who are locked appear active`;
}

function anchorWarning(entries: readonly LdapEntry[], anchor: readonly string[]): string | undefined {
  const [first = '', second] = anchor;
  const without = entries.filter((entry) => firstText(entry, first) === undefined).length;
  if (second === undefined || without === 0) return undefined;
  return `${without} of the first ${entries.length} entries have no ${first}, so ${second} is their external_id: it changes when they get ${first}, unless anchor is ${second}`;
}

function tombstoneWarning({ config }: LdapSettings, { kind }: DirectoryServer): string | undefined {
  const named = [config.external_id, config.anchor].every((name = 'objectGUID') => /^objectguid$/i.test(name));
  if (!config.deleted_objects || (kind === 'active_directory' && named)) return undefined;
  return 'deleted_objects has no effect, because the server is not Active Directory or external_id is not objectGUID: only full runs detect deletions';
}

/**
 * Reports people outside the filter. Each entry is compared alone, because the negation of a filter does not match an
 * entry for which the server cannot evaluate it.
 */
async function filterWarning(session: LdapSession, listing: Listing, any: Filter): Promise<string | undefined> {
  try {
    const entries = await firstEntries(session, { ...listing, filter: any }, ['1.1']);
    let outside = 0;
    await inParallel(entries, async ({ dn }) => {
      if (!(await readEntry(session, dn, listing.filter, ['1.1']))) outside += 1;
    });
    if (outside === 0) return undefined;
    return `${outside} of the first ${entries.length} people and accounts below ${listing.base} do not match the filter and are not read`;
  } catch (error) {
    if (!(error instanceof LdapRefusal)) throw error;
    return `people outside the filter could not be counted: ${error.message}`;
  }
}

async function firstEntries(session: LdapSession, listing: Listing, attributes: string[]): Promise<LdapEntry[]> {
  const found: LdapEntry[] = [];
  // A page may be empty or smaller than requested.
  for await (const entries of listEntries(session, listing, attributes, sampled)) {
    found.push(...entries);
    if (found.length >= sampled) break;
  }
  return found.slice(0, sampled);
}

const discovered = 100;
const operational = { active_directory: ['*', 'memberOf'], ldap: ['*', '+'] };

/** Discovers the attributes of the first entries. Requests values by name, so that values of secrets are not read. */
export async function discoverFields(
  session: LdapSession,
  listing: Listing,
  { kind }: DirectoryServer,
): Promise<SourceField[]> {
  const fields = new FieldSamples(isSecretLdapAttribute);
  for (const name of ldapVirtualNames) fields.add(name);
  const names = new Set<string>();
  for await (const entries of listEntries(session, { ...listing, namesOnly: true }, operational[kind], discovered)) {
    for (const entry of entries) for (const sent of entry.names) names.add(sent.split(';range=', 1)[0] ?? '');
    break;
  }
  const readable = [...names].filter((name) => !isSecretLdapAttribute(name));
  // Without any name the server would return all attributes.
  for await (const entries of listEntries(session, listing, readable.length > 0 ? readable : ['1.1'], discovered)) {
    for (const entry of entries) {
      await completeRanges(session, entry);
      fields.add('dn', [entry.dn]);
      for (const sent of entry.names) {
        const [name = ''] = sent.split(';range=', 1);
        if (!isSecretLdapAttribute(name)) fields.add(name, textsOf(entry, name));
      }
    }
    break;
  }
  return fields.list().sort((a, b) => (a.name < b.name ? -1 : 1));
}
