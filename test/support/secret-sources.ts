import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { ConnectorType } from '@idsync/contracts';

interface SecretSource {
  config: object;
  secrets: Record<string, string>;
  /** Strings to search for; by default the secrets themselves. */
  marks?: string[];
}

const secret = (name: string) => `sealed-${name}-${randomBytes(12).toString('hex')}`;

/** Connectors of each type with all their secrets: HTTP sources at `url`, others at `port`. */
export function secretSources(url: string, port: number): Record<ConnectorType, SecretSource[]> {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  // One line of the PEM key, which JSON escapes do not split.
  const marks = [privateKey.split('\n')[5] ?? privateKey];
  const account = { type: 'service_account', client_email: 'reader@example.com', private_key: privateKey };
  const file = { url: `${url}/people`, external_id: 'id', fields: { email: 'mail' } };
  const login = { token: secret('token'), password: secret('password'), client_secret: secret('client') };
  const bearer = { auth: { type: 'bearer' } };
  const basic = { auth: { type: 'basic', user: 'reader' } };
  const oauth = { auth: { type: 'oauth2', client_id: 'reader', token_url: `${url}/token` } };
  return {
    csv: [{ config: { ...file, ...basic }, secrets: login }],
    ldif: [{ config: { ...file, external_id: 'dn', ...bearer }, secrets: { token: secret('token') } }],
    jsonl: [{ config: { ...file, auth: { type: 'header', name: 'x-token' } }, secrets: { token: secret('token') } }],
    ldap: [
      {
        config: { url: `ldap://127.0.0.1:${port}`, unencrypted: true, bind_dn: 'cn=reader', base_dn: 'dc=example' },
        secrets: { bind_password: secret('bind') },
      },
    ],
    'aws-iam': [
      {
        config: { url },
        secrets: {
          access_key_id: 'AKIDSECRETOFATEST234',
          secret_access_key: secret('aws'),
          session_token: secret('session'),
        },
      },
    ],
    github: [
      { config: { url, organization: 'acme' }, secrets: { token: secret('github') } },
      {
        config: { url, organization: 'acme', auth: { type: 'app', app_id: '1', installation_id: '2' } },
        secrets: { private_key: privateKey },
        marks,
      },
    ],
    kubernetes: [{ config: { url }, secrets: { token: secret('kubernetes') } }],
    entra: [
      {
        config: { url, login_url: url, tenant_id: 'acme.example', client_id: 'reader' },
        secrets: { client_secret: secret('entra') },
      },
    ],
    okta: [
      { config: { url }, secrets: { token: secret('okta') } },
      { config: { url, client_id: 'reader', key_id: 'one' }, secrets: { private_key: privateKey }, marks },
    ],
    google: [
      {
        config: { url, subject: 'admin@example.com' },
        secrets: { service_account_key: JSON.stringify({ ...account, token_uri: `${url}/token` }) },
        marks,
      },
    ],
    jumpcloud: [{ config: { url }, secrets: { api_key: secret('jumpcloud') } }],
    scim: [
      { config: { url, ...oauth }, secrets: { client_secret: secret('client') } },
      {
        config: { url, auth: { ...oauth.auth, send_credentials: 'form' } },
        secrets: { client_secret: secret('form') },
      },
    ],
    'scim-push': [],
    sql: [
      {
        config: { dialect: 'postgres', host: '127.0.0.1', port: port, ssl: 'off', ...people },
        secrets: { password: secret('postgres') },
      },
      {
        config: { dialect: 'mysql', host: '127.0.0.1', port: port, ssl: 'off', ...people },
        secrets: { password: secret('mysql') },
      },
    ],
  };
}

const people = {
  database: 'hr',
  user: 'reader',
  table: 'people',
  key: 'id',
  external_id: 'id',
  fields: { email: 'mail' },
};
