import { encodeId, recordIds } from '@idsync/contracts';
import type { LinkEvidence } from '@idsync/database/directory';
import type { RecordChange } from './record-change.js';

interface DescribedEvidence {
  /** For operators. */
  reason?: string;
  evidence?: object;
}

/** Returns the evidence of a record's link as events show it: without values, which would outlive an erasure. */
export function describeEvidence({ record }: RecordChange): DescribedEvidence {
  const { evidence } = record;
  if (!evidence) return {};
  const { kind, rule, score, record_id: otherId } = evidence;
  return {
    reason: reasonOf(evidence),
    evidence: {
      kind,
      ...(rule !== undefined && { rule }),
      ...(score !== undefined && { score }),
      record_id: encodeId(recordIds[record.kind], record.id),
      ...(otherId !== undefined && { other_record_id: encodeId('user', otherId) }),
    },
  };
}

/** Returns the evidence by which two identities became one: the link between a record of each. */
export function describeMerge(records: readonly RecordChange[], mergedId: string, intoId: string): DescribedEvidence {
  const moved = records.filter(({ record, before }) => before?.identityId === mergedId && record.identityId === intoId);
  const ids = new Set(moved.map(({ record }) => record.id));
  const deciding = moved.find(({ record: { evidence }, before }) => {
    if (!evidence || evidence === before?.evidence) return false;
    return evidence.record_id === undefined ? evidence.kind === 'operator' : !ids.has(evidence.record_id);
  });
  return deciding ? describeEvidence(deciding) : {};
}

function reasonOf({ kind, rule }: LinkEvidence): string {
  if (kind === 'keys') return `${rule} is the same`;
  if (kind === 'fuzzy') return `fuzzy rule: ${rule}`;
  return kind === 'operator' ? 'decided by an operator' : 'first record of the identity';
}
