import { decodeId } from '@idsync/contracts';
import type { Filter } from 'scim2-parse-filter';
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

/** Throws a 400 for an invalid filter, or one that no index answers. */
export function readCriteria(kind: 'User' | 'Group', text: string | undefined): Criteria {
  const parts = conditionsOf(text);
  const criteria: Criteria = {};
  for (const part of parts) {
    const found = kind === 'User' ? userCriterion(part) : groupCriterion(part);
    const isRepeated = found && Object.keys(found).some((name) => name in criteria);
    if (!found || isRepeated) throw refused('invalidFilter', `filter may have ${supported[kind]}, each once`);
    Object.assign(criteria, found);
  }
  const alone = criteria.id !== undefined || kind === 'Group';
  if (alone && parts.length > 1) throw refused('invalidFilter', `filter may have ${supported[kind]}; id only alone`);
  return criteria;
}

function userCriterion(filter: Filter): Criteria | undefined {
  const { name, op, value } = comparisonOf(filter) ?? {};
  if (name === 'meta.lastmodified') return sinceOf(op, value);
  if (op !== 'eq') return undefined;
  if (name === 'active') return value === true ? { active: true } : undefined;
  if (typeof value !== 'string') return undefined;
  switch (name) {
    case 'id':
      return { id: decodeId('user', value) ?? '' };
    case 'username':
      return { userName: value };
    case 'emails':
    case 'emails.value':
      return { email: value };
    case 'externalid':
      return { externalId: value };
    case 'groups':
    case 'groups.value':
      return { groupId: decodeId('group', value) ?? '' };
    default:
      return undefined;
  }
}

function groupCriterion(filter: Filter): Criteria | undefined {
  const { name, op, value } = comparisonOf(filter) ?? {};
  if (op !== 'eq' || typeof value !== 'string') return undefined;
  if (name === 'id') return { id: decodeId('group', value) ?? '' };
  return name === 'displayname' ? { displayName: value } : undefined;
}

/** Times have milliseconds, so later than a time is from the next millisecond on. */
function sinceOf(op: string | undefined, value: unknown): Criteria | undefined {
  if ((op !== 'gt' && op !== 'ge') || typeof value !== 'string') return undefined;
  const time = /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) throw refused('invalidFilter', 'meta.lastModified must be compared with a date-time');
  return { since: new Date(op === 'gt' ? time + 1 : time) };
}
