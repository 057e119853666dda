import { defaultMatchingRules, type MatchingRules } from '@idsync/contracts';
import { type LinkEvidence, lockRecordsById } from '@idsync/database/directory';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Harness, row } from '../../test/harness.js';
import { applyChanges } from '../changes/apply-changes.js';
import { causedAt, loadTenant } from '../changes/cause.js';

const directory = Harness.ofFile();
let hr: string;
let ad: string;
let accounts: string;

beforeEach(async () => {
  await directory.newTenant();
  hr = await directory.fixture.connector(directory.tenant, { priority: 10, name: 'HR' });
  ad = await directory.fixture.connector(directory.tenant, { priority: 20, name: 'AD' });
  accounts = await directory.fixture.connector(directory.tenant, { priority: 30, records: 'account' });
});

interface Linked {
  external_id: string;
  id: string;
  identity_id: string;
  evidence: LinkEvidence | null;
}

async function linked(): Promise<Record<string, Linked>> {
  const rows = await directory.fixture.rows<Linked>(
    'select external_id, id, identity_id, evidence from source_records where tenant_id = $1',
    [directory.tenant],
  );
  return Object.fromEntries(rows.map((each) => [each.external_id, each]));
}

/** Evidence by external id, with the external id of the other record: `keys email 1`. */
async function evidence(): Promise<Record<string, string | undefined>> {
  const records = await linked();
  const nameOf = (id: string | undefined) => Object.values(records).find((each) => each.id === id)?.external_id;
  return Object.fromEntries(
    Object.entries(records).map(([externalId, { evidence: each, identity_id }]) => {
      if (each && each.identity_id !== identity_id) throw new Error(`${externalId}: evidence of another identity`);
      return [externalId, each ? [each.kind, each.rule, nameOf(each.record_id)].filter(Boolean).join(' ') : undefined];
    }),
  );
}

const detailsOf = async (type: string) => {
  const rows = await directory.fixture.rows<{ details: Record<string, unknown> }>(
    'select details from events where tenant_id = $1 and type = $2 order by sequence',
    [directory.tenant, type],
  );
  return rows.map(({ details }) => details);
};

const trusting: MatchingRules = {
  ...defaultMatchingRules,
  weak: defaultMatchingRules.weak.map((tier) => ({ ...tier, when_unique: 'link' })),
};

describe('the evidence of a link', () => {
  it('is the strongest equal match key, with both values, the other record, the job and the time', async () => {
    await directory.sync(hr, [row('1', { employee_number: '17', email: 'Ann@x.org' })], '2026-01-01T00:00:00Z');
    const job = await directory.sync(
      ad,
      [row('ann', { user_principal_name: 'ann', email: 'ann@x.org' })],
      '2026-01-02T00:00:00Z',
    );
    await directory.sync(accounts, [row('login', { employee_number: '17' })]);
    const found = await linked();
    expect(found.ann?.evidence).toEqual({
      kind: 'keys',
      rule: 'email',
      record_id: found['1']?.id,
      values: [{ field: 'email', value: 'ann@x.org', other: 'Ann@x.org' }],
      identity_id: found['1']?.identity_id,
      job_id: job,
      at: '2026-01-02T00:00:00.000Z',
    });
    expect(await evidence()).toEqual({ '1': 'first', ann: 'keys email 1', login: 'keys employee_number 1' });
  });

  it('is the fuzzy rule with its score and both names, if a similar name has linked it', async () => {
    await directory.operate('rules.change', { rules: trusting, preview: false });
    await directory.sync(hr, [row('1', { first_name: 'Alice', last_name: 'Green' })]);
    await directory.sync(ad, [row('agreen', { display_name: 'Alice Green' })]);
    const found = await linked();
    expect(found.agreen?.evidence).toMatchObject({
      kind: 'fuzzy',
      rule: 'same name',
      score: 1,
      record_id: found['1']?.id,
      values: [{ field: 'full_name', value: 'Alice Green', other: 'Alice Green' }],
    });
    expect((await detailsOf('identity.merged'))[0]).toMatchObject({
      reason: 'fuzzy rule: same name',
      evidence: { kind: 'fuzzy', rule: 'same name', score: 1 },
    });
  });

  it('stays when a value changes, because the link stays', async () => {
    await directory.sync(hr, [row('1', { email: 'ann@x.org' })]);
    await directory.sync(ad, [row('ann', { email: 'ann@x.org' })]);
    await directory.sync(ad, [row('ann', { email: 'other@x.org' })]);
    expect((await linked()).ann?.evidence?.values).toEqual([
      { field: 'email', value: 'ann@x.org', other: 'ann@x.org' },
    ]);
  });

  it('leads from every record of merged identities to the first one', async () => {
    await directory.sync(hr, [row('1', { email: 'ann@x.org' })]);
    await directory.sync(ad, [row('ann', { user_principal_name: 'ann' })]);
    await directory.sync(accounts, [row('login', { user_principal_name: 'ann' })]);
    await directory.sync(ad, [row('ann', { user_principal_name: 'ann', email: 'ann@x.org' })]);
    expect(await evidence()).toEqual({
      '1': 'first',
      ann: 'keys email 1',
      login: 'keys user_principal_name ann',
    });
    expect((await detailsOf('identity.merged'))[0]).toMatchObject({
      reason: 'email is the same',
      evidence: { kind: 'keys', rule: 'email' },
    });
  });

  it('is in the event of a linked account, without values', async () => {
    await directory.sync(hr, [row('1', { email: 'ann@x.org' })]);
    await directory.sync(accounts, [row('login', { email: 'late@x.org' })]);
    await directory.sync(hr, [row('1', { email: 'late@x.org' })]);
    const [details] = await detailsOf('account.linked');
    expect(details).toMatchObject({ reason: 'email is the same', evidence: { kind: 'keys', rule: 'email' } });
    expect(JSON.stringify(details)).not.toContain('@x.org');
  });
});

describe('after a decision of an operator, the evidence', () => {
  const first = row('1', { employee_number: '1', email: 'ann@x.org' });
  const second = row('2', { employee_number: '2', email: 'bob@x.org' });

  it('is the operation for a merged person, and unchanged for the records that moved along', async () => {
    await directory.sync(hr, [first, second]);
    await directory.sync(accounts, [row('login', { email: 'bob@x.org' })]);
    const [into_id, from] = [await directory.identityOf('1'), await directory.identityOf('2')];
    const { id } = await directory.operate('identity.merge', { into_id, from_ids: [from], reason: 'one person' });
    expect(await evidence()).toEqual({ '1': 'first', '2': 'operator', login: 'keys email 2' });
    expect((await linked())['2']?.evidence).toMatchObject({ operation_id: id });
    expect((await detailsOf('identity.merged'))[0]).toMatchObject({ reason: 'decided by an operator' });
  });

  it('is as before after a revert, with the values that the records have now', async () => {
    await directory.sync(hr, [first, second]);
    await directory.sync(accounts, [row('login', { email: 'bob@x.org' })]);
    const before = await linked();
    const [into_id, from] = [await directory.identityOf('1'), await directory.identityOf('2')];
    const { id } = await directory.operate('identity.merge', { into_id, from_ids: [from] });
    await directory.operate('operation.revert', { operation_id: id });
    expect(await linked()).toEqual(before);
  });

  it('is the operation for both parts of a split', async () => {
    await directory.sync(hr, [first]);
    await directory.sync(ad, [row('ann', { email: 'ann@x.org' })]);
    const record_ids = [(await directory.record('ann')).id];
    const identity_id = await directory.identityOf('1');
    const { id } = await directory.operate('identity.split', { identity_id, record_ids });
    expect(await evidence()).toEqual({ '1': 'first', ann: 'operator' });
    await directory.operate('operation.revert', { operation_id: id });
    expect(await evidence()).toEqual({ '1': 'first', ann: 'keys email 1' });
  });

  it('names the resolved review case', async () => {
    await directory.sync(hr, [row('1', { first_name: 'Alice', last_name: 'Green' })]);
    await directory.sync(accounts, [row('agreen', { display_name: 'Alice Green' })]);
    const [open] = await directory.fixture.rows<{ id: string }>('select id from review_cases where tenant_id = $1', [
      directory.tenant,
    ]);
    const identity_id = await directory.identityOf('1');
    await directory.operate('case.resolve', { case_id: open?.id ?? '', resolution: 'link', identity_id });
    expect((await linked()).agreen?.evidence).toMatchObject({ kind: 'operator', case_id: open?.id });
  });
});

describe('when the other record is no longer there, the evidence', () => {
  it('keeps its own value only, if the other record was purged', async () => {
    await directory.sync(hr, [row('1', { email: 'Ann@x.org' })], '2026-01-01T00:00:00Z');
    await directory.sync(ad, [row('ann', { email: 'ann@x.org' })], '2026-01-01T00:00:00Z');
    const { database, fixture, tenant } = directory;
    const [purged] = await fixture.rows<{ id: string }>(
      'select id from source_records where external_id = $1 and tenant_id = $2',
      ['1', tenant],
    );
    await database.transaction(tenant, async (tx) => {
      const cause = { ...(await loadTenant(tx)), ...causedAt(undefined) };
      const [before] = await lockRecordsById(tx, [purged?.id ?? '']);
      if (before) await applyChanges(tx, cause, [{ before, record: { ...before }, removed: true }]);
    });
    const found = (await linked()).ann?.evidence;
    expect(found).toMatchObject({ kind: 'keys', rule: 'email', values: [{ field: 'email', value: 'ann@x.org' }] });
    expect(JSON.stringify(found)).not.toContain('Ann@x.org');
    expect(found?.record_id).toBeUndefined();
  });

  it('is renewed for a record that new rules have parted', async () => {
    await directory.sync(hr, [row('1', { email: 'ann@x.org' })]);
    await directory.sync(ad, [row('ann', { email: 'ann@x.org' })]);
    const rules = { ...defaultMatchingRules, certain: ['employee_number' as const] };
    await directory.operate('rules.change', { rules, preview: false });
    expect(await evidence()).toEqual({ '1': 'first', ann: 'first' });
  });
});

describe('the preview of rules', () => {
  it('lists who would be joined and parted, with the evidence, and changes nothing', async () => {
    await directory.sync(hr, [row('1', { email: 'ann@x.org' }), row('2', { user_principal_name: 'bob' })]);
    await directory.sync(ad, [row('ann', { email: 'ann@x.org' }), row('bob', { user_principal_name: 'BOB' })]);
    const numbersOnly = { ...defaultMatchingRules, certain: ['user_principal_name' as const] };
    const before = await linked();
    const { result } = await directory.operate('rules.change', { rules: numbersOnly, preview: true });
    expect(result).toMatchObject({
      identities_parted: 1,
      identities_joined: 0,
      cases_opened: 0,
      records_not_compared: 0,
    });
    expect(result.parted).toMatchObject([
      {
        kind: 'keys',
        rule: 'email',
        fields: ['email'],
        record: { id: before.ann?.id, kind: 'user' },
        other: before['1']?.id,
        from_identity_id: before['1']?.identity_id,
      },
    ]);
    expect(await linked()).toEqual(before);

    await directory.operate('rules.change', { rules: numbersOnly, preview: false });
    const parted = await linked();
    const { result: again } = await directory.operate('rules.change', { rules: defaultMatchingRules, preview: true });
    expect(again.joined).toMatchObject([
      {
        kind: 'keys',
        rule: 'email',
        from_identity_id: parted.ann?.identity_id,
        into_identity_id: parted['1']?.identity_id,
      },
    ]);
    expect(JSON.stringify(again)).not.toContain('ann@x.org');
  });

  it('includes the people that the fuzzy rules would link, and the review cases that they would open', async () => {
    await directory.sync(hr, [
      row('1', { first_name: 'Alice', last_name: 'Green' }),
      row('2', { first_name: 'Robert', last_name: 'Black' }),
      row('3', { first_name: 'Robert', last_name: 'Black' }),
    ]);
    const untouched = { ...defaultMatchingRules, weak: [] };
    await directory.operate('rules.change', { rules: untouched, preview: false });
    await directory.sync(ad, [row('agreen', { display_name: 'Alice Green' })]);
    await directory.sync(accounts, [row('rblack', { display_name: 'Robert Black' })]);
    const before = await linked();
    const { result } = await directory.operate('rules.change', { rules: trusting, preview: true });
    expect(result.joined).toMatchObject([
      {
        kind: 'fuzzy',
        rule: 'same name',
        score: 1,
        fields: ['full_name'],
        record: { id: before.agreen?.id },
        other: before['1']?.id,
        into_identity_id: before['1']?.identity_id,
      },
    ]);
    expect(result).toMatchObject({ identities_joined: 1, identities_parted: 0, cases_opened: 1 });
    expect(result.cases).toMatchObject([{ rule: 'same name', record: { id: before.rblack?.id } }]);
    expect(result.cases[0].candidates.map((each: { identity_id: string }) => each.identity_id).sort()).toEqual(
      [before['2']?.identity_id, before['3']?.identity_id].sort(),
    );
    expect(await linked()).toEqual(before);
  });

  it('does not list people that the rules part and the fuzzy match joins again', async () => {
    await directory.operate('rules.change', { rules: trusting, preview: false });
    await directory.sync(hr, [row('1', { first_name: 'Alice', last_name: 'Green' })]);
    await directory.sync(ad, [row('agreen', { display_name: 'Alice Green' })]);
    const { result } = await directory.operate('rules.change', { rules: trusting, preview: true });
    expect(result).toMatchObject({ identities_joined: 0, identities_parted: 0, joined: [], parted: [] });
  });

  it('lists accounts that would get another person', async () => {
    await directory.sync(hr, [row('1', { email: 'ann@x.org' })]);
    await directory.sync(accounts, [row('login', { email: 'ann@x.org' })]);
    const before = await linked();
    const rules = { ...defaultMatchingRules, certain: ['employee_number' as const] };
    const { result } = await directory.operate('rules.change', { rules, preview: true });
    expect(result).toMatchObject({
      accounts_moved: 1,
      moved: [
        {
          kind: 'keys',
          rule: 'email',
          record: { id: before.login?.id, kind: 'account' },
          from_identity_id: before['1']?.identity_id,
        },
      ],
    });
  });
});
