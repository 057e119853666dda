import type { LinkEvidence, StoredRecord } from '@idsync/database/directory';
import { describe, expect, it } from '@jest/globals';
import { storedRecord, uuid } from '../../test/stored-record.js';
import { evidenceOfLinks, type LinkedRecord } from './evidence-of-links.js';

const now = new Date('2026-01-02T00:00:00Z');
const [identity, former] = [uuid(100), uuid(200)];

function member(nth: number, email: string, from?: string, parts: Partial<LinkedRecord> = {}): LinkedRecord {
  const record = storedRecord(nth, { fields: { email: [email] }, identityId: identity });
  const before: StoredRecord | undefined = from === undefined ? undefined : { ...record, identityId: from };
  return { record, before, keys: [{ kind: 'email', value: email }], ...parts };
}

function linkedBefore(each: LinkedRecord, evidence: Partial<LinkEvidence>): LinkedRecord {
  const { before = each.record } = each;
  const stored = { kind: 'keys', at: '2026-01-01T00:00:00.000Z', identity_id: before.identityId ?? '', ...evidence };
  return { ...each, before: { ...before, evidence: stored as LinkEvidence } };
}

const evidence = (members: LinkedRecord[], removed: string[] = [], reconsider = false) =>
  evidenceOfLinks(identity, members, new Set(removed), { now, operationId: uuid(900), reconsider });

const shown = (found: ReturnType<typeof evidence>) =>
  [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => [each?.kind, each?.record_id]);

describe('the evidence of the links of an identity', () => {
  it('leads from every record to the first one, through records that share no key with it', () => {
    const middle = member(2, 'a', undefined, {
      keys: [
        { kind: 'email', value: 'a' },
        { kind: 'user_principal_name', value: 'b' },
      ],
    });
    const last = member(3, 'b', undefined, { keys: [{ kind: 'user_principal_name', value: 'b' }] });
    expect(shown(evidence([last, middle, member(1, 'a')]))).toEqual([
      ['first', undefined],
      ['keys', uuid(1)],
      ['keys', uuid(2)],
    ]);
  });

  it('turns a link around if the record that was compared has moved along, with both values', () => {
    const root = linkedBefore(member(1, 'own', identity), { kind: 'first' });
    const first = linkedBefore(member(2, 'x', former), { kind: 'first' });
    const second = linkedBefore(member(3, 'own', former), {
      rule: 'employee_number',
      record_id: uuid(2),
      values: [{ field: 'employee_number', value: '7', other: '07' }],
    });
    const found = evidence([root, first, second]);
    expect(shown(found)).toEqual([
      ['first', undefined],
      ['keys', uuid(3)],
      ['keys', uuid(1)],
    ]);
    expect(found.get(uuid(2))?.values).toEqual([{ field: 'employee_number', value: '07', other: '7' }]);
  });

  it('never makes two records name each other when links are computed again', () => {
    const second = linkedBefore(member(2, 'a', identity), { rule: 'email', record_id: uuid(1) });
    expect(shown(evidence([member(1, 'a', identity), second], [], true))).toEqual([
      ['first', undefined],
      ['keys', uuid(1)],
    ]);
  });

  it('stays as it was after a value has changed, until links are computed again by other rules', () => {
    const first = linkedBefore(member(1, 'a', identity), { kind: 'first' });
    const second = linkedBefore(member(2, 'b', identity), { rule: 'email', record_id: uuid(1) });
    const made = second.before?.evidence;
    expect(evidence([first, second]).get(uuid(2))).toEqual(made);
    expect(evidence([first, second], [], true).get(uuid(2))).not.toEqual(made);
    const decided = { ...second, record: { ...second.record, decided: true } };
    expect(evidence([first, decided], [], true).get(uuid(2))).toEqual(made);
    const equal = linkedBefore(member(2, 'a', identity), { rule: 'email', record_id: uuid(1) });
    expect(evidence([first, equal], [], true).get(uuid(2))).toEqual(made);
  });

  it('of a new record is its deciding key, also if a younger record has it and was linked by a former value', () => {
    const login = { kind: 'user_principal_name', value: 'a' } as const;
    const first = linkedBefore(member(1, 'x', identity, { keys: [login] }), { kind: 'first' });
    const added = member(2, 'b', undefined, { keys: [{ kind: 'email', value: 'b' }, login] });
    const younger = linkedBefore(member(3, 'b', identity), { rule: 'user_principal_name', record_id: uuid(1) });
    expect(evidence([first, added, younger]).get(uuid(2))).toMatchObject({ rule: 'email', record_id: uuid(3) });
  });

  it('is a match key without another record if no record of the identity has the key', () => {
    const first = linkedBefore(member(1, 'a', identity), { kind: 'first' });
    expect(shown(evidence([first, member(2, 'b')]))).toEqual([
      ['first', undefined],
      ['keys', undefined],
    ]);
  });

  it('is found for ten thousand moved records without comparing each pair', () => {
    const many = Array.from({ length: 10_000 }, (_, at) => member(at + 2, `m${at}`, former, { placed: true }));
    let reads = 0;
    const counted = many.map((each) => ({
      ...each,
      get placed(): true {
        reads += 1;
        return true;
      },
    }));
    const found = evidence([linkedBefore(member(1, 'a', identity), { kind: 'first' }), ...counted]);
    expect([...found.values()].filter((each) => each?.kind === 'operator')).toHaveLength(10_000);
    expect(reads).toBeLessThan(50_000);
  });
});
