import { defaultMatchingRules, encodeId, type MatchingRules, type Message } from '@idsync/contracts';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { directoryFaults } from '../../test/directory-faults.js';
import { Harness, row } from '../../test/harness.js';
import { applyDue } from '../background/due-work.js';
import { applyBatch } from '../batch/apply-batch.js';

interface Machine {
  external_id: string;
  status: string;
  identity_id: string;
  document: string;
  machine: { risk: { score: number; factors: object[] } };
}

const directory = Harness.ofFile();
let hr: string;
let apps: string;

beforeEach(async () => {
  await directory.newTenant();
  hr = await directory.fixture.connector(directory.tenant, { priority: 10 });
  apps = await directory.fixture.connector(directory.tenant, { priority: 20, records: 'machine_identity' });
});

const ann = (status = 'active') => row('ann', { email: 'ann@x.org', status });
const bob = (status = 'active') => row('bob', { email: 'bob@x.org', employee_number: '7', status });
const bot = row('bot', {
  owned_by: 'Ann@x.org',
  manager_id: 'bob',
  technical_inheritor: '7',
  classification: 'ci_cd',
});

/** The bot's document, with people as the external ids of their users. */
async function shown(externalId = 'bot'): Promise<Record<string, unknown>> {
  const [machine] = await directory.fixture.rows<Machine>(
    'select * from source_records where tenant_id = $1 and external_id = $2',
    [directory.tenant, externalId],
  );
  const users = await directory.fixture.rows<{ external_id: string; identity_id: string }>(
    `select external_id, identity_id from source_records where tenant_id = $1 and kind = 'user'`,
    [directory.tenant],
  );
  const names = new Map(users.map((user) => [encodeId('identity', user.identity_id), user.external_id]));
  const document = JSON.parse(machine?.document ?? '{}') as Record<string, string>;
  const name = (id: string | undefined) => (id === undefined ? undefined : (names.get(id) ?? `"${id}"`));
  expect(await directoryFaults(directory.fixture, directory.tenant)).toEqual([]);
  return {
    owned_by: name(document.owned_by),
    manager_id: name(document.manager_id),
    technical_inheritor: name(document.technical_inheritor),
    status: document.status,
    risk_score: document.risk_score,
    risk_factors: document.risk_factors,
    under: names.get(encodeId('identity', machine?.identity_id ?? '')),
  };
}

async function machineEvents(): Promise<{ type: string; details: Record<string, unknown> }[]> {
  return directory.fixture.rows(
    `select type, details from events where tenant_id = $1 and type like 'machine_identity.%' order by sequence`,
    [directory.tenant],
  );
}

const all = { owned_by: 'ann', manager_id: 'bob', technical_inheritor: 'bob', under: 'ann', status: 'active' };

describe('a machine reference to a person', () => {
  it('is resolved by match key or external id when the person exists before the machine', async () => {
    await directory.sync(hr, [ann(), bob()]);
    await directory.sync(apps, [bot]);
    expect(await shown()).toMatchObject({ ...all, risk_score: 0, risk_factors: [] });
  });

  it('shows the text of the source until the person is added', async () => {
    await directory.sync(apps, [bot]);
    expect(await shown()).toMatchObject({
      owned_by: '"Ann@x.org"',
      manager_id: '"bob"',
      technical_inheritor: '"7"',
      status: 'orphaned',
      under: undefined,
      risk_score: 30,
      risk_factors: ['no_active_owner'],
    });
    await directory.sync(hr, [bob()]);
    expect(await shown()).toMatchObject({
      owned_by: '"Ann@x.org"',
      manager_id: 'bob',
      technical_inheritor: 'bob',
      status: 'orphaned',
    });
    await directory.sync(await directory.fixture.connector(directory.tenant), [ann()]);
    expect(await shown()).toMatchObject({ ...all, risk_score: 0 });
    expect((await machineEvents()).map(({ type }) => type)).toEqual([
      'machine_identity.created',
      'machine_identity.updated',
      'machine_identity.updated',
      'machine_identity.owner_changed',
      'machine_identity.risk_changed',
    ]);
  });

  it('does not give a machine to a person with its address and another employee number, whatever else is resolved', async () => {
    await directory.sync(hr, [row('ann', { email: 'ann@x.org', employee_number: '9' })]);
    await directory.sync(apps, [row('bot', { email: 'ann@x.org', employee_number: '8', manager_id: 'bob' })]);
    expect(await shown()).toMatchObject({ manager_id: '"bob"', under: undefined });
    await directory.sync(await directory.fixture.connector(directory.tenant), [bob()]);
    expect(await shown()).toMatchObject({ manager_id: 'bob', under: undefined });
  });

  it('is not resolved when two people have the same external id', async () => {
    const other = await directory.fixture.connector(directory.tenant);
    await directory.sync(hr, [bob()]);
    await directory.sync(other, [row('bob', { email: 'robert@x.org' })]);
    await directory.sync(apps, [bot]);
    expect(await shown()).toMatchObject({ manager_id: '"bob"', technical_inheritor: 'bob' });
  });

  it('follows a merge of the person, and its revert', async () => {
    const other = await directory.fixture.connector(directory.tenant);
    await directory.sync(hr, [ann(), bob()]);
    await directory.sync(other, [row('carl', { email: 'carl@x.org' })]);
    await directory.sync(apps, [bot]);
    const [annId, carlId] = [await directory.identityOf('ann'), await directory.identityOf('carl')];
    const { id } = await directory.operate('identity.merge', { into_id: carlId, from_ids: [annId] });
    expect(await directory.identityOf('bot')).toBe(carlId);
    await directory.operate('operation.revert', { operation_id: id });
    expect(await directory.identityOf('bot')).toBe(annId);
    expect(await shown()).toMatchObject(all);
  });

  it('changes the owner as soon as the source names another owner', async () => {
    await directory.sync(hr, [ann(), bob()]);
    await directory.sync(apps, [bot]);
    await directory.sync(apps, [row('bot', { owned_by: 'bob' })]);
    expect(await shown()).toMatchObject({ owned_by: 'bob', manager_id: undefined, under: 'bob' });
    await directory.sync(apps, [row('bot', { owned_by: 'nobody' })]);
    expect(await shown()).toMatchObject({ owned_by: '"nobody"', status: 'orphaned', under: undefined });
    const left = await directory.fixture.rows('select role, value, identity_id from machine_references', []);
    expect(left).toContainEqual({ role: 'owned_by', value: 'nobody', identity_id: null });
  });
});

describe('an owner without access', () => {
  it.each(['suspended', 'inactive', 'deleted'])(
    '(%s) is replaced by the technical inheritor and owns the machine again after returning',
    async (status) => {
      await directory.sync(hr, [ann(), bob()]);
      await directory.sync(apps, [bot]);
      await directory.sync(hr, [ann(status)]);
      expect(await shown()).toMatchObject({ ...all, owned_by: 'bob', under: 'bob', risk_score: 0 });
      const [annId, bobId] = [await directory.identityOf('ann'), await directory.identityOf('bob')];
      const changed = (await machineEvents()).at(-1);
      expect(changed).toMatchObject({
        type: 'machine_identity.owner_changed',
        details: {
          handed_over: true,
          changes: [
            { field: 'identity_id', from: encodeId('identity', annId), to: encodeId('identity', bobId) },
            { field: 'owned_by', from: encodeId('identity', annId), to: encodeId('identity', bobId) },
          ],
        },
      });
      await directory.sync(hr, [ann()]);
      expect(await shown()).toMatchObject(all);
      expect((await machineEvents()).at(-1)?.type).toBe('machine_identity.owner_changed');
    },
  );

  it('keeps the machine, orphaned and with a risk score, while no inheritor is active', async () => {
    await directory.sync(hr, [ann(), bob('suspended')]);
    await directory.sync(apps, [bot]);
    await directory.sync(hr, [ann('inactive')]);
    expect(await shown()).toMatchObject({ owned_by: 'ann', under: 'ann', status: 'orphaned', risk_score: 30 });
    expect((await machineEvents()).slice(-2).map(({ type }) => type)).toEqual([
      'machine_identity.orphaned',
      'machine_identity.risk_changed',
    ]);
    await directory.sync(hr, [bob()]);
    expect(await shown()).toMatchObject({ owned_by: 'bob', under: 'bob', status: 'active', risk_score: 0 });
    await directory.sync(hr, [bob('inactive')]);
    expect(await shown()).toMatchObject({ owned_by: 'ann', under: 'ann', status: 'orphaned', risk_score: 30 });
  });

  it('is replaced permanently by the inheritor after the purge', async () => {
    await directory.sync(hr, [ann(), bob()], '2026-01-01T00:00:00Z');
    await directory.sync(apps, [bot], '2026-01-01T00:00:00Z');
    await directory.sync(hr, [ann('deleted')], '2026-01-02T00:00:00Z');
    await applyDue(directory.database, directory.tenant, new Date('2026-03-02T00:00:00Z'));
    expect(await directory.people()).toEqual([['bob', 'bot']]);
    expect(await shown()).toMatchObject({ owned_by: 'bob', status: 'active' });
  });

  it('is replaced by the inheritor after the erasure, which removes all references to the person', async () => {
    await directory.sync(hr, [ann(), bob()]);
    await directory.sync(apps, [bot]);
    await directory.operate('identity.erase', { identity_id: await directory.identityOf('ann') });
    expect(await shown()).toMatchObject({ owned_by: 'bob', under: 'bob', status: 'active' });
  });

  it('is replaced by the inheritor for a manually linked machine too', async () => {
    await directory.sync(hr, [ann(), bob()]);
    await directory.sync(apps, [row('bot', { technical_inheritor: 'bob' })]);
    const [annId, botId] = [await directory.identityOf('ann'), await directory.identityOf('bot')];
    await directory.operate('identity.merge', { into_id: annId, from_ids: [botId] });
    expect(await shown()).toMatchObject({ owned_by: 'ann', under: 'ann', status: 'active' });
    await directory.sync(hr, [ann('inactive')]);
    expect(await shown()).toMatchObject({ owned_by: 'bob', under: 'bob' });
    await directory.sync(hr, [ann()]);
    expect(await shown()).toMatchObject({ owned_by: 'ann', under: 'ann' });
  });
});

describe('a machine that an operator splits from its owner', () => {
  it('keeps its own identity regardless of the owner in its source', async () => {
    await directory.sync(hr, [ann(), bob()]);
    await directory.sync(apps, [bot]);
    const [identity_id, machine] = [await directory.identityOf('ann'), await directory.record('bot')];
    await directory.operate('identity.split', { identity_id, record_ids: [machine.id] });
    await directory.sync(hr, [ann('inactive')]);
    expect(await shown()).toMatchObject({ status: 'orphaned', under: undefined, risk_score: 30 });
  });
});

describe('the risk of a machine', () => {
  it('grows when a period expires, once, and falls when its source updates the data', async () => {
    const secret = (rotated: string) => [
      row('bot', { owned_by: 'ann', 'attributes.secret_rotated_at': rotated, 'attributes.last_used_at': '2026-01-20' }),
    ];
    const clock = (at: string) => applyDue(directory.database, directory.tenant, new Date(at));
    await directory.sync(hr, [ann()], '2026-02-01T00:00:00Z');
    await directory.sync(apps, secret('2026-01-10'), '2026-02-01T00:00:00Z');
    expect(await shown()).toMatchObject({ risk_score: 0 });
    expect(await clock('2026-04-09T00:00:00Z')).toBe(0);
    expect(await clock('2026-04-10T00:00:00Z')).toBe(1);
    expect(await clock('2026-04-10T00:00:00Z')).toBe(0);
    expect(await shown()).toMatchObject({ risk_score: 20, risk_factors: ['long_lived_secret'] });
    expect((await machineEvents()).at(-1)).toMatchObject({
      type: 'machine_identity.risk_changed',
      details: {
        risk_factors: [{ factor: 'long_lived_secret', points: 20 }],
        changes: [{ field: 'risk_score', from: '0', to: '20' }],
      },
    });
    expect(await clock('2026-04-20T00:00:00Z')).toBe(1);
    expect(await shown()).toMatchObject({ risk_score: 30, risk_factors: ['long_lived_secret', 'unused'] });
    await directory.sync(apps, secret('2026-04-21'), '2026-04-22T00:00:00Z');
    expect(await shown()).toMatchObject({ risk_score: 10, risk_factors: ['unused'] });
  });

  it('is 0 once the machine is decommissioned', async () => {
    await directory.sync(apps, [bot]);
    await directory.sync(apps, [row('bot', { owned_by: 'ann', status: 'decommissioned' })]);
    expect(await shown()).toMatchObject({ status: 'decommissioned', risk_score: 0, risk_factors: [] });
    expect((await machineEvents()).map(({ type }) => type)).toContain('machine_identity.decommissioned');
  });

  it('is 0 while the job that added the machine is undone', async () => {
    await directory.sync(hr, [ann()]);
    const job = await directory.sync(apps, [bot]);
    await directory.operate('job.undo', { job_id: job, preview: false });
    expect(await shown()).toMatchObject({ status: 'decommissioned', risk_score: 0 });
    await directory.sync(hr, [ann('inactive'), bob()]);
    expect(await shown()).toMatchObject({ status: 'decommissioned', under: 'ann' });
    await directory.sync(apps, [bot]);
    expect(await shown()).toMatchObject({ status: 'active', owned_by: 'bob' });
  });
});

describe('machines and people that are added concurrently', () => {
  it('are always linked', async () => {
    const lists = await Promise.all([1, 2, 3].map(() => directory.fixture.connector(directory.tenant)));
    const numbers = Array.from({ length: 30 }, (_, at) => at);
    const bots = numbers.map((at) =>
      row(`bot-${at}`, { owned_by: `o${at}@x.org`, manager_id: `m${at}`, technical_inheritor: `h${at}@x.org` }),
    );
    const people = [
      numbers.map((at) => row(`o${at}`, { email: `o${at}@x.org` })),
      numbers.map((at) => row(`m${at}`, { email: `m${at}@x.org` })),
      numbers.map((at) => row(`h${at}`, { email: `h${at}@x.org` })),
    ];
    const messages: Message<'sync.batch.ready'>[] = [];
    for (const [at, connector] of [...lists, apps].entries()) {
      const records = people[at] ?? bots;
      const job = await directory.fixture.job(directory.tenant, connector);
      for (let from = 0, seq = 0; from < records.length; from += 5, seq += 1) {
        messages.push(
          await directory.fixture.batch(directory.tenant, connector, job, seq, records.slice(from, from + 5)),
        );
      }
    }
    // Alternates the order, so that machines run concurrently with people of every source.
    const mixed = messages.flatMap((message, at) => (at % 2 ? message : (messages.at(-1 - at) ?? message)));
    await Promise.all([...new Set([...mixed, ...messages])].map((message) => applyBatch(directory.database, message)));
    for (const at of numbers) {
      expect(await shown(`bot-${at}`)).toMatchObject({
        owned_by: `o${at}`,
        manager_id: `m${at}`,
        technical_inheritor: `h${at}`,
        status: 'active',
        under: `o${at}`,
      });
    }
  });
});

describe('a change of the matching rules', () => {
  it('keeps resolved references and removes references by a key that is no longer used', async () => {
    await directory.sync(hr, [ann('inactive'), bob()]);
    await directory.sync(apps, [bot]);
    const before = await shown();
    expect(before).toMatchObject({ owned_by: 'bob', under: 'bob' });
    await directory.operate('rules.change', { rules: defaultMatchingRules, preview: false });
    expect(await shown()).toEqual(before);
    const rules: MatchingRules = { ...defaultMatchingRules, certain: ['employee_number'] };
    await directory.operate('rules.change', { rules, preview: false });
    expect(await shown()).toMatchObject({ owned_by: '"Ann@x.org"', technical_inheritor: 'bob', status: 'orphaned' });
  });
});
