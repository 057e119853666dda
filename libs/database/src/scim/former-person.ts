import { createHash } from 'node:crypto';
import { comparedText, essentialWords } from '@idsync/contracts';

/** A pushed resource as stored: without its id, its members and fields that idsync adds. */
export type ScimDocument = Record<string, unknown>;

/** Hashes of a deleted user, which show that its userName is given to another person. */
export interface FormerPerson {
  /** Of the employee number. */
  number?: string;
  /** Of the words of a full name. */
  words?: string[];
}

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

/** Returns the hashes of a user. A value that is missing or cannot be compared by hashes is no sign of another person. */
export function formerPerson(connectorId: string, document: ScimDocument): FormerPerson {
  const hash = (text: string) => createHash('sha256').update(`${connectorId} ${text}`).digest('hex');
  const number = comparedText(textIn(document[enterprise], 'employeeNumber')).toLowerCase();
  const words = latinWords(fullName(document));
  return {
    ...(/[1-9]/.test(number) && { number: hash(`number ${number}`) }),
    ...(words.length >= 2 && { words: words.map(hash) }),
  };
}

function fullName({ name, displayName }: ScimDocument): string {
  const [first, last] = [textIn(name, 'givenName'), textIn(name, 'familyName')];
  return first && last ? `${first} ${last}` : String(displayName ?? textIn(name, 'formatted'));
}

/** Returns no words of a name in another script, which may be the same name. An initial is equal by chance. */
function latinWords(name: string): readonly string[] {
  const text = comparedText(name).normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  if (!/\p{Script=Latin}/u.test(text)) return [];
  return essentialWords(text.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 1));
}

function textIn(value: unknown, name: string): string {
  const text = (value as Record<string, unknown> | undefined)?.[name];
  return typeof text === 'string' ? text : '';
}
