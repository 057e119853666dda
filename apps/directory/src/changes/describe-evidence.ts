import { encodeId, recordIds } from '@idsync/contracts';
import type { LinkEvidence } from '@idsync/database/directory';
import type { RecordChange } from './record-change.js';

interface DescribedEvidence {
  /** For operators. */
  reason?: string;
  evidence?: object;
}

/** Returns the evidence of a record's link as events show it: without values, which would outlive an erasure. */
export function describeEvidence({ record }: Pick<RecordChange, 'record'>): DescribedEvidence {
  const { evidence } = record;
  if (!evidence) return {};
  const { kind, rule, score, record_id: otherId } = evidence;
  return {
    reason: reasonOf(evidence),
    evidence: {
      kind,
      rule,
      score,
      record_id: encodeId(recordIds[record.kind], record.id),
      other_record_id: otherId && encodeId('user', otherId),
    },
  };
}

/** Returns the evidence by which two identities became one: the link between a record of each. */
export function describeMerge(records: readonly RecordChange[], mergedId: string, intoId: string): DescribedEvidence {
  const { moved, namesOther } = movedBetween(records, mergedId, intoId);
  const deciding = moved.find(({ record: { evidence }, before }) => {
    if (!evidence || evidence === before?.evidence) return false;
    return evidence.record_id === undefined ? evidence.kind === 'operator' : namesOther(evidence);
  });
  return deciding ? describeEvidence(deciding) : {};
}

/** Returns the changes that move records from an identity to another, and whether evidence names none of these records. */
export function movedBetween(records: readonly RecordChange[], fromId: string, toId: string) {
  const moved = records.filter(({ record, before }) => before?.identityId === fromId && record.identityId === toId);
  const ids = new Set(moved.map(({ record }) => record.id));
  const namesOther = (evidence: LinkEvidence | undefined): boolean =>
    evidence?.record_id !== undefined && !ids.has(evidence.record_id);
  return { moved, namesOther };
}

function reasonOf({ kind, rule }: LinkEvidence): string {
  if (kind === 'keys') return `${rule} is the same`;
  if (kind === 'fuzzy') return `fuzzy rule: ${rule}`;
  return kind === 'operator' ? 'decided by an operator' : 'first record of the identity';
}
