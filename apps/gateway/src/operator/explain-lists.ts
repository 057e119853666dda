import { recordFields } from '@idsync/contracts';
import type { ExplainedRecord } from '@idsync/database/gateway';
import type { Field, Sources } from './explained-sources.js';

/** Explains departments, roles and groups, which each user of an identity shows for itself. */
export function explainLists(records: readonly ExplainedRecord[], sources: Sources): Field[] {
  const users = records.filter(({ kind }) => kind === 'user');
  return recordFields.user.list.flatMap((field): Field[] => {
    const ranked = users
      .filter(({ fields }) => fields[field] !== undefined)
      .sort((a, b) => rank(a, field, sources) - rank(b, field, sources));
    const [first, ...others] = ranked.map((user) =>
      sources.candidate(user, field, user.fields[field]?.join(', ') ?? ''),
    );
    if (!first) return [];
    const over = others.map((each) => ({ ...each, because: 'shown with its own user; lists are not merged' }));
    const because = over.length > 0 ? 'first by precedence; each user shows its own list' : 'only value';
    return [{ field, winner: first, over, because }];
  });
}

/** Users that a source no longer lists are last. */
function rank({ connectorId, isListed }: ExplainedRecord, field: string, sources: Sources): number {
  return isListed ? sources.rankOf(connectorId, field) : Number.POSITIVE_INFINITY;
}
