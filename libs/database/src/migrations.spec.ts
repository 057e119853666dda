import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type MigrationInterface, QueryFailedError, type QueryRunner } from 'typeorm';
import { incompatibleStatements } from '../test/incompatible-statements.js';
import { migrations } from './migrations/index.js';
import { buildIndex } from './schema/build-index.js';
import { setFloor } from './schema/schema-version.js';
import { transactionWithLockRetries } from './transaction-with-lock-retries.js';

/** Returns the statements that a migration runs on an empty database. */
async function sent(work: (runner: QueryRunner) => Promise<unknown>): Promise<string[]> {
  const statements: string[] = [];
  const query = async (sql: string) => {
    statements.push(sql);
    return [];
  };
  await work({ query } as unknown as QueryRunner);
  return statements;
}

const floorOf = async (name: string) => (await sent((runner) => setFloor(runner, name)))[0];
/** The first migration creates the schema of the first version, so no code runs on a schema without it. */
const guarded = migrations.slice(1);

describe('the first migration', () => {
  it('never changes, because databases of version 0.1.0 would lack the change: write another migration', () => {
    const file = readFileSync(new URL('./migrations/1700000000001-baseline.ts', import.meta.url));
    const frozen = 'f2aada000228b232f62c79a3b447783af699a1513d277314093b1bb1e02f2363';
    expect(createHash('sha256').update(file).digest('hex')).toBe(frozen);
  });
});

describe('a migration after the first', () => {
  it('is compatible with running code of the previous version, or raises the schema floor', async () => {
    for (const Migration of guarded) {
      const statements = await sent((runner) => new Migration().up(runner));
      expect([Migration.name, statements]).not.toEqual([Migration.name, []]);
      if (statements.includes((await floorOf(Migration.name)) ?? '')) continue;
      expect([Migration.name, incompatibleStatements(statements)]).toEqual([Migration.name, []]);
    }
  });

  it('builds indexes on existing tables outside of a transaction, without other statements', async () => {
    for (const Migration of guarded) {
      const migration: MigrationInterface = new Migration();
      const statements = await sent((runner) => migration.up(runner));
      const ofIndexes = statements.filter((sql) =>
        /^create (unique )?index concurrently|^(set|reset|select) /.test(sql),
      );
      const expected = migration.transaction === false ? statements : [];
      expect([Migration.name, ofIndexes]).toEqual([Migration.name, expected]);
    }
  });
});

describe('a statement of a migration', () => {
  it.each([
    'create table plans (id uuid primary key, name text not null unique); create unique index plans_name on plans (name)',
    'create table plans (id uuid); alter table plans add constraint plans_pkey primary key (id)',
    'alter table events add column traceparent text',
    `alter table events add column kind text not null default 'a, (b)', add column seen timestamptz`,
    `comment on table events is 'drop table events'`,
    `alter table sync_jobs drop constraint sync_jobs_mode_check;
     alter table sync_jobs add constraint sync_jobs_mode_check check (mode in ('auto', 'full')) not valid`,
    'alter table sync_jobs validate constraint sync_jobs_mode_check; alter table sync_jobs add column kind text',
    'alter table sync_jobs drop constraint a_check, add constraint a_check check (true) not valid',
    'alter table sync_batches alter column records set storage external',
    'grant select on events to idsync_gateway',
  ])('is compatible with the previous version: %s', (sql) => {
    expect(incompatibleStatements([sql])).toEqual([]);
  });

  it('is compatible if it builds an index concurrently', async () => {
    const statements = await sent((runner) => buildIndex(runner, { name: 'events_kind', on: 'events (kind)' }));
    expect(incompatibleStatements(statements)).toEqual([]);
  });

  it.each([
    'drop table events',
    'alter table events drop column details',
    'alter table events rename column details to detail',
    'alter table events rename to facts',
    'alter table events alter column type type varchar(20)',
    'alter table events alter column job_id set not null',
    'alter table events add column kind text not null',
    'alter table events add column key uuid default gen_random_uuid()',
    'alter table events add column serial bigint generated always as identity',
    'alter table events add column job uuid references sync_jobs',
    `alter table events add column kind text check (kind <> '')`,
    'alter table events add column a text, drop column details',
    'alter table events add constraint events_check check (true) not valid',
    'alter table events drop constraint a_check, add constraint a_check check (true)',
    'alter table events add column a text; alter table sync_jobs validate constraint a_check',
    'alter table events add column a text, validate constraint a_check',
    'alter table events drop constraint events_pkey',
    'create index events_kind on events (kind)',
    'create unique index concurrently events_kind on events (kind)',
    'drop index events_identity',
    'revoke select on events from idsync_gateway',
    'revoke usage on schema public from public',
    'update events set details = null',
    'delete from events',
    'create table plans (id uuid); drop table events',
    'do $$ begin drop table events; end $$',
  ])('is not compatible with the previous version: %s', (sql) => {
    expect(incompatibleStatements([sql])).toHaveLength(1);
  });
});

/** A runner that records its calls. */
function recorded() {
  const calls: string[] = [];
  const runner = {
    isTransactionActive: true,
    startTransaction: async () => void calls.push('begin'),
    query: async (text: string) => void calls.push(text),
    commitTransaction: async () => void calls.push('commit'),
    rollbackTransaction: async () => void calls.push('rollback'),
  };
  return { calls, runner: runner as Partial<QueryRunner> as QueryRunner };
}

const failed = (code: string) =>
  new QueryFailedError('lock table', [], Object.assign(new Error(code), { code, severity: 'ERROR' }));

describe('a migration', () => {
  it.each(['55P03', '40P01'])('is tried again after the error %s, with a limit for each lock', async (code) => {
    const { calls, runner } = recorded();
    const [lines, errors]: [string[], Error[]] = [[], [failed(code)]];
    await transactionWithLockRetries(
      runner,
      'AddColumn',
      (line) => lines.push(line),
      async () => {
        const error = errors.pop();
        if (error) throw error;
      },
    );
    const timeout = 'set local lock_timeout = 1000';
    expect(calls).toEqual(['begin', timeout, 'rollback', 'begin', timeout, 'commit']);
    expect(lines).toEqual([`AddColumn: ${code}; trying again (1 of 60)`]);
  });

  it('fails at once after another error', async () => {
    const { calls, runner } = recorded();
    const work = () => Promise.reject(failed('42601'));
    await expect(transactionWithLockRetries(runner, 'AddColumn', () => undefined, work)).rejects.toThrow('42601');
    expect(calls.slice(2)).toEqual(['rollback']);
  });
});
