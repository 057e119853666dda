import { isSecretLdapAttribute, ldapVirtualNames } from '@idsync/contracts';
import type { SourceField } from '../connector.js';
import type { DirectoryServer } from './directory-server.js';
import { textsOf } from './entry-values.js';
import { completeRanges } from './fetch-entries.js';
import type { LdapSession } from './ldap-session.js';
import { type Listing, listEntries } from './list-entries.js';

const sampled = 100;
const examplesPerField = 3;
const exampleLength = 60;
const operational = { active_directory: ['*', 'memberOf'], ldap: ['*', '+'] };

/** The attributes of the first entries, under the names that a mapping can use. */
export async function discoverFields(
  session: LdapSession,
  listing: Listing,
  { kind }: DirectoryServer,
): Promise<SourceField[]> {
  const examples = new Map<string, Set<string>>(ldapVirtualNames.map((name) => [name, new Set()]));
  for await (const entries of listEntries(session, listing, operational[kind], sampled)) {
    for (const entry of entries) {
      await completeRanges(session, entry);
      examples.get('dn')?.add(entry.dn);
      for (const sent of entry.names) {
        const [name = ''] = sent.split(';range=', 1);
        if (isSecretLdapAttribute(name)) continue;
        const seen = examples.get(name) ?? new Set();
        examples.set(name, seen);
        for (const text of textsOf(entry, name) ?? []) if (seen.size < examplesPerField) seen.add(shortened(text));
      }
    }
    break;
  }
  const fields = [...examples].map(([name, seen]) => ({ name, examples: [...seen].slice(0, examplesPerField) }));
  return fields.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function shortened(text: string): string {
  return text.length > exampleLength ? `${text.slice(0, exampleLength)}…` : text;
}
