import { defaultMatchingRules, encodeId, type MatchingRules, newUuid } from '@idsync/contracts';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { directoryFaults } from '../../test/directory-faults.js';
import { Harness, row } from '../../test/harness.js';

interface CaseRow {
  id: string;
  external_id: string;
  kind: string;
  status: string;
  reason: string;
  candidates: { identity_id: string; score: number; evidence: string[] }[];
}

const directory = Harness.ofFile();
let hr: string;
let ad: string;

beforeEach(async () => {
  await directory.newTenant();
  hr = await directory.fixture.connector(directory.tenant, { priority: 10, name: 'HR' });
  ad = await directory.fixture.connector(directory.tenant, { priority: 20, name: 'AD' });
});

async function cases(status = 'open'): Promise<CaseRow[]> {
  return directory.fixture.rows<CaseRow>(
    `select c.*, r.external_id from review_cases c join source_records r on r.id = c.record_id
      where c.tenant_id = $1 and c.status = $2 order by r.external_id`,
    [directory.tenant, status],
  );
}

const trusting: MatchingRules = {
  ...defaultMatchingRules,
  weak: defaultMatchingRules.weak.map((tier) => ({ ...tier, when_unique: 'link' })),
};

const blacks = [
  row('4', { first_name: 'Robert', last_name: 'Black', email: 'rblack4@x.org' }),
  row('5', { first_name: 'Robert', last_name: 'Black', email: 'rblack5@x.org' }),
];

describe('a record with a fuzzy match only', () => {
  it('is not linked, and its case lists all candidates with scores', async () => {
    await directory.sync(hr, blacks);
    await directory.sync(ad, [row('rblack', { first_name: 'Robert', last_name: 'Black' })]);
    expect(await directory.people()).toEqual([['4'], ['5'], ['rblack']]);
    const [only, ...others] = await cases();
    expect(others).toEqual([]);
    expect(only).toMatchObject({ external_id: 'rblack', kind: 'weak', reason: 'same name' });
    expect(only?.candidates.map(({ score, evidence }) => ({ score, evidence }))).toEqual([
      { score: 1, evidence: ['full_name is the same'] },
      { score: 1, evidence: ['full_name is the same'] },
    ]);
  });

  it('opens the same case when the higher-ranked source is read second', async () => {
    await directory.sync(ad, [row('rblack', { first_name: 'Robert', last_name: 'Black' })]);
    await directory.sync(hr, blacks);
    expect((await cases()).map((each) => [each.external_id, each.candidates.length])).toEqual([['rblack', 2]]);
  });

  it('is matched by a similar name or by the same phone in any notation', async () => {
    await directory.sync(hr, [
      row('1', { first_name: 'Jürgen', last_name: 'Schmidt' }),
      row('2', { first_name: 'Ann', last_name: 'Lee', 'attributes.phone': '+421-123-456-004' }),
    ]);
    await directory.sync(ad, [
      row('a', { display_name: 'Schmitt, Jurgen' }),
      row('b', { display_name: 'Someone Else', 'attributes.phone': '00421 123 456 004' }),
      row('c', { display_name: 'Nobody Known' }),
    ]);
    expect((await cases()).map((each) => [each.external_id, each.reason, each.candidates[0]?.evidence[0]])).toEqual([
      ['a', 'similar name or same phone', expect.stringMatching(/^full_name is 9\d % similar$/)],
      ['b', 'similar name or same phone', 'attributes.phone is the same'],
    ]);
  });

  const spelled = [
    row('1', { first_name: 'Jürgen', last_name: 'Groß' }),
    row('2', { first_name: 'Иван', last_name: 'Петров' }),
    row('3', { first_name: 'Anne-Marie', last_name: "O'Neill" }),
  ];
  const respelled = [
    row('a', { display_name: 'Juergen Gross' }),
    row('b', { display_name: 'Ivan Petrov' }),
    row('c', { display_name: 'ONeill, Anne Marie' }),
  ];

  it('is proposed by a name in another spelling or script', async () => {
    await directory.sync(hr, spelled);
    await directory.sync(ad, respelled);
    const evidence = ['full_name is the same in another spelling'];
    const record_id = expect.any(String);
    const candidates = await Promise.all(['1', '2', '3'].map((id) => directory.identityOf(id)));
    expect((await cases()).map((each) => [each.external_id, each.candidates])).toEqual([
      ['a', [{ identity_id: candidates[0], score: 0.644, evidence, record_id }]],
      ['b', [{ identity_id: candidates[1], score: 0.644, evidence, record_id }]],
      ['c', [{ identity_id: candidates[2], score: 0.619, evidence: ['full_name is 95 % similar'], record_id }]],
    ]);
  });

  it('is proposed by an email address in another notation of its domain', async () => {
    await directory.sync(hr, [row('1', { email: 'ann@müller.de', display_name: 'Ann Lee' })]);
    await directory.sync(ad, [
      row('a', { email: 'ann@xn--mller-kva.de' }),
      row('b', { email: 'bob@müller.de' }),
      row('c', { email: 'ann@mueller.de' }),
    ]);
    const evidence = ['email is the same in another notation'];
    expect((await cases()).map((each) => [each.external_id, each.reason, each.candidates])).toEqual([
      [
        'a',
        'same email in another notation',
        [{ identity_id: await directory.identityOf('1'), score: 1, evidence, record_id: expect.any(String) }],
      ],
    ]);
    expect(await directory.people()).toHaveLength(4);
  });

  it('is proposed, and not linked, by another spelling where the rules link a unique match', async () => {
    await directory.operate('rules.change', { rules: trusting, preview: false });
    await directory.sync(hr, spelled.slice(0, 2));
    await directory.sync(ad, respelled.slice(0, 2));
    expect((await cases()).map((each) => each.external_id)).toEqual(['a', 'b']);
    expect(await directory.people()).toHaveLength(4);
  });

  it('is linked by a name as it is written although another person has it in another spelling', async () => {
    await directory.operate('rules.change', { rules: trusting, preview: false });
    await directory.sync(hr, [
      row('1', { first_name: 'Jürgen', last_name: 'Groß' }),
      row('2', { first_name: 'Juergen', last_name: 'Gross' }),
    ]);
    await directory.sync(ad, [row('a', { display_name: 'Jürgen Groß' }), row('b', { display_name: 'Juergen Gross' })]);
    expect(await directory.people()).toEqual([
      ['1', 'a'],
      ['2', 'b'],
    ]);
  });

  it('has its case closed once a match key has linked it', async () => {
    await directory.sync(hr, blacks);
    await directory.sync(ad, [row('rblack', { first_name: 'Robert', last_name: 'Black' })]);
    await directory.sync(ad, [row('rblack', { first_name: 'Robert', last_name: 'Black', email: 'rblack4@x.org' })]);
    expect(await directory.people()).toEqual([['4', 'rblack'], ['5']]);
    expect(await cases()).toEqual([]);
    expect(await cases('settled')).toHaveLength(1);
  });

  it('is linked only where the rules allow it for a unique match', async () => {
    await directory.operate('rules.change', { rules: trusting, preview: false });
    await directory.sync(hr, [...blacks, row('3', { first_name: 'Alice', last_name: 'Green' })]);
    await directory.sync(ad, [
      row('rblack', { first_name: 'Robert', last_name: 'Black' }),
      row('agreen', { first_name: 'Alice', last_name: 'Green' }),
    ]);
    expect(await directory.people()).toEqual([['3', 'agreen'], ['4'], ['5'], ['rblack']]);
    expect((await cases()).map((each) => each.external_id)).toEqual(['rblack']);
    expect(await directoryFaults(directory.fixture, directory.tenant)).toEqual([]);
  });

  it('is not linked if another record of its source matches equally', async () => {
    await directory.operate('rules.change', { rules: trusting, preview: false });
    await directory.sync(hr, [row('3', { first_name: 'Alice', last_name: 'Green' })]);
    await directory.sync(ad, [
      row('g1', { first_name: 'Alice', last_name: 'Green' }),
      row('g2', { first_name: 'Alice', last_name: 'Green' }),
    ]);
    expect(await directory.people()).toEqual([['3'], ['g1'], ['g2']]);
    expect((await cases()).map((each) => each.external_id)).toEqual(['g1', 'g2']);
  });
});

describe('a record whose match key fits two people', () => {
  it('opens a case, and is linked when one of the two loses the key', async () => {
    const shared = { email: 'smiths@x.org' };
    await directory.sync(hr, [
      row('1', { ...shared, employee_number: '1' }),
      row('2', { ...shared, employee_number: '2' }),
    ]);
    await directory.sync(ad, [row('a', shared)]);
    expect(await directory.people()).toEqual([['1'], ['2'], ['a']]);
    expect((await cases()).map((each) => [each.external_id, each.kind, each.candidates.length])).toEqual([
      ['a', 'contested', 2],
    ]);
    await directory.sync(hr, [row('2', { email: 'two@x.org', employee_number: '2' })]);
    expect(await directory.people()).toEqual([['1', 'a'], ['2']]);
    expect(await cases()).toEqual([]);
  });
});

describe('an operator', () => {
  const dispute = async () => {
    await directory.sync(hr, blacks);
    await directory.sync(ad, [row('rblack', { first_name: 'Robert', last_name: 'Black' })]);
    return (await cases())[0]?.id ?? '';
  };

  it('links a record manually, which no later key changes, and can revert it', async () => {
    const case_id = await dispute();
    const before = await directory.people();
    const target = await directory.identityOf('4');
    const old = await directory.identityOf('rblack');
    const { id, status, result } = await directory.operate('case.resolve', {
      case_id,
      resolution: 'link',
      identity_id: target,
    });
    expect({ status, result }).toMatchObject({ status: 'done', result: { identity_id: target } });
    expect(await directory.people()).toEqual([['4', 'rblack'], ['5']]);
    expect(await cases('linked')).toHaveLength(1);
    await directory.sync(ad, [row('rblack', { first_name: 'Robert', last_name: 'Black', email: 'rblack5@x.org' })]);
    expect(await directory.people()).toEqual([['4', 'rblack'], ['5']]);
    await directory.sync(ad, [row('rblack', { first_name: 'Robert', last_name: 'Black' })]);

    expect(await directory.operate('operation.revert', { operation_id: id })).toMatchObject({ status: 'done' });
    expect(await directory.people()).toEqual(before);
    expect(await directory.identityOf('rblack')).toBe(old);
    expect((await cases()).map((each) => each.id)).toEqual([case_id]);
    expect(await directory.operate('operation.revert', { operation_id: id })).toMatchObject({
      status: 'refused',
      result: { error: 'the operation has already been reverted' },
    });
  });

  it('resolves a case as a new person, and no further case opens', async () => {
    const case_id = await dispute();
    await directory.operate('case.resolve', { case_id, resolution: 'new' });
    await directory.sync(hr, [...blacks, row('6', { first_name: 'Robert', last_name: 'Black' })]);
    expect(await directory.people()).toEqual([['4'], ['5'], ['6'], ['rblack']]);
    expect(await cases()).toEqual([]);
  });

  it('keeps the identity of a person that is no candidate, when it is resolved as a new person', async () => {
    const case_id = await dispute();
    const before = await directory.identityOf('rblack');
    const { result } = await directory.operate('case.resolve', { case_id, resolution: 'new' });
    expect([result.identity_id, await directory.identityOf('rblack')]).toEqual([before, before]);
  });

  it('keeps the other candidates at their identities, even if one of them is removed', async () => {
    const case_id = await dispute();
    await directory.operate('identity.erase', { identity_id: await directory.identityOf('4') });
    await directory.operate('case.resolve', { case_id, resolution: 'new' });
    expect(await directory.record('5')).toMatchObject({ decided: true });
  });

  it('does not open an ignored case again, if its account has found its person since', async () => {
    const logins = await directory.fixture.connector(directory.tenant, { records: 'account', name: 'Logins' });
    const email = 'finn@x.org';
    await directory.sync(hr, [
      row('2', { first_name: 'Finn', last_name: 'Hale', email }),
      row('4', { first_name: 'Cy', last_name: 'Berg', email }),
    ]);
    await directory.sync(logins, [row('a', { email, user_principal_name: 'fhale' })]);
    const doubted = (await cases()).find(({ external_id }) => external_id === 'a');
    const { id } = await directory.operate('case.resolve', { case_id: doubted?.id ?? '', resolution: 'ignore' });
    await directory.sync(ad, [row('5', { user_principal_name: 'fhale' })]);
    expect(await directory.people()).toContainEqual(['5', 'a']);
    expect(await directory.operate('operation.revert', { operation_id: id })).toMatchObject({ status: 'done' });
    expect((await cases()).map(({ external_id }) => external_id)).not.toContain('a');
  });

  it('ignores a case until there is a new candidate', async () => {
    const case_id = await dispute();
    await directory.operate('case.resolve', { case_id, resolution: 'ignore' });
    await directory.sync(ad, [row('rblack', { first_name: 'Robert', last_name: 'Black', job_title: 'Clerk' })]);
    expect(await cases()).toEqual([]);
    await directory.sync(hr, [...blacks, row('6', { first_name: 'Robert', last_name: 'Black' })]);
    expect((await cases())[0]?.candidates).toHaveLength(3);
  });

  it('receives a reason for a refused operation, and nothing changes', async () => {
    const case_id = await dispute();
    const nobody = newUuid();
    const [four, five] = [await directory.identityOf('4'), await directory.identityOf('5')];
    expect(await directory.operate('case.resolve', { case_id: nobody, resolution: 'new' })).toMatchObject({
      status: 'refused',
    });
    expect(await directory.operate('case.resolve', { case_id, resolution: 'link' })).toMatchObject({
      status: 'refused',
    });
    expect(await directory.operate('operation.revert', { operation_id: nobody })).toMatchObject({
      status: 'refused',
      result: { error: 'the operation does not exist' },
    });
    expect(await directory.operate('identity.merge', { into_id: four, from_ids: [four] })).toMatchObject({
      status: 'refused',
      result: { error: 'an identity cannot be merged into itself' },
    });
    expect(await directory.operate('identity.merge', { into_id: four, from_ids: [nobody] })).toMatchObject({
      result: { error: `there is no identity ${encodeId('identity', nobody)}` },
    });
    const split = { identity_id: five, record_ids: [(await directory.record('5')).id] };
    expect(await directory.operate('identity.split', split)).toMatchObject({
      result: { error: 'at least one record must stay' },
    });
    expect(await directory.people()).toEqual([['4'], ['5'], ['rblack']]);
  });

  it('merges two identities with a redirect from the old id, and reverts it completely', async () => {
    await directory.sync(hr, blacks);
    await directory.sync(ad, [row('x', { email: 'rblack5@x.org', display_name: 'Bob Black' })]);
    const [four, five] = [await directory.identityOf('4'), await directory.identityOf('5')];
    const shown = async () =>
      directory.fixture.rows(
        'select id, display_name, status, created_at from identities where tenant_id = $1 order by id',
        [directory.tenant],
      );
    const before = await shown();

    const merged = await directory.operate('identity.merge', { into_id: four, from_ids: [five] });
    expect(merged).toMatchObject({ status: 'done', result: { identity_id: four } });
    expect(await directory.people()).toEqual([['4', '5', 'x']]);
    expect(await directory.lastEvents(1)).toEqual(['identity.merged']);
    expect(
      await directory.fixture.rows('select id, into_id from identity_redirects where tenant_id = $1', [
        directory.tenant,
      ]),
    ).toEqual([{ id: five, into_id: four }]);
    await directory.sync(
      hr,
      blacks.map((each) => ({ ...each, fields: { ...each.fields, job_title: ['Clerk'] } })),
    );
    expect(await directory.people()).toEqual([['4', '5', 'x']]);

    await directory.operate('operation.revert', { operation_id: merged.id });
    expect(await directory.people()).toEqual([['4'], ['5', 'x']]);
    expect(await shown()).toEqual(before);
    expect(
      await directory.fixture.rows('select from identity_redirects where tenant_id = $1', [directory.tenant]),
    ).toEqual([]);
  });

  it('splits records from an identity, and a shared key does not join them again', async () => {
    await directory.sync(hr, [row('1', { email: 'a@x.org' })]);
    await directory.sync(ad, [row('a', { email: 'a@x.org' })]);
    const one = await directory.identityOf('1');
    const split = await directory.operate('identity.split', {
      identity_id: one,
      record_ids: [(await directory.record('a')).id],
    });
    expect(split).toMatchObject({ status: 'done', result: { identity_id: one } });
    expect(await directory.lastEvents(3)).toEqual(expect.arrayContaining(['identity.created', 'identity.split']));
    await directory.sync(ad, [row('a', { email: 'a@x.org', job_title: 'Clerk' })]);
    await directory.sync(hr, [row('1', { email: 'a@x.org', job_title: 'Clerk' })]);
    expect(await directory.people()).toEqual([['1'], ['a']]);
    await directory.operate('operation.revert', { operation_id: split.id });
    expect(await directory.people()).toEqual([['1', 'a']]);
    expect(await directory.identityOf('a')).toBe(one);
  });
});

describe('new matching rules', () => {
  const numbersOnly: MatchingRules = { ...defaultMatchingRules, certain: ['employee_number'] };

  it('can be previewed with all joins and splits, without a change', async () => {
    await directory.sync(hr, [row('1', { employee_number: '7', email: 'a@x.org' }), row('2', { email: 'b@x.org' })]);
    await directory.sync(ad, [row('a', { employee_number: '7' }), row('b', { email: 'b@x.org' })]);
    const preview = await directory.operate('rules.change', { rules: numbersOnly, preview: true });
    expect(preview).toMatchObject({
      status: 'done',
      result: {
        identities_parted: 1,
        identities_joined: 0,
        records_moved: 1,
        parted: [{ from_identity_id: await directory.identityOf('2') }],
      },
    });
    expect(await directory.people()).toEqual([
      ['1', 'a'],
      ['2', 'b'],
    ]);
    expect(await directory.fixture.rows('select from matching_rules where tenant_id = $1', [directory.tenant])).toEqual(
      [],
    );

    await directory.operate('rules.change', { rules: numbersOnly, preview: false });
    expect(await directory.people()).toEqual([['1', 'a'], ['2'], ['b']]);
    const back = await directory.operate('rules.change', { rules: defaultMatchingRules, preview: false });
    expect(back.result).toMatchObject({ identities_joined: 1 });
    expect(await directory.people()).toEqual([
      ['1', 'a'],
      ['2', 'b'],
    ]);
  });

  it('do not move manually linked records', async () => {
    await directory.sync(hr, [row('1', { email: 'a@x.org' }), row('2', { email: 'b@x.org' })]);
    await directory.operate('identity.merge', {
      into_id: await directory.identityOf('1'),
      from_ids: [await directory.identityOf('2')],
    });
    await directory.operate('rules.change', { rules: numbersOnly, preview: false });
    expect(await directory.people()).toEqual([['1', '2']]);
  });
});
