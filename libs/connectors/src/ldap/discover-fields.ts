import { isSecretLdapAttribute, ldapVirtualNames } from '@idsync/contracts';
import type { SourceField } from '../connector.js';
import { SeenFields } from '../seen-fields.js';
import type { DirectoryServer } from './directory-server.js';
import { textsOf } from './entry-values.js';
import { completeRanges } from './fetch-entries.js';
import type { LdapSession } from './ldap-session.js';
import { type Listing, listEntries } from './list-entries.js';

const sampled = 100;
const operational = { active_directory: ['*', 'memberOf'], ldap: ['*', '+'] };

/** The attributes of the first entries, under the names that a mapping can use. */
export async function discoverFields(
  session: LdapSession,
  listing: Listing,
  { kind }: DirectoryServer,
): Promise<SourceField[]> {
  const fields = new SeenFields(isSecretLdapAttribute);
  for (const name of ldapVirtualNames) fields.see(name);
  for await (const entries of listEntries(session, listing, operational[kind], sampled)) {
    for (const entry of entries) {
      await completeRanges(session, entry);
      fields.see('dn', [entry.dn]);
      for (const sent of entry.names) {
        const [name = ''] = sent.split(';range=', 1);
        if (!isSecretLdapAttribute(name)) fields.see(name, textsOf(entry, name));
      }
    }
    break;
  }
  return fields.list().sort((a, b) => (a.name < b.name ? -1 : 1));
}
