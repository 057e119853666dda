import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { SqlServer } from '../../libs/connectors/test/sql-server.js';
import { FollowedSource } from './followed-source.js';
import { Gate } from './gate.js';

const crowd = 40;
const becauseFull = 'everything was read: the last change that was read no longer exists';
const status = { from: 'state', transform: [{ map: { on: 'active', off: 'inactive' } }] };
const accountStatus = { from: 'state', transform: [{ map: { on: 'active', off: 'disabled' } }] };

/** A database that can be stopped and restarted. */
export interface RestartedDatabase {
  server: SqlServer;
  /** SQL expression for the names of a person's teams, as a list. */
  teams: string;
  down(): Promise<void>;
  up(): Promise<void>;
}

/** Defines the tests for people, logins and machines in a database, inside one `describe`. */
export function followPeopleInSql(start: () => Promise<RestartedDatabase>): void {
  let database: RestartedDatabase;
  let gate: Gate;
  let source: FollowedSource;

  beforeAll(async () => {
    database = await start();
    const { types, port, access, password } = database.server;
    const { text, moment } = types;
    const id = 'id varchar(20) primary key';
    for (const table of [
      `people (${id}, mail ${text}, name ${text}, title ${text}, department ${text}, state ${text}, region ${text}, changed_at ${moment}, deleted_at ${moment})`,
      `logins (${id}, person ${text}, login ${text}, state ${text}, changed_at ${moment}, gone boolean)`,
      `bots (${id}, name ${text}, owner ${text}, state ${text}, changed_at ${moment})`,
      `teams (${id}, name ${text})`,
      'memberships (team varchar(20), person varchar(20))',
    ]) {
      await run(`create table ${table}`);
    }
    const teams = `(select ${database.teams} from memberships m join teams t on t.id = m.team where m.person = p.id)`;
    await run(`create view staff as select p.*, ${teams} as teams from people p where p.region = 'here'`);
    for (let number = 0; number < crowd; number += 1) await addPerson(`user${number}`);
    for (const name of ['ann', 'bob', 'cleo']) await addPerson(name);
    await addLogin('ann');
    await addBot('backup', 'ann');
    await run(`insert into teams values ('t1', 'Staff')`);

    gate = await Gate.before(port, String(access.host));
    const connector = (table: string, records: string, priority: number, more: object) => ({
      ...{ type: 'sql', name: table, records, priority, secrets: { password } },
      config: {
        ...{ ...access, host: '127.0.0.1', port: gate.port, ssl: 'off', table },
        // No late commits: every change is written before the next read.
        ...{ external_id: 'id', changed_at: 'changed_at', overlap_seconds: 0 },
        ...more,
      },
    });
    source = await FollowedSource.start([
      connector('staff', 'user', 10, {
        deleted: 'deleted_at',
        fields: {
          ...{ employee_number: 'id', email: 'mail', display_name: 'name', job_title: 'title' },
          ...{ departments: 'department', groups: { from: 'teams', transform: [{ split: '|' }] }, status },
        },
      }),
      connector('logins', 'account', 20, {
        deleted: 'gone',
        fields: { employee_number: 'person', identifier: 'login', status: accountStatus },
      }),
      connector('bots', 'machine_identity', 30, {
        fields: { display_name: 'name', owned_by: 'owner', status: accountStatus, classification: { value: 'bot' } },
      }),
    ]);
  });
  afterAll(async () => {
    await source?.stop();
    await gate?.close();
    await database?.server.close();
  });

  const run = (sql: string, ...values: unknown[]) => database.server.run(sql, values);
  const longAgo = '2020-01-01 00:00:00';
  const addPerson = (name: string, changed = longAgo) => {
    const values = [name, `${name}@example.test`, `The ${name}`, 'Engineer', 'Ops', 'on', 'here', changed];
    return run('insert into people values (?, ?, ?, ?, ?, ?, ?, ?, null)', ...values);
  };
  const addLogin = (name: string, changed = longAgo) =>
    run('insert into logins values (?, ?, ?, ?, ?, false)', `l-${name}`, name, name, 'on', changed);
  const addBot = (name: string, owner: string, changed = longAgo) =>
    run('insert into bots values (?, ?, ?, ?, ?)', name, name, owner, 'on', changed);
  const now = () => new Date().toISOString().slice(0, 23).replace('T', ' ');
  const set = (table: string, id: string, column: string, value: unknown) =>
    run(`update ${table} set ${column} = ?, changed_at = ? where id = ?`, value, now(), id);
  const leaves = (name: string) => [
    `identity.deleted ${name}: status`,
    `user.deleted ${name}: status`,
    `lifecycle.leaver ${name}: status`,
  ];
  const turns = (name: string, how: 'leaver' | 'rejoiner') => [
    `identity.status_changed ${name}: status`,
    `user.status_changed ${name}: status`,
    `lifecycle.${how} ${name}: status`,
  ];

  it('are shown by a connection test and a discovery', async () => {
    const { status: ended, records, errors } = await source.probe('test');
    expect([ended, records.length, errors]).toEqual(['done', 5, []]);
    const { fields } = await source.probe('discover');
    expect(fields).toContainEqual(expect.objectContaining({ name: 'department', examples: ['Ops'] }));
  });

  it('are imported with their accounts and machines, with one event each', async () => {
    const all = crowd + 3;
    expect(await source.first()).toEqual({
      ...{ 'identity.created': all, 'user.created': all, 'lifecycle.joiner': all },
      ...{ 'account.created': 1, 'account.linked': 1, 'machine_identity.created': 1 },
    });
    const { id, ...ann } = await source.identity('ann');
    expect(ann).toMatchObject({
      users: [{ email: 'ann@example.test', departments: ['Ops'], groups: [] }],
      accounts: [{ identifier: 'ann', person_id: id }],
      machine_identities: [{ display_name: 'backup', classification: 'bot', owned_by: id, status: 'active' }],
    });
  });

  it('emit events when they are added and changed', async () => {
    const arrive = async () => {
      await addPerson('dan', now());
      await addLogin('dan', now());
    };
    await source.after(arrive, {
      events: [
        ...['identity.created dan', 'user.created dan', 'lifecycle.joiner dan'],
        ...['account.created dan', 'account.linked dan: person_id'],
      ],
    });
    await source.after(() => set('people', 'ann', 'title', 'Head'), {
      events: ['identity.updated ann: job_title', 'user.updated ann: job_title', 'lifecycle.mover ann: job_title'],
    });
  });

  it('stay the same with a new name, address and login', async () => {
    const { id } = await source.identity('ann');
    const rename = async () => {
      await set('people', 'ann', 'name', 'The anna');
      await set('people', 'ann', 'mail', 'anna@example.test');
      await set('logins', 'l-ann', 'login', 'anna');
    };
    await source.after(rename, {
      events: [
        'identity.updated ann: display_name, email',
        'user.updated ann: display_name, email',
        'account.updated ann: identifier',
      ],
    });
    expect(await source.identity('ann')).toMatchObject({ id, users: [{ email: 'anna@example.test' }] });
  });

  it('leave when they are deactivated, which orphans their machine until they return', async () => {
    const machine = (what: string) => [
      `machine_identity.${what} backup: status`,
      'machine_identity.risk_changed backup: risk_score',
    ];
    const turn = (state: string) => async () => {
      await set('people', 'ann', 'state', state);
      await set('logins', 'l-ann', 'state', state);
    };
    await source.after(turn('off'), {
      events: [...turns('ann', 'leaver'), 'account.disabled ann: status', ...machine('orphaned')],
    });
    expect(await source.identity('ann')).toMatchObject({ status: 'inactive', accounts: [{ status: 'disabled' }] });
    await source.after(turn('on'), {
      events: [...turns('ann', 'rejoiner'), 'account.updated ann: status', ...machine('updated')],
    });
  });

  it('move to another department, and out of the view and back', async () => {
    const { id } = await source.identity('ann');
    await source.after(() => set('people', 'ann', 'department', 'North'), {
      events: ['user.updated ann: departments', 'lifecycle.mover ann: departments'],
    });
    await source.after(() => set('people', 'bob', 'region', 'there'), {
      events: leaves('bob'),
      unseenByChanges: leaves('bob'),
    });
    await source.after(() => set('people', 'bob', 'region', 'here'), { events: turns('bob', 'rejoiner') });
    expect(await source.identity('ann')).toMatchObject({ id, users: [{ departments: ['North'] }] });
  });

  it('belong to teams, whose renaming only a full read detects', async () => {
    const events = (...names: string[]) => names.map((name) => `user.updated ${name}: groups`);
    const join = async () => {
      await run(`insert into memberships values ('t1', 'bob')`);
      await set('people', 'bob', 'title', 'Engineer');
    };
    await source.after(join, { events: events('bob') });
    await source.after(() => set('people', 'ann', 'title', 'Lead'), {
      events: ['identity.updated ann: job_title', 'user.updated ann: job_title', 'lifecycle.mover ann: job_title'],
    });
    await source.after(() => run(`update teams set name = 'Crew'`), {
      events: events('bob'),
      unseenByChanges: events('bob'),
    });
    expect(await source.identity('bob')).toMatchObject({ users: [{ groups: ['Crew'] }] });
    const part = async () => {
      await run('delete from memberships');
      await set('people', 'bob', 'title', 'Engineer');
    };
    await source.after(part, { events: events('bob') });
  });

  it('are deleted if their row says so, or once a full read finds the row missing', async () => {
    await source.after(() => set('people', 'cleo', 'deleted_at', now()), { events: leaves('cleo') });
    await source.after(() => set('people', 'cleo', 'deleted_at', null), { events: turns('cleo', 'rejoiner') });
    await source.after(() => set('logins', 'l-dan', 'gone', true), { events: ['account.deleted dan: status'] });
    // Deleting the newest change removes the evidence that no change was missed.
    await source.after(() => run(`delete from people where id = 'cleo'`), { events: leaves('cleo'), becauseFull });
    await source.after(() => run(`delete from people where id = 'user7'`), {
      events: leaves('user7'),
      unseenByChanges: leaves('user7'),
    });
  });

  it('own machines, which are created, transferred and decommissioned', async () => {
    await source.after(() => addBot('nightly', 'bob', now()), { events: ['machine_identity.created nightly'] });
    await source.after(() => set('bots', 'nightly', 'owner', 'ann'), {
      events: [
        'machine_identity.owner_changed nightly: identity_id, owned_by',
        'identity.updated bob: machine_identities',
      ],
    });
    const events = ['machine_identity.decommissioned nightly: status'];
    await source.after(() => run(`delete from bots where id = 'nightly'`), { events, becauseFull });
  });

  it('are all retained when the server stops while it is read', async () => {
    await source.survivesRestart(gate, database);
  });

  it('do not change in another full read, and match their histories', async () => {
    await source.expectNoFurtherEvents();
  });
}
