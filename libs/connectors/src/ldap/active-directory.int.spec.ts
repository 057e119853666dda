import type { RecordKind } from '@idsync/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Attribute, Change, Client } from 'ldapts';
import { conforms } from '../../test/conformance/conforms.js';
import type { Spoiled } from '../../test/conformance/source-under-test.js';
import { PeopleInDirectory } from '../../test/people-in-directory.js';
import { expectEachAlone } from '../../test/read-one.js';
import { known, read, readInPieces } from '../../test/reading.js';
import { administrator, domain, haveSamba, password, type Samba, startSamba } from '../../test/samba.js';
import { Wire } from '../../test/wire.js';
import { CheckpointExpired, type Connector, type Page } from '../connector.js';
import { createConnector } from '../create-connector.js';

if (!haveSamba)
  process.stdout.write('Skipped: Active Directory source: samba is not installed, or this is not root on Linux\n');
const suite = haveSamba ? describe : describe.skip;

const people = `OU=People,${domain}`;
/** More than the page size of the server and its values per attribute. */
const contacts = 1_600;
const normal = '544';
const disabled = '546';

suite('an Active Directory source', () => {
  let samba: Samba;
  beforeAll(async () => {
    samba = await startSamba(contacts);
    for (const ou of ['People', 'Groups', 'Services', 'Moved']) {
      await samba.client.add(ou === 'Moved' ? `OU=${ou},${people}` : `OU=${ou},${domain}`, {
        objectClass: 'organizationalUnit',
      });
    }
    for (const name of ['ann', 'bob', 'cleo', 'dan']) await addUser(name);
  });
  afterAll(() => samba?.stop());

  function source(config: Record<string, unknown> = {}, records: RecordKind = 'user', secret = password): Connector {
    return createConnector({
      type: 'ldap',
      records,
      config: { url: `ldap://${samba.address}`, ca: samba.ca, bind_dn: administrator, base_dn: people, ...config },
      secrets: { bind_password: secret },
      sourcesDir: '/nowhere',
      allowedCidrs: ['127.0.0.0/8'],
    });
  }

  async function addUser(name: string, more: Record<string, string | string[]> = {}, ou = people): Promise<void> {
    await samba.client.add(`CN=${name},${ou}`, {
      objectClass: 'user',
      sAMAccountName: name,
      userPrincipalName: `${name}@example.test`,
      userAccountControl: normal,
      ...more,
    });
  }

  async function set(dn: string, type: string, ...values: string[]): Promise<void> {
    const modification = new Attribute({ type, values });
    await samba.client.modify(dn, new Change({ operation: 'replace', modification }));
  }

  async function fieldBy(connector: Connector, key: string, field: string): Promise<Record<string, string[]>> {
    const { records, errors } = await read(connector);
    expect(errors).toEqual([]);
    return Object.fromEntries(records.map(({ fields }) => [fields[key]?.[0] ?? '', fields[field] ?? []]));
  }

  const kit = new PeopleInDirectory(() => samba.client, {
    base: `OU=Kit,${domain}`,
    dn: (login) => `CN=${login},OU=Kit,${domain}`,
    entry: ({ id, name }) => ({
      objectClass: 'user',
      sAMAccountName: `kit-${id}`,
      displayName: name,
      mail: `${id}@example.test`,
      userAccountControl: normal,
    }),
    name: 'displayName',
  });
  let wire: Wire;
  beforeAll(async () => {
    wire = await Wire.to(389, samba.address);
    await kit.begin();
  });
  afterAll(() => wire?.close());
  const kitFields = { user_principal_name: 'cn', display_name: 'displayName', 'attributes.dn': 'dn' };
  const openKit = (config: Record<string, unknown> = {}) =>
    source({
      url: `ldap://127.0.0.1:${wire.port}`,
      server_name: 'dc1.example.test',
      base_dn: kit.base,
      fields: kitFields,
      deleted_objects: true,
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
    name: 'Active Directory',
    open: openKit,
    fill: (people) => kit.fill(people),
    always: [kit.always.name],
    emptySource: 'complete',
    secrets: [password],
    discovers: ['sAMAccountName', 'objectGUID', '@groups', '@status'],
    readsOne: { unknownId: '00000000-0000-4000-8000-000000000000' },
    changes: {
      reports: 'everything',
      put: (one) => kit.put(one),
      remove: (id) => kit.remove(id),
      expire: {
        unsupported: 'the numbers of a controller do not expire; another and a restored controller are tested below',
      },
    },
    bad: {
      withoutId: spoiled({ mail: undefined }, { external_id: 'mail', deleted_objects: false }),
      ofWrongType: spoiled(
        { thumbnailPhoto: Buffer.from('ffd80001', 'hex') },
        { fields: { ...kitFields, 'attributes.photo': 'thumbnailPhoto' } },
      ),
      tooLarge: spoiled(
        { info: 'x'.repeat(1_000), comment: 'x'.repeat(20_000) },
        { fields: { ...kitFields, 'attributes.note': 'comment' } },
      ),
    },
    reached: { over: 'tcp', wire: () => wire },
    runs: 4,
  });

  it('is read by objectGUID in pages of any size and with any interruption', async () => {
    const config = {
      base_dn: domain,
      filter: '(objectClass=contact)',
      fields: { email: 'mail', 'attributes.dn': 'dn' },
    };
    const all = await read(source(config));
    expect(all.records).toHaveLength(contacts);
    expect(all.errors).toEqual([]);
    expect((await readInPieces(() => source(config), { pageSize: 450 })).records).toEqual(all.records);
    const [{ external_id, fields } = { external_id: '', fields: {} }] = all.records;
    const found = await samba.client.search(`<GUID=${external_id}>`, { scope: 'base' });
    expect(found.searchEntries.map(({ dn }) => dn)).toEqual(fields['attributes.dn']);
  });

  it('returns all values of an attribute that it sends in ranges', async () => {
    const config = { base_dn: domain, filter: '(cn=Everybody)', fields: { 'attributes.members': 'member' } };
    const { errors } = await read(source(config, 'account'));
    // More than a field may have, so the number in the error proves that all were read.
    expect(errors.map(({ message }) => message)).toEqual([`attributes.members has 1 600 values, 1 000 are allowed`]);
  });

  it('maps disabled, expired and locked accounts to a status', async () => {
    await addUser('off', { userAccountControl: disabled });
    await addUser('gone', { accountExpires: '132223104000000000' });
    await addUser('stays', { accountExpires: '232223104000000000' });
    await addUser('barred');
    await set(domain, 'lockoutThreshold', '2');
    await lockOut('barred');
    const wanted = { ann: 'active', off: 'disabled', gone: 'disabled', stays: 'active', barred: 'locked' };
    const accounts = await fieldBy(source({}, 'account'), 'identifier', 'status');
    for (const [name, status] of Object.entries(wanted)) expect([name, accounts[name]]).toEqual([name, [status]]);
    const users = await fieldBy(source(), 'user_principal_name', 'status');
    expect([users['off@example.test'], users['barred@example.test']]).toEqual([['inactive'], ['suspended']]);
  });

  async function lockOut(name: string): Promise<void> {
    for (let tries = 0; tries < 3; tries += 1) {
      const wrongClient = new Client({ url: `ldaps://${samba.address}`, tlsOptions: { ca: [samba.ca] } });
      await wrongClient.bind(`${name}@example.test`, 'wrong').catch(() => undefined);
      await wrongClient.unbind();
    }
  }

  it('returns direct and nested groups of people', async () => {
    const group = (name: string, member: string[] = []) =>
      samba.client.add(`CN=${name},OU=Groups,${domain}`, {
        objectClass: 'group',
        sAMAccountName: name.replace(/\W/g, ''),
        ...(member.length > 0 && { member }),
      });
    await group('Deep', [`CN=ann,${people}`]);
    await group('Middle', [`CN=Deep,OU=Groups,${domain}`]);
    await group('Top\\, of all', [`CN=Middle,OU=Groups,${domain}`, `CN=bob,${people}`]);
    await samba.client.modify(`CN=Deep,OU=Groups,${domain}`, [
      new Change({
        operation: 'add',
        modification: new Attribute({ type: 'member', values: [`CN=Top\\, of all,OU=Groups,${domain}`] }),
      }),
    ]);
    const direct = await fieldBy(source(), 'user_principal_name', 'groups');
    expect([direct['ann@example.test'], direct['bob@example.test']]).toEqual([
      ['Deep', 'Domain Users'],
      ['Domain Users', 'Top, of all'],
    ]);
    const all = ['Deep', 'Middle', 'Top, of all'];
    const builtIn = ['Domain Users', 'Users'];
    for (const [groups, more] of [
      [{ nested: true }, builtIn],
      [{ nested: true, base_dn: `OU=Groups,${domain}` }, []],
    ] as const) {
      const nested = await fieldBy(source({ groups }), 'user_principal_name', 'groups');
      expect([nested['ann@example.test'], nested['bob@example.test'], nested['cleo@example.test']]).toEqual([
        [...all, ...more].sort(),
        [...all, ...more].sort(),
        more,
      ]);
    }
  });

  it('reads the same groups when another one becomes the primary group', async () => {
    await addUser('eve');
    const group = `CN=Primary,OU=Groups,${domain}`;
    await samba.client.add(group, { objectClass: 'group', sAMAccountName: 'primary', member: `CN=eve,${people}` });
    const eve = async (groups: object) =>
      (await fieldBy(source({ groups }), 'user_principal_name', 'groups'))['eve@example.test'];
    const base = { filter: '(objectClass=group)' };
    const before = await eve({});
    expect(before).toEqual(['Domain Users', 'Primary']);
    const { searchEntries } = await samba.client.search(group, { scope: 'base', attributes: ['primaryGroupToken'] });
    await set(`CN=eve,${people}`, 'primaryGroupID', String(searchEntries[0]?.primaryGroupToken));
    await expect(Promise.all([eve({}), eve(base)])).resolves.toEqual([before, before]);
  });

  it('reads proxyAddresses as other emails', async () => {
    const proxyAddresses = [
      'SMTP:fay@example.test',
      'smtp:f@example.test',
      'X500:/o=Org/cn=fay',
      'SIP:fay@example.test',
    ];
    await addUser('fay', { mail: 'fay@example.test', proxyAddresses });
    for (const records of ['user', 'account'] as const) {
      const emails = await fieldBy(source({}, records), 'user_principal_name', 'other_emails');
      expect(emails['fay@example.test']).toEqual(['f@example.test']);
    }
  });

  it('reads managed service accounts and accounts with a service principal name as machines with owners', async () => {
    const services = `OU=Services,${domain}`;
    await addUser(
      'svc-sql',
      { servicePrincipalName: 'MSSQLSvc/db.example.test', manager: `CN=bob,${people}` },
      services,
    );
    await samba.client.add(`CN=gmsa,${services}`, {
      objectClass: 'msDS-GroupManagedServiceAccount',
      sAMAccountName: 'gmsa$',
      userAccountControl: '4096',
      'msDS-ManagedPasswordInterval': '30',
      managedBy: `CN=ann,${people}`,
    });
    const machines = source({ base_dn: domain }, 'machine_identity');
    await expect(fieldBy(machines, 'account_id', 'owned_by')).resolves.toEqual({
      'svc-sql': ['bob@example.test'],
      gmsa$: ['ann@example.test'],
    });
    for (const records of ['user', 'account', 'machine_identity'] as const) {
      const found = (await read(source({ base_dn: services }, records))).records;
      const marked = found.filter((record) => record.looksLikeMachine);
      const fields = { 'attributes.machine_attribute': ['servicePrincipalName'] };
      const shown = records === 'machine_identity' ? { account_id: ['svc-sql'] } : fields;
      expect(marked).toEqual([expect.objectContaining({ fields: expect.objectContaining(shown) })]);
      const known = found.filter((record) => !record.looksLikeMachine).map((record) => JSON.stringify(record.fields));
      expect(known.filter((fields) => fields.includes('svc-sql'))).toEqual([]);
    }
  });

  it('allows full and incremental reads by an ordinary user of the domain', async () => {
    await addUser('reader');
    const quoted = Buffer.from(`"${password}"`, 'utf16le');
    const modification = new Attribute({ type: 'unicodePwd', values: [quoted] });
    await samba.client.modify(`CN=reader,${people}`, new Change({ operation: 'replace', modification }));
    const ordinary = { bind_dn: 'reader@example.test', groups: { nested: true }, deleted_objects: true };
    const { records, checkpoint: since } = await read(source(ordinary));
    expect(records).toEqual((await read(source({ groups: { nested: true } }))).records);
    await set(`CN=cleo,${people}`, 'displayName', 'Cleo');
    const changes = await read(source(ordinary), { since });
    expect(changes.records.map(({ fields }) => fields.display_name)).toEqual([['Cleo']]);
  });

  describe('read incrementally', () => {
    const fields = {
      identifier: 'sAMAccountName',
      display_name: 'displayName',
      'attributes.dn': 'dn',
      status: '@status',
    };
    const config = { fields, deleted_objects: true };

    it('gives the same state as a full read after additions, changes, renames, moves, deletions and returns', async () => {
      let { checkpoint: since, ...reading } = await read(source(config, 'account'));
      let state = known({ ...reading, checkpoint: since });
      const names = ['one', 'two', 'three'];
      const acts: (() => Promise<unknown>)[] = [
        async () => undefined,
        async () => Promise.all(names.map((name) => addUser(name))),
        () => set(`CN=one,${people}`, 'displayName', 'One'),
        () => samba.client.modifyDN(`CN=one,${people}`, `CN=uno,${people}`),
        () => samba.client.modifyDN(`CN=two,${people}`, `CN=two,OU=Moved,${people}`),
        () => set(`CN=three,${people}`, 'userAccountControl', disabled),
        () => samba.client.del(`CN=uno,${people}`),
        async () => {
          await samba.client.del(`CN=two,OU=Moved,${people}`);
          await addUser('two');
        },
      ];
      for (const act of acts) {
        await act();
        const whole = await read(source(config, 'account'));
        const changes = await readInPieces(() => source(config, 'account'), { since, pageSize: 2 });
        state = known(changes, state);
        expect(state).toEqual(known(whole));
        expect(changes.records.length + changes.removed.length).toBeLessThan(whole.records.length);
        since = changes.checkpoint;
      }
    });

    it('does not report deletions unless configured', async () => {
      await addUser('leaver');
      const { checkpoint: since } = await read(source({ fields }, 'account'));
      await samba.client.del(`CN=leaver,${people}`);
      await expect(read(source({ fields }, 'account'), { since })).resolves.toMatchObject({ records: [], removed: [] });
    });

    it('requires a full read when groups have changed and are mapped', async () => {
      const { checkpoint: since } = await read(source());
      await expect(read(source(), { since })).resolves.toMatchObject({ records: [], checkpoint: since });
      await samba.client.modify(`CN=Deep,OU=Groups,${domain}`, [
        new Change({ operation: 'add', modification: new Attribute({ type: 'member', values: [`CN=dan,${people}`] }) }),
      ]);
      await expect(read(source(), { since })).rejects.toThrow(CheckpointExpired);
      const without = { fields: { display_name: 'displayName' } };
      const { checkpoint } = await read(source(without));
      await samba.client.del(`CN=Middle,OU=Groups,${domain}`);
      await expect(read(source(without), { since: checkpoint })).resolves.toMatchObject({ records: [] });
    });

    it('returns no checkpoint when several domain controllers were read, because one may lag', async () => {
      const [whole, { pages }] = [await read(source({ fields })), await read(source({ fields }), { pageSize: 2 })];
      const cursor = { ...pages[0]?.cursor, server: 'another' };
      const signal = new AbortController().signal;
      const rest: Page[] = [];
      for await (const page of source({ fields }).read({ pageSize: 2, cursor, signal })) rest.push(page);
      expect(rest.flatMap(({ records }) => records)).toEqual(whole.records.slice(2));
      expect([whole.checkpoint, rest.at(-1)?.last, rest.at(-1)?.checkpoint]).toEqual([
        expect.anything(),
        true,
        undefined,
      ]);
    });

    it('requires a full read for another or a restored domain controller and after a configuration change', async () => {
      const { checkpoint = {} } = await read(source({ fields }));
      await expect(read(source({ fields }), { since: { ...checkpoint, invocation: 'ff' } })).rejects.toThrow(
        CheckpointExpired,
      );
      await expect(read(source({ fields }), { since: { ...checkpoint, usn: '99999999' } })).rejects.toThrow(
        CheckpointExpired,
      );
      await expect(read(source({ fields: { display_name: 'cn' } }), { since: checkpoint })).rejects.toThrow(
        CheckpointExpired,
      );
      await expect(read(source({ fields }), { since: { anything: 1 } })).rejects.toThrow(CheckpointExpired);
    });
  });

  it('discovers attributes by their names', async () => {
    const shown = await source().discover?.(new AbortController().signal);
    const called = ['@owner', 'dn', 'objectGUID', 'sAMAccountName', 'userAccountControl', 'whenChanged'];
    expect(shown?.map(({ name }) => name)).toEqual(expect.arrayContaining(called));
    expect(shown?.find(({ name }) => name === 'objectGUID')?.examples[0]).toMatch(/^[0-9a-f]{8}-/);
  });

  it('reports the reason of a failed bind', async () => {
    const wrong = 'bind: the directory rejected bind_dn or bind_password';
    await expect(read(source({}, 'user', 'not-it'))).rejects.toThrow(wrong);
    await expect(read(source({ unencrypted: true }))).rejects.toThrow(
      'bind: the directory requires an encrypted connection',
    );
    await expect(read(source({ base_dn: `OU=Nowhere,${domain}` }))).rejects.toThrow(
      `reading OU=Nowhere,${domain}: the entry does not exist, or this account may not see it`,
    );
  });

  it('returns one user like a full read, by objectGUID, an attribute or the DN', async () => {
    for (const external_id of ['objectGUID', 'sAMAccountName', 'dn']) {
      const unknownIds = [
        'Nobody',
        ...(external_id === 'dn' ? [`CN=Administrator,CN=Users,${domain}`] : ['Administrator']),
      ];
      const known = external_id === 'dn' ? unknownIds.slice(1) : unknownIds;
      expect((await expectEachAlone(source({ external_id }), known)).length).toBeGreaterThan(3);
    }
  });
});
