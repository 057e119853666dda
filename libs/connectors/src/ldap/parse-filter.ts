import { type Filter, FilterParser } from 'ldapts';
import { SourceError } from '../connector.js';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A filter of the configuration (RFC 4515), which is called `name` there. */
export function parseFilter(text: string, name = 'filter'): Filter {
  try {
    return FilterParser.parseString(text.replace(/(?:\\[89a-f][0-9a-f])+/gi, unescaped));
  } catch (cause) {
    throw new SourceError(`${name} is not an LDAP filter of text`, { cause });
  }
}

/** The library takes each escaped byte for a character: `\c3\a9` would be two, and match nobody. */
function unescaped(bytes: string): string {
  return utf8.decode(Buffer.from(bytes.replaceAll('\\', ''), 'hex'));
}
