import { createTestDatabase, DirectoryFixture, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { byteas, integers, jsons, texts, times, uuids } from './arrays.js';

/** Any text that PostgreSQL can store. */
const text = fc.string({ unit: 'binary' }).map((value) => value.replaceAll('\0', ''));
const moment = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T00:00:00Z'),
  noInvalidDate: true,
});

describe('binary arrays', () => {
  let database: TestDatabase;
  let rows: DirectoryFixture;

  beforeAll(async () => {
    database = await createTestDatabase();
    rows = DirectoryFixture.connect(database.url);
  });

  afterAll(async () => {
    await rows?.close();
    await database?.drop();
  });

  /** Returns the array as PostgreSQL parses it, as JSON. */
  const read = async (type: string, values: Buffer): Promise<unknown> => {
    const [row] = await rows.rows<{ value: unknown }>(`select to_jsonb($1::${type}[]) as value`, [values]);
    return row?.value;
  };

  it.each<[string, (values: never[]) => Buffer, fc.Arbitrary<unknown>, (value: never) => unknown]>([
    ['text', texts, text, (value) => value],
    ['jsonb', jsons, fc.dictionary(text, text).map((value) => JSON.stringify(value)), (value) => JSON.parse(value)],
    ['uuid', uuids, fc.uuid(), (value) => value],
    ['integer', integers, fc.integer(), (value) => value],
    [
      'bytea',
      byteas,
      fc.uint8Array().map((value) => Buffer.from(value)),
      (value: Buffer) => `\\x${value.toString('hex')}`,
    ],
  ])('of %s arrive as they were, nulls and emptiness included', async (type, encode, one, shown) => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(one)), async (values) => {
        const expected = values.map((value) => (value === null ? null : shown(value as never)));
        expect(await read(type, encode(values as never[]))).toEqual(expected);
      }),
      { numRuns: 50 },
    );
  });

  it('of timestamptz keep milliseconds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(moment)), async (values) => {
        const found = await rows.rows<{ at: Date | null }>('select unnest($1::timestamptz[]) as at', [times(values)]);
        expect(found.map(({ at }) => at?.getTime() ?? null)).toEqual(values.map((at) => at?.getTime() ?? null));
      }),
      { numRuns: 50 },
    );
  });
});
