import { isSecretLdapAttribute, ldapVirtualNames } from '@idsync/contracts';
import type { SourceField } from '../connector.js';
import { FieldSamples } from '../field-samples.js';
import type { DirectoryServer } from './directory-server.js';
import { textsOf } from './entry-values.js';
import { completeRanges } from './fetch-entries.js';
import type { LdapSession } from './ldap-session.js';
import { type Listing, listEntries } from './list-entries.js';

const sampled = 100;
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
  for await (const entries of listEntries(session, { ...listing, namesOnly: true }, operational[kind], sampled)) {
    for (const entry of entries) for (const sent of entry.names) names.add(sent.split(';range=', 1)[0] ?? '');
    break;
  }
  const readable = [...names].filter((name) => !isSecretLdapAttribute(name));
  // Without any name the server would return all attributes.
  for await (const entries of listEntries(session, listing, readable.length > 0 ? readable : ['1.1'], sampled)) {
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
