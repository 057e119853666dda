import type { MatchingKey } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { assignIdentities } from './assign-identities.js';
import { mostSharing, type Person, partitionPeople } from './partition-people.js';

const kinds: Record<string, MatchingKey> = { n: 'employee_number', m: 'email', u: 'user_principal_name' };

/** `person('hr:1', 'n7 mann')`: record 1 of source hr, employee number 7, e-mail ann. */
function person(name: string, keys = '', more: Partial<Person> = {}): Person {
  const [connectorId = ''] = name.split(':');
  return {
    recordId: name,
    connectorId,
    living: true,
    bond: 'loose',
    keys: keys
      .split(' ')
      .filter((key) => key !== '')
      .map((key) => ({ kind: kinds[key.charAt(0)] ?? 'email', value: key.slice(1) })),
    ...more,
  };
}

function groups(people: readonly Person[]): string[] {
  return partitionPeople(people)
    .clusters.map(({ members }) =>
      members
        .map(({ recordId }) => recordId)
        .sort()
        .join('+'),
    )
    .sort();
}

describe('sorting users into people', () => {
  it('joins whoever shares a key, also through a third', () => {
    expect(
      groups([person('hr:1', 'n1 ma'), person('ad:1', 'ma ux'), person('okta:1', 'ux'), person('hr:2', 'n2')]),
    ).toEqual(['ad:1+hr:1+okta:1', 'hr:2']);
  });

  it('keeps two records of one source, and two employee numbers, apart', () => {
    expect(groups([person('hr:1', 'ma'), person('hr:2', 'ma')])).toEqual(['hr:1', 'hr:2']);
    expect(groups([person('hr:1', 'n1 ma'), person('ad:1', 'n2 ma')])).toEqual(['ad:1', 'hr:1']);
  });

  it('joins nobody where one key fits two people, and says who could be meant', () => {
    const people = [person('hr:1', 'n1 ma'), person('hr:2', 'n2 ma'), person('ad:1', 'ma')];
    expect(groups(people)).toEqual(['ad:1', 'hr:1', 'hr:2']);
    const { disputes } = partitionPeople(people);
    expect(disputes).toHaveLength(1);
    expect(disputes[0]?.cluster.members[0]?.recordId).toBe('ad:1');
    expect(disputes[0]?.key).toEqual({ kind: 'email', value: 'a' });
    expect(disputes[0]?.candidates.map(({ members }) => members[0]?.recordId).sort()).toEqual(['hr:1', 'hr:2']);
  });

  it('lets the stronger key decide, and then disputes nothing', () => {
    const byNumber = [person('hr:1', 'n1 ma'), person('hr:2', 'n2 ma'), person('ad:1', 'n2 ma')];
    expect(groups(byNumber)).toEqual(['ad:1+hr:2', 'hr:1']);
    expect(partitionPeople(byNumber).disputes).toEqual([]);
    const byName = [person('hr:1', 'n1 ma'), person('hr:2', 'n2 ma ux'), person('ad:1', 'ma ux')];
    expect(groups(byName)).toEqual(['ad:1+hr:2', 'hr:1']);
    expect(partitionPeople(byName).disputes).toEqual([]);
  });

  it('keeps together what an earlier run has linked, whatever changed since and whoever came', () => {
    const kept = { bond: 'kept', identityId: 'I' } as const;
    expect(groups([person('hr:1', 'n1 mb', kept), person('ad:1', 'ma', kept), person('hr:2', 'n2 ma')])).toEqual([
      'ad:1+hr:1',
      'hr:2',
    ]);
  });

  it('never joins what an operator has put apart, nor parts what they put together', () => {
    const first = { bond: 'decided', identityId: 'I' } as const;
    const second = { bond: 'decided', identityId: 'J' } as const;
    expect(groups([person('hr:1', 'ma', first), person('ad:1', 'ma', second)])).toEqual(['ad:1', 'hr:1']);
    expect(groups([person('hr:1', 'ma', first), person('hr:2', 'mb', first)])).toEqual(['hr:1+hr:2']);
  });

  it('lets somebody come back under a new record of the source that has deleted the old one', () => {
    const gone = { bond: 'kept', identityId: 'I', living: false } as const;
    expect(groups([person('hr:1', 'n1', gone), person('hr:9', 'n1')])).toEqual(['hr:1+hr:9']);
  });

  it('takes a value that very many have for no key', () => {
    const crowd = Array.from({ length: mostSharing + 1 }, (_, at) => person(`s${at}:1`, 'minfo'));
    expect(groups(crowd)).toHaveLength(mostSharing + 1);
    expect(partitionPeople(crowd).disputes).toEqual([]);
  });

  const record = fc.record({
    source: fc.constantFrom('hr', 'ad', 'okta'),
    number: fc.option(fc.constantFrom('n1', 'n2', 'n3')),
    mail: fc.option(fc.constantFrom('ma', 'mb', 'mc')),
    name: fc.option(fc.constantFrom('ux', 'uy', 'uz')),
  });
  const crowd = fc
    .array(record, { maxLength: 9 })
    .map((all) =>
      all.map((each, at) =>
        person(`${each.source}:${at}`, [each.number, each.mail, each.name].filter((key) => key).join(' ')),
      ),
    );

  it('does not depend on the order of the records', () => {
    fc.assert(
      fc.property(
        crowd.chain((people) =>
          fc.tuple(fc.constant(people), fc.shuffledSubarray(people, { minLength: people.length })),
        ),
        ([people, shuffled]) => {
          expect(groups(shuffled)).toEqual(groups(people));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('never puts two records of one source, or two employee numbers, into one person, and loses nobody', () => {
    fc.assert(
      fc.property(crowd, (people) => {
        const { clusters } = partitionPeople(people);
        for (const { members } of clusters) {
          expect(new Set(members.map(({ connectorId }) => connectorId)).size).toBe(members.length);
          const numbers = members.flatMap(({ keys }) => keys.filter(({ kind }) => kind === 'employee_number'));
          expect(new Set(numbers.map(({ value }) => value)).size).toBeLessThanOrEqual(1);
        }
        expect(clusters.flatMap(({ members }) => members)).toHaveLength(people.length);
      }),
      { numRuns: 500 },
    );
  });
});

describe('giving people their identities', () => {
  const at = (ms: number) => new Date(ms);
  const identities = new Map([
    ['I', { id: 'I', createdAt: at(1) }],
    ['J', { id: 'J', createdAt: at(2) }],
  ]);

  it('keeps the oldest identity of those that are joined', () => {
    const { clusters } = partitionPeople([
      person('ad:1', 'ma', { identityId: 'J' }),
      person('hr:1', 'ma', { identityId: 'I' }),
    ]);
    expect(
      assignIdentities(
        clusters,
        identities,
        () => 0,
        () => 'new',
      ),
    ).toMatchObject([{ identityId: 'I', isNew: false }]);
  });

  it('leaves the identity with the oldest record, or where an operator put it, when people part', () => {
    const loose = [person('hr:2', '', { identityId: 'I' }), person('hr:1', '', { identityId: 'I' })];
    const born = (id: string) => (id === 'hr:1' ? 1 : 2);
    const parted = assignIdentities(partitionPeople(loose).clusters, identities, born, () => 'new');
    expect(parted.map(({ cluster, identityId }) => [cluster.members[0]?.recordId, identityId])).toEqual([
      ['hr:2', 'new'],
      ['hr:1', 'I'],
    ]);
    const decided = [person('hr:2', '', { identityId: 'I', bond: 'decided' }), person('hr:1', '', { identityId: 'I' })];
    const kept = assignIdentities(partitionPeople(decided).clusters, identities, born, () => 'new');
    expect(kept.find(({ identityId }) => identityId === 'I')?.cluster.decidedFor).toBe('I');
  });
});
