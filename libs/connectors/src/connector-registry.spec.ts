import { readFileSync } from 'node:fs';
import {
  type ConnectorType,
  connectorDefinitions,
  connectorTypes,
  type RecordKind,
  recordKinds,
} from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { Pushes } from '../test/pushes.js';
import { createConnector } from './create-connector.js';

const mapping = { external_id: 'id', fields: { display_name: 'name' } };
const file = { config: { path: 'hr', ...mapping } };
const url = 'https://source.example';
const token = 't0ken';

interface Least {
  config: object;
  secrets?: Record<string, string>;
  /** The kinds of records that the source supports; all if absent. */
  kinds?: readonly RecordKind[];
}

/** Minimal configuration of each connector type. */
const least: Record<ConnectorType, Least> = {
  csv: file,
  ldif: file,
  jsonl: file,
  ldap: { config: { url: 'ldaps://source.example', base_dn: 'dc=example' } },
  'aws-iam': { config: {}, secrets: { access_key_id: 'AKIAIOSFODNN7EXAMPLE', secret_access_key: 'secret' } },
  github: { config: { organization: 'octo-org' }, secrets: { token } },
  kubernetes: { config: { url }, secrets: { token }, kinds: ['machine_identity'] },
  entra: { config: { tenant_id: 'example.com', client_id: 'reader' }, secrets: { client_secret: 'secret' } },
  okta: { config: { url }, secrets: { token } },
  google: {
    config: { subject: 'admin@example.com' },
    secrets: { service_account_key: '{}' },
    kinds: ['user', 'account'],
  },
  jumpcloud: { config: {}, secrets: { api_key: 'secret' }, kinds: ['user', 'account'] },
  scim: { config: { url }, secrets: { token } },
  'scim-push': { config: {} },
  sql: {
    config: {
      dialect: 'postgres',
      host: 'source.example',
      database: 'hr',
      user: 'reader',
      table: 'people',
      ...mapping,
    },
    secrets: { password: 'secret' },
  },
};

describe.each(connectorTypes)('the definition of %s', (type) => {
  const { readsOne, reportsChanges, isPushed } = connectorDefinitions[type];
  const { kinds = recordKinds, config, secrets = {} } = least[type];
  const pushed = isPushed ? new Pushes() : undefined;

  it.each(kinds)('states the capabilities of a connector for %s records', (records) => {
    const connector = createConnector({ type, records, config, secrets, pushed, sourcesDir: '/nowhere' });
    expect(connector.readOne !== undefined).toBe(readsOne.includes(records));
    if (reportsChanges !== 'depends') expect(connector.reportsChanges ?? false).toBe(reportsChanges === 'always');
  });

  it('has a documentation page', () => {
    const name = ['csv', 'ldif', 'jsonl'].includes(type) ? 'files' : type;
    const page = new URL(`../../../docs/connectors/${name}.md`, import.meta.url);
    expect(readFileSync(page, 'utf8')).toContain(type);
  });
});
