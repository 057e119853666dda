import { recordLimits, type SourceRecord, volumeLimits } from '@idsync/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { directoryFaults } from '../../test/directory-faults.js';
import { Harness } from '../../test/harness.js';

let harness: Harness;

beforeAll(async () => {
  harness = await Harness.create();
});

beforeEach(() => harness.newTenant());

afterAll(() => harness?.close());

/** About the maximum size of a record, with few values. */
const large = (id: string, mail: string): SourceRecord => ({
  external_id: id,
  fields: { email: [mail], 'attributes.notes': Array.from({ length: 15 }, (_, at) => `${at}`.padEnd(16_000, 'x')) },
});
const small = (id: string, mail: string): SourceRecord => ({ external_id: id, fields: { email: [mail] } });
const errorsOf = async (job: string) => {
  const [answer] = await harness.fixture.rows<{ message: string }>(
    `select message from outbox where type = 'sync.batch.applied' and message::jsonb #>> '{data,job_id}' = $1`,
    [job],
  );
  return JSON.parse(answer?.message ?? '{}').data as { created: number; updated: number; errors: object[] };
};

describe('a batch', () => {
  it('is applied completely, in parts, when its changed records exceed the load limit', async () => {
    const connector = await harness.fixture.connector(harness.tenant);
    const all = Array.from({ length: 60 }, (_, at) => at);
    expect(60 * recordLimits.bytes * 0.9).toBeGreaterThan(volumeLimits.loadWeight / 2);
    for (const from of [0, 30]) {
      const some = all.slice(from, from + 30);
      await harness.sync(
        connector,
        some.map((at) => large(`r${at}`, `r${at}@x.org`)),
      );
    }
    const job = await harness.sync(
      connector,
      all.map((at) => small(`r${at}`, `r${at}@x.org`)),
    );
    expect(await errorsOf(job)).toMatchObject({ created: 0, updated: 60, errors: [] });
    const accounts = await harness.fixture.connector(harness.tenant, { records: 'account' });
    const linked = await harness.sync(
      accounts,
      all.map((at) => small(`a${at}`, `r${at}@x.org`)),
    );
    expect(await errorsOf(linked)).toMatchObject({ created: 60, errors: [] });
    expect(await harness.people()).toHaveLength(60);
    expect(await directoryFaults(harness.fixture, harness.tenant)).toEqual([]);
  });
});

describe('a record', () => {
  it('does not join an identity that would exceed the weight limit, and does not prevent others from joining', async () => {
    const connector = await harness.fixture.connector(harness.tenant, { records: 'account' });
    const people = await harness.fixture.connector(harness.tenant);
    await harness.sync(people, [small('ann', 'ann@x.org'), small('bob', 'bob@x.org')]);
    const fitting = Math.floor(volumeLimits.identityWeight / (15 * 16_256 + 1_024 + 300)) - 1;
    const accounts = Array.from({ length: fitting + 3 }, (_, at) => large(`a${at}`, 'ann@x.org'));
    let errors: object[] = [];
    for (let from = 0; from < accounts.length; from += 30) {
      const some = [...accounts.slice(from, from + 30), small(`b${from}`, 'bob@x.org')];
      errors = errors.concat((await errorsOf(await harness.sync(connector, some))).errors);
    }
    const message = expect.stringMatching(
      /^could not be applied: the \d+ records of its identity would take .* are allowed$/,
    );
    expect(errors.length).toBeGreaterThan(0);
    expect(errors).toEqual(accounts.slice(-errors.length).map(({ external_id }) => ({ external_id, message })));
    const sizes = (await harness.people()).map((names) => names.length).sort((a, b) => a - b);
    expect(sizes).toEqual([1 + Math.ceil(accounts.length / 30), 1 + accounts.length - errors.length]);
    const grown = await harness.fixture.rows<{ bytes: number }>(
      'select octet_length(document) as bytes from identities',
    );
    const most = volumeLimits.attributeBytes + volumeLimits.nestedBytes + 10_000;
    expect(Math.max(...grown.map(({ bytes }) => bytes))).toBeLessThan(most);
  });
});
