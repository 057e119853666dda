import type { RecordKind } from '@idsync/contracts';
import { ldapConfig } from '@idsync/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Attribute, Change } from 'ldapts';
import { conforms } from '../../test/conformance/conforms.js';
import type { Spoiled } from '../../test/conformance/source-under-test.js';
import { PeopleInDirectory } from '../../test/people-in-directory.js';
import { expectEachAlone, readOne } from '../../test/read-one.js';
import { known, read, readInPieces } from '../../test/reading.js';
import {
  admin,
  haveSlapd,
  password,
  peopleLdif,
  person,
  personDn,
  type Slapd,
  startSlapd,
  suffix,
} from '../../test/slapd.js';
import { Wire } from '../../test/wire.js';
import { CheckpointExpired, type Connector, SourceError } from '../connector.js';
import { createConnector } from '../create-connector.js';
import { ldapConnector } from './ldap-connector.js';

if (!haveSlapd) process.stdout.write('Skipped: OpenLDAP source: slapd, openssl or setpriv is not installed\n');
const suite = haveSlapd ? describe : describe.skip;

const many = 2_500;
const people = `ou=people,${suffix}`;
const newcomers = `ou=services,${suffix}`;
/** An ordinary account that may only read a limited number of entries. */
const reader = `cn=reader,${suffix}`;

suite('an OpenLDAP source', () => {
  let slapd: Slapd;

  beforeAll(async () => {
    const few = `limits dn.exact="${reader}" size=100 size.prtotal=100\naccess to * by * read`;
    slapd = await startSlapd(peopleLdif(many), few);
    await slapd.client.add(reader, {
      objectClass: ['organizationalRole', 'simpleSecurityObject'],
      userPassword: password,
    });
  });
  afterAll(() => slapd?.stop());

  function settings(config: Record<string, unknown> = {}): Record<string, unknown> {
    return { url: slapd.url, ca: slapd.ca, bind_dn: admin, base_dn: people, ...config };
  }

  function source(config: Record<string, unknown> = {}, records: RecordKind = 'user', secret = password): Connector {
    return createConnector({
      type: 'ldap',
      records,
      config: settings(config),
      secrets: { bind_password: secret },
      sourcesDir: '/nowhere',
      allowedCidrs: ['127.0.0.0/8', '::1/128'],
    });
  }

  const change: Slapd['change'] = (...words) => slapd.change(...words);

  const kit = new PeopleInDirectory(() => slapd.client, {
    base: `ou=kit,${suffix}`,
    dn: (login) => `uid=${login},ou=kit,${suffix}`,
    entry: ({ id, login, name }) => ({
      ...person(login),
      cn: name,
      employeeNumber: id,
      mail: `${id}@example.test`,
    }),
    name: 'cn',
  });
  let wire: Wire;
  beforeAll(async () => {
    wire = await Wire.to(Number(new URL(slapd.url).port));
    await kit.begin();
  });
  afterAll(() => wire?.close());
  const kitFields = { user_principal_name: 'uid', display_name: 'cn', 'attributes.number': 'employeeNumber' };
  const openKit = (config: Record<string, unknown> = {}) =>
    source({
      url: `ldap://127.0.0.1:${wire.port}`,
      unencrypted: true,
      base_dn: kit.base,
      fields: kitFields,
      overlap_seconds: 1,
      ...config,
    });
  const spoiled =
    (change: Record<string, string | Buffer | undefined>, config: Record<string, unknown>): Spoiled =>
    async (people) => {
      await kit.fill(people);
      await kit.add({ id: 'odd', login: 'odd', name: 'Odd', enabled: true }, change);
      return openKit(config);
    };
  conforms({
    name: 'OpenLDAP',
    open: openKit,
    fill: (people) => kit.fill(people),
    always: [kit.always.name],
    emptySource: 'complete',
    secrets: [password],
    discovers: ['uid', 'cn', '@groups', '@status'],
    readsOne: { unknownId: '00000000-0000-4000-8000-000000000000' },
    changes: {
      reports: 'existing_records',
      put: (one) => kit.put(one),
      remove: (id) => kit.remove(id),
      expire: { unsupported: 'the checkpoint is a time and does not expire; a change of groups is tested below' },
    },
    bad: {
      withoutId: spoiled({ mail: undefined }, { external_id: 'mail' }),
      ofWrongType: spoiled(
        { jpegPhoto: Buffer.from('ffd80001', 'hex') },
        { fields: { ...kitFields, 'attributes.photo': 'jpegPhoto' } },
      ),
      tooLarge: spoiled(
        { description: 'x'.repeat(20_000) },
        { fields: { ...kitFields, 'attributes.note': 'description' } },
      ),
    },
    reached: { over: 'tcp', wire: () => wire },
    runs: 8,
  });

  it('reads all people over StartTLS in the order of entryUUID', async () => {
    const { records, errors, pages } = await read(source());
    expect(errors).toEqual([]);
    expect(records).toHaveLength(many);
    const ids = records.map(({ external_id }) => external_id);
    expect(ids).toEqual([...ids].sort());
    expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    expect(pages.map(({ last, fraction }) => [last, fraction])).toEqual([
      [false, 0.4],
      [false, 0.8],
      [true, 1],
    ]);
    expect(records.find(({ fields }) => fields.email?.[0] === 'user7@example.test')?.fields).toEqual({
      user_principal_name: ['user7'],
      display_name: ['Person user7'],
      email: ['user7@example.test'],
      employee_number: [],
      first_name: [],
      last_name: ['user7'],
      job_title: [],
      departments: [],
      groups: [],
      status: ['active'],
    });
  });

  it('reads the same over LDAPS, by DN, with scope one and in pages of any size', async () => {
    const fields = { display_name: 'CN', 'attributes.dn': 'dn' };
    const whole = await read(source({ fields }));
    const local = slapd.ldapsUrl.replace('127.0.0.1', 'localhost');
    const { records } = await read(source({ fields, url: local, scope: 'one_level' }), { pageSize: 10_000 });
    expect(records).toEqual(whole.records);
    for (const pageSize of [17, 999]) {
      expect((await read(source({ fields }), { pageSize })).records).toEqual(whole.records);
    }
  });

  it('reads the same when interrupted after every page and when the anchors exceed the memory limit', async () => {
    const fields = { display_name: 'cn' };
    const { records } = await read(source({ fields }));
    expect((await readInPieces(() => source({ fields }), { pageSize: 701 })).records).toEqual(records);
    const config = ldapConfig.parse(settings({ fields }));
    const small = () =>
      ldapConnector({
        records: 'user',
        config,
        bindPassword: password,
        allowedCidrs: ['127.0.0.0/8'],
        limits: { keep: 450 },
      });
    const pieces = await readInPieces(small, { pageSize: 200 });
    expect(pieces.records).toEqual(records);
    expect(pieces.pages.map(({ last }) => last).lastIndexOf(false)).toBe(pieces.pages.length - 2);
    expect((await read(small())).records).toEqual(records);
  });

  it('misses no remaining person while others are added, deleted and renamed between pages', async () => {
    const base = { base_dn: newcomers, fields: { display_name: 'cn' } };
    const dn = (uid: string) => `uid=${uid},${newcomers}`;
    for (let index = 0; index < 40; index += 1) await slapd.client.add(dn(`temp${index}`), person(`temp${index}`));
    const before = await read(source(base));
    let turn = 0;
    const pieces = await readInPieces(
      () => source(base),
      { pageSize: 5 },
      async () => {
        await slapd.client.del(dn(`temp${turn}`));
        await slapd.client.add(dn(`late${turn}`), person(`late${turn}`));
        await slapd.client.modifyDN(dn(`temp${39 - turn}`), dn(`other${turn}`));
        turn += 1;
      },
    );
    const stayed = (await read(source(base))).records.map(({ external_id }) => external_id);
    const seen = pieces.records.map(({ external_id }) => external_id);
    const old = new Set(before.records.map(({ external_id }) => external_id));
    expect(seen).toEqual(expect.arrayContaining(stayed.filter((id) => old.has(id))));
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('returns locked accounts and groups, also nested and cyclic ones', async () => {
    const groups = `ou=groups,${suffix}`;
    const group = (name: string, ...member: string[]) =>
      slapd.client.add(`cn=${name},${groups}`, { objectClass: 'groupOfNames', member });
    await group('staff', personDn('user1'), `cn=board,${groups}`);
    await group('board', `cn=staff,${groups}`, personDn('user2'));
    await slapd.client.add(`cn=unix,${groups}`, { objectClass: 'posixGroup', gidNumber: '7', memberUid: ['user1'] });
    await slapd.client.add(`cn=\\C3\\A9quipe\\2C nord,${groups}`, {
      objectClass: 'groupOfUniqueNames',
      uniqueMember: personDn('user3'),
    });
    await change(personDn('user3'), 'replace', 'pwdAccountLockedTime', '000001010000Z');
    const about = async (config: Record<string, unknown>) => {
      const filter = '(|(uid=user1)(uid=user2)(uid=user3))';
      const fields = { email: 'mail', groups: '@groups', status: '@status' };
      const { records } = await read(source({ filter, fields, ...config }));
      const rows = records.map((row) => [row.fields.email?.[0], row.fields.groups, row.fields.status?.[0]] as const);
      return rows.sort().map(([, inGroups, status]) => [inGroups, status]);
    };
    const third = [['équipe, nord'], 'suspended'];
    await expect(about({})).resolves.toEqual([[['staff', 'unix'], 'active'], [['board'], 'active'], third]);
    await expect(about({ groups: { nested: true } })).resolves.toEqual([
      [['board', 'staff', 'unix'], 'active'],
      [['board', 'staff'], 'active'],
      third,
    ]);
    await expect(about({ groups: { filter: '(cn=\\c3\\a9quipe*)' } })).resolves.toEqual([
      [[], 'active'],
      [[], 'active'],
      third,
    ]);
    await expect(about({ groups: { filter: '(cn=unix)', named_by: 'dn' } })).resolves.toEqual([
      [[`cn=unix,${groups}`], 'active'],
      [[], 'active'],
      [[], 'suspended'],
    ]);
  });

  it('reports entries with a binary value or without an external id and continues', async () => {
    const dn = personDn('user9');
    await slapd.client.modify(
      dn,
      new Change({
        operation: 'add',
        modification: new Attribute({ type: 'jpegPhoto', values: [Buffer.from('ffd80001', 'hex')] }),
      }),
    );
    await change(personDn('user8'), 'delete', 'mail');
    const filter = '(|(uid=user7)(uid=user8)(uid=user9))';
    const fields = { display_name: 'cn', 'attributes.photo': 'jpegPhoto' };
    const { records, errors } = await read(source({ filter, fields, external_id: 'mail' }));
    expect(records.map(({ external_id }) => external_id)).toEqual(['user7@example.test']);
    expect(errors.map(({ message, said }) => [message, said]).sort()).toEqual([
      ['jpegPhoto is not text', dn],
      ['mail (external_id) is missing', personDn('user8')],
    ]);
    expect(errors.find(({ external_id }) => external_id === 'user9@example.test')).toBeDefined();
  });

  it('discovers the attributes except those with passwords', async () => {
    await change(personDn('user0'), 'replace', 'userPassword', 'plain-as-day');
    const shown = await source().discover?.(new AbortController().signal);
    expect(shown?.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['@groups', '@status', 'cn', 'dn', 'entryUUID', 'mail', 'modifyTimestamp', 'uid']),
    );
    expect(JSON.stringify(shown)).not.toMatch(/plain-as-day|userPassword/i);
    expect(shown?.find(({ name }) => name === 'sn')?.examples).toHaveLength(3);
  });

  it('warns of people outside the filter, also if this account may not count them', async () => {
    const config = { filter: '(uid=user1)', fields: { display_name: 'cn' } };
    const warningsOf = async (connector: Connector) =>
      (await connector.describe?.(new AbortController().signal))?.warnings;
    const deletions = 'incremental runs do not see every deleted record: only full runs detect all deletions';
    expect(await warningsOf(source(config))).toEqual([
      expect.stringMatching(/^(499|500) of the first 500 people and accounts below .* do not match the filter/),
      deletions,
    ]);
    expect(await warningsOf(source({ ...config, bind_dn: reader }))).toEqual([
      expect.stringMatching(/^people outside the filter could not be counted: .*4 sizeLimitExceeded/),
      deletions,
    ]);
  });

  describe('read incrementally', () => {
    const fields = { display_name: 'cn', 'attributes.dn': 'dn', 'attributes.title': 'title' };

    it('gives the same state as a full read except for deletions, which the next full read detects', async () => {
      const config = { fields, overlap_seconds: 1 };
      let { checkpoint: since, ...reading } = await read(source(config));
      let state = known({ ...reading, checkpoint: since });
      const acts: (() => Promise<unknown>)[] = [
        async () => undefined,
        () => slapd.client.add(personDn('ann'), person('ann')),
        () => change(personDn('ann'), 'replace', 'title', 'Head'),
        () => slapd.client.modifyDN(personDn('ann'), personDn('anna')),
        () => change(personDn('anna'), 'delete', 'title'),
        () => slapd.client.add(`ou=north,${people}`, { objectClass: 'organizationalUnit' }),
        () => slapd.client.modifyDN(personDn('anna'), `uid=anna,ou=north,${people}`),
      ];
      for (const act of acts) {
        await act();
        const changes = await readInPieces(() => source(config), { since, pageSize: 400 });
        state = known(changes, state);
        expect(state).toEqual(known(await read(source(config))));
        since = changes.checkpoint;
      }
      await slapd.client.del(`uid=anna,ou=north,${people}`);
      const { records, removed } = await read(source(config), { since });
      expect([records.filter(({ fields }) => fields.display_name?.[0] === 'Person anna'), removed]).toEqual([[], []]);
      expect([...known(await read(source(config))).values()].map((one) => one.display_name?.[0])).not.toContain(
        'Person ann',
      );
    });

    it('requires a full read when groups were changed, added or deleted and are mapped', async () => {
      const config = { filter: '(uid=user1)' };
      const groups = `ou=groups,${suffix}`;
      const acts: (() => Promise<unknown>)[] = [
        () => slapd.client.add(`cn=new,${groups}`, { objectClass: 'groupOfNames', member: personDn('user1') }),
        () => change(`cn=new,${groups}`, 'add', 'member', personDn('user2')),
        () => change(`cn=new,${groups}`, 'delete', 'member', personDn('user1')),
        () => slapd.client.modifyDN(`cn=new,${groups}`, `cn=old,${groups}`),
        () => slapd.client.del(`cn=old,${groups}`),
      ];
      for (const act of acts) {
        const { checkpoint: since } = await read(source(config));
        await expect(read(source(config), { since })).resolves.toBeDefined();
        await act();
        await expect(read(source(config), { since })).rejects.toThrow(CheckpointExpired);
      }
    });
  });

  describe('fails instead of returning an incomplete read', () => {
    const failure = async (connector: Connector) => {
      const error: unknown = await read(connector).then(
        () => undefined,
        (caught) => caught,
      );
      expect(error).toBeInstanceOf(SourceError);
      expect(String(error)).not.toContain(password);
      return (error as Error).message;
    };

    it('when the account reaches the size limit', async () => {
      await expect(failure(source({ bind_dn: reader }))).resolves.toContain(
        'which has to be raised (4 sizeLimitExceeded)',
      );
      await expect(read(source({ bind_dn: reader, filter: '(uid=user1)' }))).resolves.toMatchObject({ records: [{}] });
    });

    it('when no entry matches and when the base does not exist', async () => {
      await expect(failure(source({ filter: '(uid=nobody)' }))).resolves.toMatch(/^no entry below ou=people/);
      await expect(failure(source({ base_dn: `ou=void,${suffix}` }))).resolves.toContain('the entry does not exist');
    });

    it('when the anchor is missing or not unique', async () => {
      await expect(failure(source({ anchor: 'title', filter: '(uid=user5)' }))).resolves.toContain('has no title');
      await expect(failure(source({ anchor: 'objectClass' }))).resolves.toContain(
        'several entries have the same value',
      );
    });

    it('when the bind fails', async () => {
      await expect(failure(source({}, 'user', 'wrong'))).resolves.toBe(
        'bind: the directory rejected bind_dn or bind_password (49 invalidCredentials)',
      );
      expect(() => createConnector({ type: 'ldap', records: 'user', config: settings(), sourcesDir: '' })).toThrow(
        'bind_dn and the secret bind_password must be given together',
      );
    });

    it('when the certificate is for another host or untrusted', async () => {
      const urls = [slapd.url, slapd.ldapsUrl];
      for (const url of urls) {
        await expect(failure(source({ url, ca: undefined }))).resolves.toMatch(/has an untrusted certificate/);
        await expect(failure(source({ url, server_name: 'other.test' }))).resolves.toMatch(
          /ERR_TLS_CERT_ALTNAME_INVALID/,
        );
      }
    });

    it('when the address is not allowed or refuses the connection', async () => {
      const closed = (allowedCidrs: string[], url: string) =>
        createConnector({
          type: 'ldap',
          records: 'user',
          config: settings({ url }),
          secrets: { bind_password: password },
          sourcesDir: '',
          allowedCidrs,
        });
      await expect(failure(closed([], slapd.url))).resolves.toContain('127.0.0.1 is not allowed');
      await expect(failure(closed(['127.0.0.1/32'], slapd.url.replace('127.0.0.1', 'localhost')))).resolves.toContain(
        'localhost is not allowed: ::1',
      );
      await expect(failure(closed(['127.0.0.0/8'], 'ldap://127.0.0.1:1'))).resolves.toContain('(ECONNREFUSED)');
    });
  });

  describe('reading one entry of OpenLDAP', () => {
    const some = '(uid=user1*0)';

    it('returns the same result as a full read by anchor, attribute or DN, and absent outside filter and base', async () => {
      const user7 = personDn('user7');
      const byUuid = await read(source({ filter: '(uid=user7)' }));
      const uuid = byUuid.records[0]?.external_id ?? '';
      const unknownId = '00000000-0000-4000-8000-000000000000';
      expect((await expectEachAlone(source({ filter: some }), [uuid, unknownId])).length).toBeGreaterThan(50);
      const byUid = source({ filter: some, external_id: 'uid' });
      expect((await expectEachAlone(byUid, ['user7', 'USER10', 'nobody', '*', 'user1*0'])).length).toBeGreaterThan(50);
      const byName = await expectEachAlone(source({ filter: some, external_id: 'dn' }), [
        user7,
        `uid=no/body,${people}`,
      ]);
      expect(byName.length).toBeGreaterThan(50);
      expect(await readOne(source({ base_dn: suffix, external_id: 'dn' }), user7)).toMatchObject({
        record: { external_id: user7 },
      });
      expect(await readOne(source({ base_dn: newcomers, external_id: 'dn', filter: '(objectClass=*)' }), user7)).toBe(
        'absent',
      );
    });

    it('fails instead of returning absent when the server cannot compare or the account sees no entry', async () => {
      const unknown = source({ external_id: 'noSuchAttribute' });
      await expect(readOne(unknown, 'user7')).rejects.toThrow('can be compared by noSuchAttribute');
      await expect(readOne(source({ external_id: 'uid', filter: '(uid=nobody)' }), 'user7')).rejects.toThrow(
        SourceError,
      );
      await expect(readOne(source({ external_id: 'dn', filter: '(uid=nobody)' }), personDn('user7'))).rejects.toThrow(
        SourceError,
      );
      await expect(readOne(source(), 'no uuid')).rejects.toThrow(SourceError);
    });
  });
});
