import type { RecordKind } from '@idsync/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Attribute, Change } from 'ldapts';
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
import { names, readAll } from '../../test/source-fixture.js';
import { type Connector, type Cursor, type Page, SourceError } from '../connector.js';
import { createConnector } from '../create-connector.js';

if (!haveSlapd) process.stdout.write('Skipped: slapd, openssl or setpriv is not installed\n');
const suite = haveSlapd ? describe : describe.skip;
const many = 3_000;

interface Given {
  config?: Record<string, unknown>;
  records?: RecordKind;
  secret?: string | null;
  cidrs?: string[];
}

suite('an OpenLDAP directory', () => {
  let slapd: Slapd;

  beforeAll(async () => {
    slapd = await startSlapd(peopleLdif(many));
  });
  afterAll(() => slapd?.stop());

  function source({
    config,
    records = 'user',
    secret = password,
    cidrs = ['127.0.0.0/8', '::1/128'],
  }: Given = {}): Connector {
    return createConnector({
      type: 'ldap',
      records,
      config: { url: slapd.url, ca: slapd.ca, bind_dn: admin, base_dn: `ou=people,${suffix}`, ...config },
      secrets: secret === null ? {} : { bind_password: secret },
      sourcesDir: '/nowhere',
      allowedCidrs: cidrs,
    });
  }

  it('reads everybody over StartTLS, in the order of their entryUUID, in pages of any size', async () => {
    const all = await readAll(source(), 1_000);
    expect(all.errors).toEqual([]);
    expect(all.records).toHaveLength(many);
    const ids = all.records.map(({ external_id }) => external_id);
    expect(ids).toEqual([...ids].sort());
    expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    expect(all.pages.map(({ last }) => last)).toEqual([false, false, true]);
    expect(all.records.find(({ fields }) => fields.email?.[0] === 'user7@example.test')?.fields).toEqual({
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
    for (const size of [7, 999, 10_000]) {
      const base = { filter: '(uid=user1*)', fields: { display_name: 'cn' } };
      const [small, large] = [
        await readAll(source({ config: base }), size),
        await readAll(source({ config: base }), 1),
      ];
      expect(small.records).toEqual(large.records);
    }
  });
});
