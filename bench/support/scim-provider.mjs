// An identity provider that pushes users by SCIM, to any server.
import { Pool } from 'undici';
import { pause } from './statistics.mjs';

const core = 'urn:ietf:params:scim:schemas:core:2.0:User';
const appliedWithinMs = 120_000;

/** Creates a connector for pushes. Resolves with its provider; `clients` send requests at once. */
export async function createProvider(services, tenant, clients) {
  const made = { type: 'scim-push', name: 'Provider', config: {} };
  const { id } = await services.operator('POST', `/tenants/${tenant}/connectors`, made);
  const path = `/tenants/${tenant}/connectors/${id}/tokens`;
  const { token } = await services.operator('POST', path, { name: 'Provider' });
  return new ScimProvider(services.base, `/scim/v2/${id}`, token, clients);
}

export class ScimProvider {
  constructor(base, root, token, clients) {
    this.root = root;
    this.pool = new Pool(base, { connections: clients, pipelining: 1 });
    this.headers = { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' };
  }

  /** Creates the nth user. Resolves with its id. */
  async create(n) {
    return JSON.parse(await this.send('POST', `${this.root}/Users`, userOf(n), 201)).id;
  }

  async send(method, path, content, expected) {
    const { statusCode, body } = await this.pool.request({
      method,
      path,
      headers: this.headers,
      body: JSON.stringify(content),
    });
    const text = await body.text();
    if (statusCode !== expected) throw new Error(`${method} ${path} was answered ${statusCode} ${text}`);
    return text;
  }

  async close() {
    await this.pool.close();
  }
}

function userOf(n) {
  const name = { givenName: `Given ${n}`, familyName: `Family ${n}` };
  const emails = [{ primary: true, value: `user${n}@example.com`, type: 'work' }];
  const userName = `user${n}@example.com`;
  return {
    schemas: [core],
    userName,
    externalId: `E${n}`,
    name,
    displayName: `Given ${n} Family ${n}`,
    emails,
    active: true,
  };
}

/** Waits until all created users are in the directory and no job is left; `admin` is a bare connection. */
export async function applied(services, tenant, admin, count) {
  const { key } = await services.operator('POST', `/tenants/${tenant}/api-keys`, { name: 'bench' });
  for (const end = performance.now() + appliedWithinMs; performance.now() < end; await pause(100)) {
    const answer = await fetch(`${services.base}/v1/identities?limit=1`, { headers: { 'x-api-key': key } });
    const { rows } = await admin.query(`select 1 from sync_jobs where status in ('queued', 'running') limit 1`);
    if ((await answer.json()).total === count && rows.length === 0) return;
  }
  throw new Error('the created users did not reach the directory');
}
