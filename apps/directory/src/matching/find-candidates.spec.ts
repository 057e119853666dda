import { defaultMatchingRules, type MatchingRules } from '@idsync/contracts';
import type { ConnectorInfo, StoredRecord } from '@idsync/database/directory';
import { describe, expect, it } from '@jest/globals';
import { storedRecord, uuid } from '../../test/stored-record.js';
import { findCandidates } from './find-candidates.js';

const [hr, ad] = [uuid(1), uuid(2)];
const connector = (id: string, priority: number): [string, ConnectorInfo] => [
  id,
  { id, type: 'csv', priority, records: 'user', employments: false },
];
const ranked = new Map([connector(hr, 1), connector(ad, 2)]);
const sameRank = new Map([connector(hr, 1), connector(ad, 1)]);

/** A user of HR with an identity of the same number, named Ann Lee unless stated. */
const known = (nth: number, parts: Partial<StoredRecord> = {}) =>
  storedRecord(nth, { identityId: uuid(nth), fields: { display_name: ['Ann Lee'] }, ...parts });
const account = (parts: Partial<StoredRecord> = {}) =>
  storedRecord(50, { kind: 'account', connectorId: ad, fields: { display_name: ['Ann Lee'] }, ...parts });
const userOfAd = (parts: Partial<StoredRecord> = {}) =>
  storedRecord(60, { connectorId: ad, identityId: uuid(60), fields: { display_name: ['Ann Lee'] }, ...parts });

function find(
  subject: StoredRecord,
  others: readonly StoredRecord[],
  { rules = defaultMatchingRules, connectors = ranked, sharing = others } = {},
) {
  const records = [subject, ...others];
  const people = new Map<string, StoredRecord[]>();
  for (const record of records) {
    if (record.kind !== 'user' || record.status === 'deleted' || !record.identityId) continue;
    people.set(record.identityId, [...(people.get(record.identityId) ?? []), record]);
  }
  const around = {
    records: new Map(records.map((record) => [record.id, record])),
    people,
    sharers: new Map([[subject.id, new Set(sharing.map(({ id }) => id))]]),
  };
  return findCandidates(subject, around, { rules, connectors });
}

const candidatesOf = (...given: Parameters<typeof find>) =>
  find(...given)?.candidates.map(({ identity_id }) => identity_id) ?? [];

describe('the candidates of a record that no match key has linked', () => {
  it('are the people with a similar record, with score and evidence', () => {
    expect(find(account(), [known(10)])).toMatchObject({
      tier: { name: 'same name' },
      candidates: [{ identity_id: uuid(10), score: 1, evidence: ['full_name is the same'] }],
    });
  });

  it('are found among records that share a value only', () => {
    expect(candidatesOf(account(), [known(10)], { sharing: [] })).toEqual([]);
  });

  it('are ordered by score, then by id', () => {
    const phone = { 'attributes.phone': ['1234567'] };
    const subject = account({ fields: { display_name: ['Katrin Meier'], ...phone } });
    const byName = { fields: { display_name: ['Kathrin Meyer'] } };
    const byBoth = { fields: { display_name: ['Kathrin Meyer'], ...phone } };
    expect(candidatesOf(subject, [known(12, byName), known(13, byBoth), known(11, byName)])).toEqual([
      uuid(13),
      uuid(11),
      uuid(12),
    ]);
  });

  it('come from the first tier with a result', () => {
    const subject = account({ fields: { display_name: ['Katrin Meier'] } });
    const similar = known(10, { fields: { display_name: ['Kathrin Meyer'] } });
    expect(find(subject, [similar])?.tier.name).toBe('similar name or same phone');
    const same = known(11, { fields: { display_name: ['Katrin Meier'] } });
    expect(find(subject, [similar, same])).toMatchObject({
      tier: { name: 'same name' },
      candidates: [{ identity_id: uuid(11) }],
    });
  });

  it('are absent if no tier reaches its minimum score', () => {
    expect(find(account(), [known(10, { fields: { display_name: ['Bob Fox'] } })])).toBeUndefined();
  });

  it('name a person once, by the best of their records', () => {
    const rules: MatchingRules = { ...defaultMatchingRules, certain: [], weak: defaultMatchingRules.weak.slice(1) };
    const worse = known(10, { fields: { display_name: ['Ann Leigh'], 'attributes.phone': ['1234567'] } });
    const better = storedRecord(11, { ...worse, id: uuid(11), connectorId: ad, fields: { display_name: ['Ann Lee'] } });
    const subject = account({ fields: { display_name: ['Ann Lee'] } });
    expect(find(subject, [worse, better], { rules })?.candidates).toEqual([
      { identity_id: uuid(10), score: 0.65, evidence: ['full_name is the same'], record_id: uuid(11) },
    ]);
  });

  it('never include a deleted user, an account, or the identity of the record itself', () => {
    expect(candidatesOf(account(), [known(10, { status: 'deleted' })])).toEqual([]);
    expect(candidatesOf(account(), [known(10, { kind: 'account' })])).toEqual([]);
    expect(candidatesOf(userOfAd(), [known(10, { identityId: uuid(60), status: 'deleted' })])).toEqual([]);
  });
});

describe('a proposal', () => {
  it.each(['propose', 'link'] as const)(
    'is forbidden by two different employee numbers, with when_unique: %s',
    (how) => {
      const rules = {
        ...defaultMatchingRules,
        certain: [],
        weak: defaultMatchingRules.weak.map((tier) => ({ ...tier, when_unique: how })),
      };
      const numbered = (number: string) => ({ fields: { display_name: ['Ann Lee'], employee_number: [number] } });
      for (const subject of [account, userOfAd]) {
        expect(candidatesOf(subject(numbered('7')), [known(10, numbered('8'))], { rules })).toEqual([]);
        expect(candidatesOf(subject(numbered('7')), [known(10, numbered('7'))], { rules })).toEqual([uuid(10)]);
        expect(candidatesOf(subject(numbered('7')), [known(10)], { rules })).toEqual([uuid(10)]);
        expect(candidatesOf(subject(), [known(10, numbered('8'))], { rules })).toEqual([uuid(10)]);
      }
    },
  );

  it('never joins two users of one source, but an account with a user of its source', () => {
    expect(candidatesOf(userOfAd({ connectorId: hr }), [known(10)])).toEqual([]);
    const otherRecord = storedRecord(11, { connectorId: ad, identityId: uuid(10) });
    expect(candidatesOf(userOfAd(), [known(10), otherRecord], { sharing: [known(10)] })).toEqual([]);
    expect(candidatesOf(account({ connectorId: hr }), [known(10)])).toEqual([uuid(10)]);
  });

  it('is made for the user of the lower-ranked source only, so that each pair is proposed once', () => {
    const [ofHr, ofAd] = [known(10), userOfAd()];
    expect(candidatesOf(ofAd, [ofHr])).toEqual([uuid(10)]);
    expect(candidatesOf(ofHr, [ofAd])).toEqual([]);
  });

  it('is made for the user of the source with the higher id if the sources rank equally', () => {
    const [ofHr, ofAd] = [known(10), userOfAd()];
    expect(candidatesOf(ofAd, [ofHr], { connectors: sameRank })).toEqual([uuid(10)]);
    expect(candidatesOf(ofHr, [ofAd], { connectors: sameRank })).toEqual([]);
  });

  it('is made for a user if one of the records of the other person is of a source with a higher rank', () => {
    const third = uuid(3);
    const connectors = new Map([connector(hr, 1), connector(ad, 2), connector(third, 3)]);
    const partner = storedRecord(11, { connectorId: third, identityId: uuid(10) });
    expect(candidatesOf(userOfAd(), [known(10), partner], { connectors, sharing: [known(10)] })).toEqual([uuid(10)]);
  });

  it('is not made for a deleted, linked, manually linked or machine record', () => {
    const subjects = [
      account({ status: 'deleted' }),
      account({ identityId: uuid(70) }),
      account({ decided: true }),
      account({ kind: 'machine_identity' }),
      userOfAd({ identityId: undefined }),
      storedRecord(50, { kind: 'machine_identity', connectorId: ad, identityId: uuid(12), fields: known(10).fields }),
    ];
    for (const subject of subjects) {
      expect(find(subject, [known(10), known(12)], { sharing: [known(10)] })).toBeUndefined();
    }
  });

  it('is not made for a user who shares an identity with another user', () => {
    const partner = storedRecord(61, { identityId: uuid(60), connectorId: uuid(3) });
    expect(candidatesOf(userOfAd(), [known(10), partner], { sharing: [known(10)] })).toEqual([]);
  });
});
