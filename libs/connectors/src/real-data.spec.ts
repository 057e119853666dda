import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { connectorBody } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { names, readAll } from '../test/source-fixture.js';
import { createConnector } from './create-connector.js';

const repository = new URL('../../../', import.meta.url);
const samples = fileURLToPath(new URL('samples', repository));
const data = fileURLToPath(new URL('test/data', repository));

describe('the sample sources', () => {
  const demo = JSON.parse(readFileSync(`${samples}/demo.json`, 'utf8'));
  const sources = demo.connectors.map((body: unknown) => connectorBody.parse(body));
  const [hr, directory] = sources;
  const read = (settings: typeof hr) => readAll(createConnector({ ...settings, sourcesDir: samples }));

  it('are accepted by the operator API and read without errors', async () => {
    for (const source of sources) await expect(read(source)).resolves.toMatchObject({ errors: [] });
    await expect(read(hr)).resolves.toMatchObject({ errors: [], records: { length: 40 } });
    await expect(read(directory)).resolves.toMatchObject({ errors: [], records: { length: 44 } });
  });

  it('correlate mostly by employee number and some by mail, and some records of each have no match', async () => {
    const people = (await read(hr)).records.map((record) => record.fields);
    const accounts = (await read(directory)).records.map((record) => record.fields);
    const shares = (a: (typeof people)[number], field: string) => (b: typeof a) =>
      a[field]?.[0] !== undefined && a[field]?.[0] === b[field]?.[0];
    const byNumber = accounts.filter((account) => people.some(shares(account, 'employee_number')));
    const byMail = accounts.filter((account) => !byNumber.includes(account) && people.some(shares(account, 'email')));
    expect([byNumber.length, byMail.length, accounts.length - byNumber.length - byMail.length]).toEqual([32, 5, 7]);
    expect(accounts.filter((account) => (account['attributes.mails']?.length ?? 0) > 1)).toHaveLength(1);
    expect(accounts.flatMap((account) => account.display_name ?? [])).toContain('Björn Þórsson');
  });

  it('contain service accounts that can be read as machine identities', async () => {
    const fields = { account_id: 'sAMAccountName', display_name: 'displayName', owned_by: 'managedBy' };
    const object_class = 'msDS-ManagedServiceAccount';
    const config = { path: 'directory.ldif', external_id: 'dn', fields, object_class };
    const { records } = await readAll(
      createConnector({ type: 'ldif', records: 'machine_identity', config, sourcesDir: samples }),
    );
    expect(names(records).map(([, name]) => name)).toEqual(['svc-backup', 'svc-ci', 'svc-erp-sync', 'svc-telemetry']);
  });
});

describe('real exports of other projects', () => {
  const read = (type: 'csv' | 'ldif', path: string, external_id: string, fields: Record<string, string>) =>
    readAll(createConnector({ type, records: 'account', config: { path, external_id, fields }, sourcesDir: data }));

  it('contain the seven people of Planet Express, one with two mail addresses', async () => {
    const fields = { display_name: 'cn', 'attributes.mails': 'mail' };
    const { records, errors } = await read('ldif', 'planetexpress.ldif', 'dn', fields);
    expect(errors).toEqual([]);
    expect(records).toHaveLength(7);
    expect(names(records)).toContainEqual(['cn=Amy Wong+sn=Kroker,ou=people,dc=planetexpress,dc=com', 'Amy Wong']);
    const professor = records.find((record) => record.external_id.startsWith('cn=Hubert'));
    expect(professor?.fields['attributes.mails']).toEqual(['professor@planetexpress.com', 'hubert@planetexpress.com']);
  });

  it('contain the files of the midPoint tutorial and webinar', async () => {
    const hr = await read('csv', 'midpoint-tutorial-hr.csv', 'ident', { email: 'email', first_name: 'firstname' });
    expect([hr.records.length, hr.errors]).toEqual([6, []]);
    const ldap = await read('csv', 'midpoint-tutorial-ldap.csv', 'dn', { employee_number: 'employeeNumber' });
    expect([ldap.records.length, ldap.errors]).toEqual([9, []]);
    expect(ldap.records[0]?.external_id).toBe('uid=jsmith1,ou=People,dc=example,dc=com');
    const webinar = await read('csv', 'midpoint-webinar-hr.csv', 'empNo', { last_name: 'lastName' });
    expect([webinar.records.length, webinar.errors]).toEqual([250, []]);
  });
});
