import { decodeId } from '@idsync/contracts';
import type { Filter } from '../scim/parse-filter.js';
import { refused } from '../scim/scim-error.js';
import { comparisonOf, conditionsOf } from '../scim/scim-filter.js';

/** A filter as the lists of `/v1` answer it: conditions joined by `and`. */
export interface Criteria {
  id?: string;
  userName?: string;
  email?: string;
  externalId?: string;
  displayName?: string;
  groupId?: string;
  since?: Date;
  active?: true;
}

const supported = {
  User: 'id, userName, emails.value, externalId and groups.value with eq, active eq true, and meta.lastModified with gt or ge, joined by and',
  Group: 'id or displayName with eq',
} as const;

type Kind = keyof typeof supported;
type ReadText = (value: string) => Criteria;

const email: ReadText = (value) => ({ email: value });
const groupId: ReadText = (value) => ({ groupId: decodeId('group', value) ?? '' });
/** Conditions with `eq` and a text, by attribute. */
const equal: Record<Kind, ReadonlyMap<string, ReadText>> = {
  User: new Map<string, ReadText>([
    ['id', (value) => ({ id: decodeId('user', value) ?? '' })],
    ['username', (userName) => ({ userName })],
    ['emails', email],
    ['emails.value', email],
    ['externalid', (externalId) => ({ externalId })],
    ['groups', groupId],
    ['groups.value', groupId],
  ]),
  Group: new Map<string, ReadText>([
    ['id', (value) => ({ id: decodeId('group', value) ?? '' })],
    ['displayname', (displayName) => ({ displayName })],
  ]),
};

/** Throws a 400 for an invalid filter, or one that no index answers. */
export function readCriteria(kind: Kind, text: string | undefined): Criteria {
  const conditions = conditionsOf(text);
  const criteria: Criteria = {};
  for (const condition of conditions) {
    const found = criterionOf(kind, condition);
    const isRepeated = found && Object.keys(found).some((name) => name in criteria);
    if (!found || isRepeated) throw refused('invalidFilter', `filter may have ${supported[kind]}, each once`);
    Object.assign(criteria, found);
  }
  const alone = criteria.id !== undefined || kind === 'Group';
  if (alone && conditions.length > 1)
    throw refused('invalidFilter', `filter may have ${supported[kind]}; id only alone`);
  return criteria;
}

function criterionOf(kind: Kind, condition: Filter): Criteria | undefined {
  const { name = '', op, value } = comparisonOf(condition) ?? {};
  if (kind === 'User' && name === 'meta.lastmodified') return sinceOf(op, value);
  if (op !== 'eq') return undefined;
  if (kind === 'User' && name === 'active' && value === true) return { active: true };
  return typeof value === 'string' ? equal[kind].get(name)?.(value) : undefined;
}

/** Times have milliseconds, so later than a time is from the next millisecond on. */
function sinceOf(op: string | undefined, value: unknown): Criteria | undefined {
  if ((op !== 'gt' && op !== 'ge') || typeof value !== 'string') return undefined;
  const time = /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) throw refused('invalidFilter', 'meta.lastModified must be compared with a date-time');
  return { since: new Date(op === 'gt' ? time + 1 : time) };
}
