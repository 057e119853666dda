import { isSecretLdapAttribute, secretRefused } from '@idsync/contracts';
import {
  AndFilter,
  type EqualityFilter,
  ExtensibleFilter,
  type Filter,
  FilterParser,
  NotFilter,
  OrFilter,
  PresenceFilter,
} from 'ldapts';
import { SourceError } from '../connector.js';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses a filter (RFC 4515) of the field `name`. Rejects comparisons of secrets, because the results would reveal
 * them.
 */
export function parseFilter(text: string, name = 'filter'): Filter {
  const filter = parsed(text, name);
  const secret = comparedIn(filter).find(isSecretLdapAttribute);
  if (secret !== undefined) throw new SourceError(`${name}: ${secretRefused(secret)}; (${secret}=*) is allowed`);
  return filter;
}

function parsed(text: string, name: string): Filter {
  try {
    return FilterParser.parseString(text.replace(/(?:\\[89a-f][0-9a-f])+/gi, unescaped));
  } catch (cause) {
    throw new SourceError(`${name} is not a valid LDAP filter`, { code: 'misconfigured', cause });
  }
}

/** Returns the attributes whose values the filter compares. */
function comparedIn(filter: Filter): string[] {
  if (filter instanceof AndFilter || filter instanceof OrFilter) return filter.filters.flatMap(comparedIn);
  if (filter instanceof NotFilter) return comparedIn(filter.filter);
  if (filter instanceof PresenceFilter) return [];
  if (filter instanceof ExtensibleFilter) return [filter.matchType];
  return [(filter as EqualityFilter).attribute];
}

/**
 * Decodes escaped UTF-8, because the library reads each escaped byte as a character, so that `\c3\a9` would match
 * nothing.
 */
function unescaped(bytes: string): string {
  return utf8.decode(Buffer.from(bytes.replaceAll('\\', ''), 'hex'));
}
