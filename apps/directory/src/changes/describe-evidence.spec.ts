import { encodeId, newUuid } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { describeEvidence, describeMerge } from './describe-evidence.js';
import type { RecordChange } from './record-change.js';

const [merged, into, other] = [newUuid(), newUuid(), newUuid()];
const recordId = newUuid();
const otherRecord = newUuid();

interface Given {
  id?: string;
  from?: string;
  to?: string;
  evidence?: object;
  evidenceBefore?: object;
}

function change({ id = recordId, from = merged, to = into, evidence, evidenceBefore }: Given): RecordChange {
  return {
    record: { id, kind: 'user', identityId: to, evidence },
    before: { id, kind: 'user', identityId: from, evidence: evidenceBefore },
  } as unknown as RecordChange;
}

const byKey = { kind: 'keys', rule: 'email', record_id: otherRecord, values: ['ada@example.org'] };

describe('the evidence of a link in an event', () => {
  it('names both records and the rule, without values', () => {
    expect(describeEvidence(change({ evidence: { ...byKey, score: 0.9 } }))).toEqual({
      reason: 'email is the same',
      evidence: {
        kind: 'keys',
        rule: 'email',
        score: 0.9,
        record_id: encodeId('user', recordId),
        other_record_id: encodeId('user', otherRecord),
      },
    });
  });

  it('has no rule, score or other record if the link has none', () => {
    expect(describeEvidence(change({ evidence: { kind: 'first' } }))).toEqual({
      reason: 'first record of the identity',
      evidence: { kind: 'first', record_id: encodeId('user', recordId) },
    });
  });

  it.each([
    [{ kind: 'fuzzy', rule: 'names' }, 'fuzzy rule: names'],
    [{ kind: 'operator' }, 'decided by an operator'],
  ])('gives the reason of %j', (evidence, reason) => {
    expect(describeEvidence(change({ evidence })).reason).toBe(reason);
  });

  it('is absent without evidence', () => {
    expect(describeEvidence(change({}))).toEqual({});
  });
});

describe('the evidence of a merge', () => {
  const describesOf = (...changes: RecordChange[]) => describeMerge(changes, merged, into).evidence;

  it('is the new link of a moved record to a record that was already there', () => {
    expect(describesOf(change({ evidence: byKey }))).toMatchObject({ rule: 'email' });
  });

  it('is not a link between two moved records', () => {
    const first = change({ evidence: { ...byKey, rule: 'phone' } });
    const second = change({ id: otherRecord, evidence: { ...byKey, record_id: newUuid() } });
    expect(describesOf(first, second)).toMatchObject({ rule: 'email' });
    expect(describesOf(first, change({ id: otherRecord }))).toBeUndefined();
  });

  it('is not evidence that the record had before', () => {
    expect(describesOf(change({ evidence: byKey, evidenceBefore: byKey }))).toBeUndefined();
  });

  it('without another record counts only if an operator decided', () => {
    expect(describesOf(change({ evidence: { kind: 'operator' } }))).toMatchObject({ kind: 'operator' });
    expect(describesOf(change({ evidence: { kind: 'first' } }))).toBeUndefined();
  });

  it('is not that of records which moved from or to another identity', () => {
    expect(describesOf(change({ from: other, evidence: byKey }))).toBeUndefined();
    expect(describesOf(change({ to: other, evidence: byKey }))).toBeUndefined();
    const { record } = change({ evidence: byKey });
    expect(describesOf({ record })).toBeUndefined();
  });
});
