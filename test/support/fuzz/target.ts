import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeId, newUuid } from '@idsync/contracts';
import { type BrokerVhost, createTestDatabase, createVhost, hasBroker, type TestDatabase } from '@idsync/testing';
import { Pool } from 'undici';
import { Client, createConnector, createTenant, sync } from '../client.js';
import { adminToken, Services } from '../services.js';
import { createFewPeople, createSpecConnectors, writeAccountsAndMachines, writePeople } from '../spec-sources.js';
import { type FuzzAnswer, faultOf } from './answer-rules.js';
import type { FuzzRequest } from './requests.js';

/** Resources of each kind that requests can remove. */
const resourcesPerKind = 16;
const responseTimeoutMs = 60_000;

/** Running services with a filled tenant, and the ids and keys for requests. */
export class FuzzTarget {
  readonly statuses = new Map<number, number>();
  private readonly pool: Pool;

  private constructor(
    private readonly database: TestDatabase,
    private readonly vhost: BrokerVhost | undefined,
    private readonly sourcesDir: string,
    private readonly services: Services,
    private readonly values: Readonly<Record<string, readonly string[]>>,
  ) {
    this.pool = new Pool(services.url, {
      connections: 16,
      headersTimeout: responseTimeoutMs,
      bodyTimeout: responseTimeoutMs,
    });
  }

  static async start(): Promise<FuzzTarget> {
    const database = await createTestDatabase();
    const vhost = hasBroker() ? await createVhost() : undefined;
    const sourcesDir = await mkdtemp(join(tmpdir(), 'idsync-fuzz-'));
    await writePeople(sourcesDir, false);
    await writeAccountsAndMachines(sourcesDir);
    const services = await Services.start({ databaseUrl: database.url, amqpUrl: vhost?.url, sourcesDir });
    const values = await fill(Client.operator(services.url, services.adminToken));
    // Deliveries are not tested here, and must not reach external receivers.
    await services.terminate('webhook-dispatcher');
    return new FuzzTarget(database, vhost, sourcesDir, services, values);
  }

  async stop(): Promise<void> {
    await this.pool.close();
    await this.services.stop();
    await this.vhost?.drop();
    await this.database.drop();
    await rm(this.sourcesDir, { recursive: true });
  }

  /** True while the started gateway process runs. */
  get isRunning(): boolean {
    return this.services.isRunning('gateway');
  }

  /** Resolves with true if the started gateway process still responds. */
  async isAlive(): Promise<boolean> {
    const { status } = await new Client(this.services.url, {}).get('/v1/health');
    return status === 200 && this.isRunning;
  }

  /** Throws an error with the request and its response if the response has a fault. */
  async try(request: FuzzRequest): Promise<void> {
    const path = this.filled(request.path);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, this.filled(value)]),
    );
    const body =
      request.body === undefined
        ? undefined
        : Buffer.from(this.filled(request.body), request.isBinary ? 'latin1' : 'utf8');
    const again = this.curl(request.method, path, headers, body);
    const answer = await this.send(request.method, path, headers, body).catch((error: unknown) => {
      throw new Error(`no response: ${error}\n\n${again}\n`);
    });
    this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1);
    const fault = faultOf(request, path, answer);
    if (fault === undefined) return;
    const shown = `${answer.status} ${answer.headers['content-type'] ?? ''}\n${answer.body.slice(0, 2_000)}`;
    throw new Error(`${fault}\n\n${again}\n\n${shown}\n`);
  }

  private async send(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: Buffer,
  ): Promise<FuzzAnswer> {
    const answer = await this.pool.request({ method: method as 'GET', path, headers, body: body ?? null });
    const { statusCode: status, headers: received } = answer;
    if (received['content-type'] !== 'text/event-stream') {
      return { status, headers: received, body: await answer.body.text() };
    }
    // A stream has no end.
    answer.body.on('error', () => undefined).destroy();
    return { status, headers: received, body: '' };
  }

  private filled(text: string): string {
    return text.replace(/<([\w-]+):(\d+)>/g, (_, name: string, index: string) => {
      const kind = name.replace(/^spare-/, '');
      const all = this.values[kind];
      if (!all || all.length === 0) throw new Error(`no values for <${kind}>`);
      // The second half is reserved for requests that remove resources.
      const half = Math.floor(all.length / 2);
      const some = all.length === 1 ? all : kind === name ? all.slice(0, half) : all.slice(half);
      return some[Number(index) % some.length] ?? '';
    });
  }

  private curl(method: string, path: string, headers: Record<string, string>, body?: Buffer): string {
    const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
    const parts = [
      body && `base64 -d <<< '${body.toString('base64')}' |`,
      `curl -i --path-as-is -X ${method} ${quoted(`${this.services.url}${path}`)}`,
      ...Object.entries(headers).map(
        ([name, value]) => `-H ${quoted(value === '' ? `${name};` : `${name}: ${value}`)}`,
      ),
      body && !headers['content-type'] && "-H 'content-type:'",
      body && '--data-binary @-',
    ];
    return parts.filter(Boolean).join(' ');
  }
}

/** Fills two tenants through the API and returns the ids and keys for requests. */
async function fill(operator: Client): Promise<Record<string, string[]>> {
  const tenant = await createTenant(operator, 'Fuzzed');
  const other = await createTenant(operator, 'Other');
  const admin = `/admin/v1/tenants/${tenant.id}`;
  const make = async (client: Client, path: string, body?: unknown) => {
    const answer = await client.post(path, body);
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const several = (client: Client, path: string, body: (index: number) => unknown) =>
    Promise.all(Array.from({ length: resourcesPerKind }, (_, index) => make(client, path, body(index))));
  const issue = (name: string, scopes?: string[]) => make(operator, `${admin}/api-keys`, { name, scopes });

  const webhooks = await several(tenant.client, '/v1/webhooks', () => ({
    callback_url: 'https://receiver.invalid/',
    events: ['*'],
  }));
  const { people, accounts, machines } = await createSpecConnectors(tenant);
  for (const connector of [people, accounts, machines]) await sync(tenant, connector);
  await sync(other, await createFewPeople(other));
  const spare = await several(operator, `${admin}/connectors`, (index) => ({
    type: 'csv',
    name: `Spare ${index}`,
    config: { path: 'few.csv', external_id: 'number', fields: { display_name: 'name' } },
  }));
  const pushed = await createConnector(tenant, { type: 'scim-push', name: 'Pushed', config: {} });
  const token = await make(operator, `${admin}/connectors/${pushed}/tokens`, { name: 'Fuzzer' });
  const provider = new Client(`${operator.url}${token.path}`, { authorization: `Bearer ${token.token}` });
  const users = await several(provider, '/Users', (index) => ({ schemas: [], userName: `user${index}` }));
  const groups = await several(provider, '/Groups', (index) => ({
    schemas: [],
    displayName: `Group ${index}`,
    members: [{ value: users[index]?.id }],
  }));
  const tokens = await several(operator, `${admin}/connectors/${pushed}/tokens`, (index) => ({
    name: `Token ${index}`,
  }));
  const keys = await several(operator, `${admin}/api-keys`, (index) => ({ name: `Key ${index}` }));
  const revoked = await issue('Revoked');
  await operator.call('DELETE', `${admin}/api-keys/${revoked.id}`);
  const probe = await make(operator, `${admin}/connectors/${people}/test`);
  const operation = await operator.call('PUT', `${admin}/attribute-priorities`, { priorities: [] });
  const replay = await make(operator, `${admin}/webhooks/${webhooks[0]?.id}/replay`, { since: '2026-01-01T00:00:00Z' });

  const list = async (client: Client, path: string, id = 'id'): Promise<string[]> => {
    const { body } = await client.get(path);
    return body.data.map((item: Record<string, string>) => item[id]);
  };
  const { body: page } = await tenant.client.get('/v1/identities?limit=200&cursor=');
  const machineIds = page.data.flatMap((identity: { machine_identities?: { id: string }[] }) =>
    (identity.machine_identities ?? []).map(({ id }) => id),
  );
  return {
    tenantId: [tenant.id, other.id],
    connectorId: [people, accounts, machines, pushed, ...spare.map(({ id }) => id)],
    scimConnectorId: [pushed],
    webhookId: webhooks.map(({ id }) => id),
    keyId: keys.map(({ id }) => id),
    tokenId: tokens.map(({ id }) => id),
    UsersId: users.map(({ id }) => id),
    GroupsId: groups.map(({ id }) => id),
    identityId: page.data.map(({ id }: { id: string }) => id),
    userId: await list(tenant.client, '/v1/users?limit=200'),
    accountId: [...(await list(tenant.client, '/v1/accounts?limit=200')), encodeId('account', newUuid())],
    recordId: [...(await list(tenant.client, '/v1/users?limit=20')), ...machineIds],
    eventId: [...(await list(operator, `${admin}/events?limit=20`)), encodeId('event', newUuid())],
    jobId: await list(operator, `${admin}/sync-jobs`, 'job_id'),
    machineId: machineIds,
    caseId: [...(await list(operator, `${admin}/cases`)), encodeId('case', newUuid())],
    findingId: [...(await list(operator, `${admin}/findings`)), encodeId('finding', newUuid())],
    serviceTokenId: [encodeId('serviceToken', newUuid())],
    sessionId: [encodeId('session', newUuid())],
    deadLetterId: [encodeId('deadLetter', newUuid())],
    approvalId: [encodeId('approval', newUuid())],
    suppressionId: [encodeId('suppression', newUuid())],
    deliveryId: await list(operator, `${admin}/deliveries?limit=200`),
    probeId: [probe.probe_id],
    operationId: [operation.body.operation_id],
    replayId: [replay.replay_id],
    externalId: ['1000', '1001', '1002', '1003'],
    cursor: [page.next_cursor],
    key: [(await issue('All')).key],
    narrowKey: [(await issue('Narrow', ['users:read'])).key],
    revokedKey: [revoked.key],
    otherKey: [String((await make(operator, `/admin/v1/tenants/${other.id}/api-keys`, { name: 'Other' })).key)],
    token: [token.token],
    operator: [adminToken],
  };
}
