import { defaultMatchingRules, type KeyKind } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Person } from './cluster.js';
import { namesDisagree } from './names.js';
import { type GroupingRules, maxSharing, partitionPeople } from './partition-people.js';

const kinds: Record<string, KeyKind> = {
  n: 'employee_number',
  m: 'email',
  u: 'user_principal_name',
  i: 'attributes.national_id',
  b: 'attributes.badge',
};

/** `person('hr:1', 'n7 mann')`: record 1 of source hr, employee number 7, email ann. */
function person(name: string, keys = '', more: Partial<Person> = {}): Person {
  const [connectorId = ''] = name.split(':');
  return {
    recordId: name,
    connectorId,
    gone: false,
    status: 'active',
    isEmployment: false,
    statusRank: ['hr', 'ad', 'okta'].indexOf(connectorId),
    formerKeys: [],
    linkStrength: 'loose',
    name: [],
    keys: keys
      .split(' ')
      .filter((key) => key !== '')
      .map((key) => ({
        kind: kinds[key.charAt(0)] ?? 'email',
        value: key.slice(1),
        ...(key.startsWith('i') && { permanent: true as const }),
      })),
    ...more,
  };
}

function groups(people: readonly Person[], rules: Partial<GroupingRules> = {}): string[] {
  return partitionPeople(people, { ...defaultMatchingRules, ...rules })
    .clusters.map(({ members }) =>
      members
        .map(({ recordId }) => recordId)
        .sort()
        .join('+'),
    )
    .sort();
}

describe('partitionPeople', () => {
  it('joins users that share a key, also through a third user', () => {
    expect(
      groups([person('hr:1', 'n1 ma'), person('ad:1', 'ma ux'), person('okta:1', 'ux'), person('hr:2', 'n2')]),
    ).toEqual(['ad:1+hr:1+okta:1', 'hr:2']);
  });

  it('starts with the links from before the running job, wherever the job has moved the records', () => {
    const moved = { linkStrength: 'kept', identityId: 'joined' } as const;
    const people = [
      person('hr:2', 'n4', { ...moved, keptIdentityId: 'ann' }),
      person('hr:4', 'n2', { ...moved, keptIdentityId: 'bo' }),
      person('hr:8', '', { ...moved, keptIdentityId: 'bo' }),
    ];
    expect(groups(people)).toEqual(['hr:2', 'hr:4+hr:8']);
  });

  it('does not join two records of one source by an address, nor two employee numbers', () => {
    expect(groups([person('hr:1', 'ma'), person('hr:2', 'ma')])).toEqual(['hr:1', 'hr:2']);
    expect(groups([person('hr:1', 'n1 ma'), person('ad:1', 'n2 ma')])).toEqual(['ad:1', 'hr:1']);
  });

  it('joins users that share different values of one key with a third user', () => {
    expect(groups([person('hr:1', 'ma'), person('okta:1', 'mb'), person('ad:1', 'ma mb')])).toEqual([
      'ad:1+hr:1+okta:1',
    ]);
  });

  it('compares the names that are known only', () => {
    const [ann, karl] = [
      ['ann', 'lee'],
      ['karl', 'berg'],
    ];
    const unnamed = person('okta:1', 'n1 ma');
    const hr = person('hr:1', 'n1', { name: ann });
    expect(groups([hr, unnamed, person('ad:1', 'ma', { name: karl })])).toEqual(['ad:1', 'hr:1+okta:1']);
    expect(groups([hr, unnamed, person('ad:1', 'ma', { name: ['lee'] })])).toEqual(['ad:1+hr:1+okta:1']);
  });

  it('takes only users that share a value with a user as its candidates', () => {
    const people = [person('hr:1', 'n1 ma'), person('hr:2', 'n2 ma mb'), person('ad:1', 'mb')];
    expect(partitionPeople(people).disputes).toEqual([]);
  });

  it('joins a user to a manually linked one, but not two that are manually linked to different identities', () => {
    const manual = (name: string, identityId: string) => person(name, 'ma', { linkStrength: 'manual', identityId });
    expect(groups([manual('hr:1', 'one'), person('ad:1', 'ma')])).toEqual(['ad:1+hr:1']);
    expect(groups([manual('hr:1', 'one'), manual('ad:1', 'other')])).toEqual(['ad:1', 'hr:1']);
  });

  it('joins nothing when one key fits two people, and returns the candidates', () => {
    const people = [person('hr:1', 'n1 ma'), person('hr:2', 'n2 ma'), person('ad:1', 'ma')];
    expect(groups(people)).toEqual(['ad:1', 'hr:1', 'hr:2']);
    const { disputes } = partitionPeople(people);
    expect(disputes).toHaveLength(1);
    expect(disputes[0]?.cluster.members[0]?.recordId).toBe('ad:1');
    expect(disputes[0]?.key).toEqual({ kind: 'email', value: 'a' });
    expect(disputes[0]?.candidates.map(({ members }) => members[0]?.recordId).sort()).toEqual(['hr:1', 'hr:2']);
  });

  it('decides by the stronger key, without a dispute', () => {
    const byNumber = [person('hr:1', 'n1 ma'), person('hr:2', 'n2 ma'), person('ad:1', 'n2 ma')];
    expect(groups(byNumber)).toEqual(['ad:1+hr:2', 'hr:1']);
    expect(partitionPeople(byNumber).disputes).toEqual([]);
    const byName = [person('hr:1', 'n1 ma'), person('hr:2', 'n2 ma ux'), person('ad:1', 'ma ux')];
    expect(groups(byName)).toEqual(['ad:1+hr:2', 'hr:1']);
    expect(partitionPeople(byName).disputes).toEqual([]);
  });

  it('tries the strongest key first, although a weaker one fits another person', () => {
    const people = [person('hr:1', 'ux'), person('hr:2', 'n2'), person('ad:1', 'n2 ux')];
    expect(groups(people)).toEqual(['ad:1+hr:2', 'hr:1']);
    expect(partitionPeople(people).disputes).toEqual([]);
    expect(groups(people, { certain: ['user_principal_name', 'employee_number'] })).toEqual(['ad:1+hr:1', 'hr:2']);
  });

  it('keeps links of an earlier run regardless of changed values and new records', () => {
    const kept = { linkStrength: 'kept', identityId: 'I' } as const;
    expect(groups([person('hr:1', 'n1 mb', kept), person('ad:1', 'ma', kept), person('hr:2', 'n2 ma')])).toEqual([
      'ad:1+hr:1',
      'hr:2',
    ]);
  });

  it('never joins or splits manually linked records', () => {
    const first = { linkStrength: 'manual', identityId: 'I' } as const;
    const second = { linkStrength: 'manual', identityId: 'J' } as const;
    expect(groups([person('hr:1', 'ma', first), person('ad:1', 'ma', second)])).toEqual(['ad:1', 'hr:1']);
    expect(groups([person('hr:1', 'ma', first), person('hr:2', 'mb', first)])).toEqual(['hr:1+hr:2']);
  });

  it('joins a new record with the deleted record of the same source', () => {
    const gone = { linkStrength: 'kept', identityId: 'I', gone: true } as const;
    expect(groups([person('hr:1', 'n1', gone), person('hr:9', 'n1')])).toEqual(['hr:1+hr:9']);
  });

  it('ignores a key that is shared by more than the maximum of clusters', () => {
    const crowd = Array.from({ length: maxSharing + 1 }, (_, at) => person(`s${at}:1`, 'minfo'));
    expect(groups(crowd)).toHaveLength(maxSharing + 1);
    expect(partitionPeople(crowd).disputes).toEqual([]);
    expect(groups(crowd.slice(1))).toHaveLength(1);
    const disputed = crowd.slice(1).map((each, at) => ({ ...each, ...(at < 2 && { connectorId: 'hr' }) }));
    expect(partitionPeople(disputed).disputes).not.toEqual([]);
  });

  const named = (name: string, keys: string, words: string) => person(name, keys, { name: words.split(' ') });

  it('joins by an address when the names share a word, or one of them is unknown', () => {
    for (const other of ['ann jones', 'lee ann', 'anna m leigh', '', 'ann']) {
      const people = [named('hr:1', 'ma', 'ann lee'), named('ad:1', 'ma', other)];
      expect(groups(people)).toEqual(['ad:1+hr:1']);
    }
  });

  it('does not join by an address when the names have nothing in common, and returns the newer record', () => {
    const people = [
      named('ad:2', 'ma ux', 'karl berg'),
      named('ad:1', 'mz', 'ann lee'),
      named('hr:1', 'ma', 'ann lee'),
    ];
    expect(groups(people)).toEqual(['ad:1', 'ad:2', 'hr:1']);
    const { disputes } = partitionPeople(people);
    expect(disputes).toHaveLength(1);
    expect(disputes[0]).toMatchObject({ doubt: 'other_name', key: { kind: 'email', value: 'a' } });
    expect(disputes[0]?.cluster.members.map(({ recordId }) => recordId)).toEqual(['hr:1']);
    expect(disputes[0]?.candidates.map(({ members }) => members[0]?.recordId)).toEqual(['ad:2']);
  });

  it('returns the people in doubt by a weaker key too', () => {
    const people = [
      named('hr:1', 'n1', 'karl berg'),
      { ...named('hr:2', 'n2 ma', 'ann lee'), gone: true },
      named('hr:3', 'n1 ma', 'ann lee'),
    ];
    const { disputes } = partitionPeople(people);
    expect(disputes).toMatchObject([
      {
        doubt: 'other_name',
        candidates: [{ members: [{ recordId: 'hr:1' }] }],
        further: [{ key: { kind: 'email' }, doubt: 'other_number', candidates: [{ members: [{ recordId: 'hr:2' }] }] }],
      },
    ]);
  });

  it('joins two sources by an employee number when a word of the names agrees, else returns the newer record', () => {
    for (const other of ['ann jones', 'lee ann', '', 'ann', 'bob lee'])
      expect(groups([named('hr:1', 'n1', 'ann lee'), named('ad:1', 'n1', other)])).toEqual(['ad:1+hr:1']);
    const strangers = [named('hr:1', 'n1', 'ann lee'), named('ad:1', 'n1', 'karl berg')];
    expect(groups(strangers)).toEqual(['ad:1', 'hr:1']);
    expect(partitionPeople(strangers).disputes).toMatchObject([
      { doubt: 'other_name', key: { kind: 'employee_number', value: '1' } },
    ]);
    const kept = { linkStrength: 'kept', identityId: 'I' } as const;
    expect(groups(strangers.map((each) => ({ ...each, ...kept })))).toEqual(['ad:1+hr:1']);
  });

  it('keeps a doubt about a record that a weaker key joins with a third one', () => {
    const ann = named('hr:1', 'n1', 'ann lee');
    const zoe = named('hr:2', 'n1 mz', 'zoe lee');
    const login = named('ad:3', 'n1 mz', 'zoe lee');
    const { clusters, disputes } = partitionPeople([ann, zoe, login]);
    expect(clusters).toHaveLength(2);
    expect(disputes).toMatchObject([{ doubt: 'other_name', key: { kind: 'employee_number', value: '1' } }]);
    // The next match starts with these links, and finds the same.
    const kept = [ann, zoe, login].map((each) => ({
      ...each,
      linkStrength: 'kept' as const,
      identityId: each === ann ? 'a' : 'z',
    }));
    expect(partitionPeople(kept).disputes).toHaveLength(1);
  });

  it('returns all people in doubt, and the same key whatever the order of the records', () => {
    const people = [
      person('hr:1', 'n2 ma', { gone: true, keys: [], formerKeys: [{ kind: 'email', value: 'a' }] }),
      person('ad:2', 'mb', { status: 'inactive' }),
      person('hr:3', 'ma'),
      person('ad:3', 'mb', { linkStrength: 'kept', identityId: 'x' }),
    ].map((each) => (each.recordId === 'hr:3' ? { ...each, linkStrength: 'kept' as const, identityId: 'x' } : each));
    for (const some of [people, people.toReversed()]) {
      const { disputes } = partitionPeople(some);
      expect(disputes.map(({ key }) => key)).toEqual([{ kind: 'email', value: 'a' }]);
      expect(disputes[0]?.candidates.map(({ members }) => members[0]?.recordId)).toEqual(['hr:1', 'ad:2']);
    }
  });

  it('joins no records by the mailbox of three people, without a dispute', () => {
    const people = ['ann lee', 'karl berg', 'mia rossi'].map((name, at) => named(`s${at}:1`, 'mteam', name));
    expect(groups(people)).toEqual(['s0:1', 's1:1', 's2:1']);
    expect(partitionPeople(people).disputes).toEqual([]);
  });

  it.each([
    ['one source', ['hr:1', 'hr:2', 'hr:3']],
    ['two sources', ['hr:1', 'hr:2', 'ad:3', 'ad:4']],
  ])('returns every record but the oldest of an employee number of several people of %s', (_sources, ids) => {
    const names = ['ann lee', 'karl berg', 'mia rossi', 'ute vogt'];
    const people = ids.map((id, at) => ({ ...named(id, 'n1', names[at] ?? ''), recordId: `${at}` }));
    expect(partitionPeople(people).clusters).toHaveLength(people.length);
    const undecided = partitionPeople(people).disputes.map(({ cluster }) => cluster.members[0]?.recordId);
    expect(undecided).toEqual(expect.arrayContaining(people.slice(1).map(({ recordId }) => recordId)));
  });

  it('joins nothing by a number of an unnamed person that fits two others, also if one has left', () => {
    const karl = { ...named('okta:1', 'n1', 'karl berg'), status: 'inactive' };
    const people = [named('hr:1', 'n1', 'ann lee'), person('ad:1', 'n1'), karl];
    expect(groups(people)).toEqual(['ad:1', 'hr:1', 'okta:1']);
  });

  it('returns a corrected number with the people who have it, also if only one of their records does', () => {
    const kept = { linkStrength: 'kept', identityId: 'I' } as const;
    const { disputes } = partitionPeople([
      { ...named('hr:1', 'n1', 'ann lee'), ...kept },
      { ...named('hr:2', 'n2', 'ann lee'), ...kept },
      named('ad:3', 'n2 mx', 'karl berg'),
      named('okta:4', 'mx', 'karl berg'),
    ]);
    const candidates = disputes.map((each) =>
      each.candidates.map(({ members }) => members.map(({ recordId }) => recordId)),
    );
    expect(disputes).toMatchObject([{ doubt: 'changed_number', recordId: 'hr:2' }]);
    expect(candidates).toEqual([
      [
        ['ad:3', 'okta:4'],
        ['hr:1', 'hr:2'],
      ],
    ]);
  });

  it('joins two contracts of one person although a third person has the number, whose record it returns', () => {
    const people = ['ann lee', 'ann lee', 'karl berg'].map((name, at) => named(`hr:${at}`, 'n1', name));
    expect(groups(people)).toEqual(['hr:0+hr:1', 'hr:2']);
    expect(partitionPeople(people).disputes).toMatchObject([{ doubt: 'other_name' }]);
    expect(groups([...people, person('hr:3', 'n1')])).toEqual(['hr:0', 'hr:1', 'hr:2', 'hr:3']);
    const byAddress = people.map((each) => ({ ...each, connectorId: each.recordId, keys: person('', 'ma').keys }));
    expect(groups(byAddress)).toEqual(['hr:0+hr:1', 'hr:2']);
  });

  it('joins two contracts after an address has decided which of two people with the number a record belongs to', () => {
    const rows = [
      named('hr:1', 'n1 ma', 'ann lee'),
      named('hr:2', 'n1 mb', 'bob lee'),
      named('hr:3', 'n1', 'ann lee'),
      person('ad:1', 'n1 ma'),
    ];
    expect(groups(rows)).toEqual(['ad:1+hr:1+hr:3', 'hr:2']);
    const [first, second, third, account] = rows as [Person, Person, Person, Person];
    const kept = [first, account].map((each) => ({ ...each, identityId: 'idn', linkStrength: 'kept' as const }));
    expect(groups([...kept, second, third])).toEqual(groups(rows));
  });

  it('compares the names of all records of a person', () => {
    const kept = { linkStrength: 'kept', identityId: 'I' } as const;
    const married = { ...named('hr:1', 'n1', 'ann lee'), ...kept };
    const people = [married, { ...named('ad:1', 'ma', 'anna berg'), ...kept }, named('okta:1', 'ma', 'lisa berg')];
    expect(groups(people)).toEqual(['ad:1+hr:1+okta:1']);
  });

  const left = (name: string, keys: string, words = '') => ({ ...named(name, keys, words), status: 'inactive' });
  const gone = (name: string, keys: string, words = '') => {
    const { keys: formerKeys, ...rest } = left(name, keys, words);
    return { ...rest, keys: [], formerKeys, gone: true };
  };
  const asked = (people: readonly Person[]) =>
    partitionPeople(people).disputes.map(({ cluster, doubt, candidates }) => [
      cluster.members[0]?.recordId,
      doubt,
      ...candidates.map(({ members }) => members[0]?.recordId),
    ]);

  it.each([
    ['inactive', left],
    ['gone', gone],
  ])('returns the present holder of an address that belonged to a person who is %s', (_state, former) => {
    expect(asked([former('hr:1', 'ma', 'ann lee'), named('ad:1', 'ma', 'ann lee')])).toEqual([
      ['ad:1', 'has_left', 'hr:1'],
    ]);
    const doubt = former === gone ? 'listed_before' : 'same_source';
    expect(asked([former('hr:1', 'ma'), person('hr:2', 'ma')])).toEqual([['hr:2', doubt, 'hr:1']]);
  });

  it('returns the new holder of an address that only a deleted record of a present person had', () => {
    const kept = { linkStrength: 'kept', identityId: 'I' } as const;
    const present = { ...named('hr:1', 'mb', 'ann lee'), ...kept };
    const deleted = { ...gone('old:1', 'ma', 'ann lee'), ...kept };
    expect(asked([present, deleted, named('new:1', 'ma', 'ann lee')])).toEqual([['new:1', 'given_up', 'hr:1']]);
    expect(asked([present, deleted, named('new:1', 'ma', 'karl berg')])).toEqual([]);
    expect(groups([{ ...present, keys: person('', 'ma').keys }, deleted, named('new:1', 'ma', 'ann lee')])).toEqual([
      'hr:1+new:1+old:1',
    ]);
  });

  it('joins a present person with an inactive record of a source that does not decide, unless it is gone', () => {
    expect(groups([person('hr:1', 'ma'), left('ad:1', 'ma'), left('okta:1', 'ma')])).toEqual(['ad:1+hr:1+okta:1']);
    expect(asked([person('hr:1', 'ma'), gone('ad:1', 'ma')])).toEqual([['hr:1', 'has_left', 'ad:1']]);
    expect(asked([left('ad:1', 'ma'), person('okta:1', 'ma')])).toEqual([['okta:1', 'has_left', 'ad:1']]);
    expect(groups([left('ad:1', 'ma'), person('okta:1', 'ma'), person('hr:1', 'ma')])).toEqual(['ad:1+hr:1+okta:1']);
  });

  it('joins the records of a leaver and those of the new holder of the address', () => {
    const people = [left('hr:1', 'ma'), left('ad:1', 'ma'), person('hr:2', 'ma'), person('ad:2', 'ma')];
    expect(groups(people)).toEqual(['ad:1+hr:1', 'ad:2+hr:2']);
    expect(partitionPeople(people).disputes).toHaveLength(1);
  });

  it('returns no dispute about an address of a person who is gone if the names or the numbers differ', () => {
    expect(asked([gone('hr:1', 'ma', 'ann lee'), named('ad:1', 'ma', 'karl berg')])).toEqual([]);
    expect(asked([{ ...gone('hr:1', 'ma'), keys: person('hr:1', 'n1').keys }, person('hr:2', 'n2 ma')])).toEqual([]);
    expect(asked([gone('hr:1', 'ma', 'ann lee'), gone('hr:2', 'ma', 'ann lee')])).toEqual([]);
  });

  it('joins a leaver by the address to records of the same person by the previous rules', () => {
    const both = { earlierIdentityId: 'I' };
    const people = [{ ...left('hr:1', 'ma'), ...both }, person('ad:1', 'ma', both), person('okta:1', 'ma')];
    expect(groups(people)).toEqual(['ad:1+hr:1+okta:1']);
    const other = { ...person('ad:1', 'ma'), earlierIdentityId: 'J' };
    expect(groups([{ ...left('hr:1', 'ma'), ...both }, other])).toEqual(['ad:1', 'hr:1']);
  });

  describe('by attributes that the rules declare as keys', () => {
    const declared: Partial<GroupingRules> = {
      certain: ['employee_number', 'attributes.national_id', 'email', 'attributes.badge'],
      keys: [
        { field: 'attributes.national_id', normaliser: 'digits', strength: 'permanent' },
        { field: 'attributes.badge', normaliser: 'case' },
      ],
    };
    const disputesOf = (people: readonly Person[]) =>
      partitionPeople(people, { ...defaultMatchingRules, ...declared }).disputes.map(({ doubt }) => doubt);

    it('joins nothing by an attribute that is not declared', () => {
      expect(groups([person('hr:1', 'i1 b1'), person('ad:1', 'i1 b1')])).toEqual(['ad:1', 'hr:1']);
    });

    it('joins like an employee number by a permanent one', () => {
      expect(groups([named('hr:1', 'i1', 'ann lee'), named('ad:1', 'i1', 'ann berg')], declared)).toEqual([
        'ad:1+hr:1',
      ]);
      expect(disputesOf([named('hr:1', 'i1', 'ann lee'), named('ad:1', 'i1', 'karl berg')])).toEqual(['other_name']);
      expect(groups([person('hr:1', 'i1'), person('hr:2', 'i1')], declared)).toEqual(['hr:1+hr:2']);
      const asCase = { ...declared, several_employments: 'case' as const };
      expect(groups([person('hr:1', 'i1'), person('hr:2', 'i1')], asCase)).toEqual(['hr:1', 'hr:2']);
      expect(disputesOf([named('hr:1', 'i1', 'ann lee'), named('hr:2', 'i1', 'karl berg')])).toEqual(['other_name']);
    });

    it('joins like an address by a reusable one', () => {
      expect(groups([named('hr:1', 'b1', 'ann lee'), named('ad:1', 'b1', 'ann lee')], declared)).toEqual(['ad:1+hr:1']);
      expect(disputesOf([named('hr:1', 'b1', 'ann lee'), named('ad:1', 'b1', 'karl berg')])).toEqual(['other_name']);
      expect(disputesOf([left('hr:1', 'b1'), person('ad:1', 'b1')])).toEqual(['has_left']);
    });

    it('never joins two values of a permanent one, and returns records that share another permanent key', () => {
      expect(groups([person('hr:1', 'i1 ma'), person('ad:1', 'i2 ma')], declared)).toEqual(['ad:1', 'hr:1']);
      expect(disputesOf([person('hr:1', 'i1 ma'), person('ad:1', 'i2 ma')])).toEqual([]);
      expect(groups([person('hr:1', 'n1 i1'), person('hr:2', 'n2 i1')], declared)).toEqual(['hr:1', 'hr:2']);
      expect(disputesOf([person('hr:1', 'n1 i1'), person('hr:2', 'n2 i1')])).toEqual(['other_number']);
      expect(disputesOf([person('hr:1', 'n1 i1'), person('hr:2', 'n1 i2')])).toEqual(['other_number']);
    });
  });

  const record = fc.record({
    source: fc.constantFrom('hr', 'ad', 'okta'),
    number: fc.option(fc.constantFrom('n1', 'n2', 'n3')),
    mail: fc.option(fc.constantFrom('ma', 'mb', 'mc')),
    login: fc.option(fc.constantFrom('ux', 'uy', 'uz')),
    name: fc.constantFrom('', 'ann lee', 'karl berg', 'ann berg'),
    state: fc.constantFrom({}, { status: 'inactive' }, { status: 'inactive', gone: true }),
  });
  const crowd = fc.array(record, { maxLength: 9 }).map((all) =>
    all.map((each, at) =>
      person(`${each.source}:${at}`, [each.number, each.mail, each.login].filter((key) => key).join(' '), {
        name: each.name.split(' ').filter((word) => word),
        ...each.state,
      }),
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

  it('joins records of one source by an employee number, unless the rules say case', () => {
    const people = [person('hr:1', 'n1 ma'), person('hr:2', 'n1 mb'), person('ad:1', 'n1')];
    expect(groups(people)).toEqual(['ad:1+hr:1+hr:2']);
    expect(groups(people, { several_employments: 'case' })).toEqual(['ad:1', 'hr:1', 'hr:2']);
  });

  it.each<[string, string, string[]]>([
    ['ann lee', 'ann berg', ['same_source', 'same_source']],
    ['ann lee', 'karl berg', []],
    ['', '', []],
  ])('returns the newer of three records of one source with one address if the names are %j and %j', (...given) => {
    const [name, otherName, doubts] = given;
    const people = [name, name, otherName].map((words, at) => named(`hr:${at}`, 'ma', words));
    const all = people.map((each) => ({ ...each, name: each.name.filter((word) => word !== '') }));
    const found = partitionPeople(all).disputes.map(({ doubt }) => doubt);
    expect(found.slice(0, doubts.length)).toEqual(doubts);
  });

  it('never joins records of one source with different names or numbers, and keeps every record', () => {
    fc.assert(
      fc.property(crowd, (people) => {
        const { clusters } = partitionPeople(people);
        for (const { members } of clusters) {
          for (const a of members) {
            for (const b of members.filter((each) => each !== a && each.connectorId === a.connectorId)) {
              expect(namesDisagree(a.name, b.name)).toBe(false);
              expect(a.keys.filter(({ kind }) => kind === 'employee_number')).toEqual(
                b.keys.filter(({ kind }) => kind === 'employee_number'),
              );
            }
          }
          const numbers = members.flatMap(({ keys }) => keys.filter(({ kind }) => kind === 'employee_number'));
          expect(new Set(numbers.map(({ value }) => value)).size).toBeLessThanOrEqual(1);
        }
        expect(clusters.flatMap(({ members }) => members)).toHaveLength(people.length);
      }),
      { numRuns: 500 },
    );
  });
});
