import { decodeId, encodeId } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { beginPush } from '@idsync/database/scim';
import { until } from '@idsync/testing';
import { expect, jest } from '@jest/globals';
import { PushGroups } from '../src/scim/push-groups.service.js';
import type { OperatedGateway } from './operated-gateway.js';

export const core = 'urn:ietf:params:scim:schemas:core:2.0';
const patchOp = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

export type Json = Record<string, unknown>;
export interface Resource extends Json {
  id: string;
  meta: { location: string; version: string };
}

let names = 0;

/** Creates a tenant, and returns its path in the operator API. */
export async function addTenant(gateway: OperatedGateway): Promise<string> {
  return `/tenants/${(await gateway.operator('POST', '/tenants', { name: 'Test' })).body.id}`;
}

/** Sends a request with a token, and parses the answer. */
export async function ask(
  gateway: OperatedGateway,
  method: string,
  path: string,
  token: string,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const answer = await fetch(`${gateway.url}${path}`, {
    method,
    headers: { 'content-type': 'application/scim+json', authorization: `Bearer ${token}`, ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: (text ? JSON.parse(text) : {}) as Json };
}

/** Counts pushes that begin from now on. Returns a function that waits for the given number. */
export function countPushes(): (count: number) => Promise<void> {
  const begun = jest.spyOn(PushGroups.prototype, 'run');
  return async (count) => {
    await until(() => begun.mock.calls.length >= count, `${count} pushes`);
    begun.mockRestore();
  };
}

/** The identity provider of a scim-push connector. */
export class ScimProvider {
  constructor(
    private readonly gateway: OperatedGateway,
    /** Path of the tenant in the operator API. */
    private readonly tenant: string,
    readonly connector: string,
    readonly token: string,
  ) {}

  static async create(gateway: OperatedGateway, tenant: string): Promise<ScimProvider> {
    names += 1;
    const { body } = await gateway.operator('POST', `${tenant}/connectors`, {
      type: 'scim-push',
      name: `Push ${names}`,
      config: {},
    });
    const { body: issued } = await gateway.operator('POST', `${tenant}/connectors/${body.id}/tokens`, { name: 'Okta' });
    return new ScimProvider(gateway, tenant, String(body.id), String(issued.token));
  }

  send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    ask(this.gateway, method, `/scim/v2/${this.connector}${path}`, this.token, body, headers);

  async user(userName: string, more: object = {}): Promise<Resource> {
    const { status, body } = await this.send('POST', '/Users', { schemas: [`${core}:User`], userName, ...more });
    expect(status).toBe(201);
    return body as Resource;
  }

  async group(displayName: string, members: readonly Resource[] = []): Promise<Resource> {
    const list = members.map(({ id }) => ({ value: id }));
    const { status, body } = await this.send('POST', '/Groups', {
      schemas: [`${core}:Group`],
      displayName,
      members: list,
    });
    expect(status).toBe(201);
    return body as Resource;
  }

  patch = (path: string, ...Operations: object[]) => this.send('PATCH', path, { schemas: [patchOp], Operations });

  async members(group: Resource): Promise<unknown[]> {
    const { body } = await this.send('GET', `/Groups/${group.id}`);
    return ((body.members ?? []) as { value: string }[]).map(({ value }) => value);
  }

  jobs = () =>
    this.gateway.fixture.rows<{ id: string; status: string }>(
      'select id, status from sync_jobs where connector_id = $1',
      [this.connectorId],
    );

  /** Returns the positions of the users in the order of changes, by public id. */
  async positions(): Promise<Map<string, number>> {
    const rows = await this.gateway.fixture.rows<{ id: string; position: string }>(
      `select id, position from scim_resources where connector_id = $1 and kind = 'User'`,
      [this.connectorId],
    );
    return new Map(rows.map(({ id, position }) => [encodeId('scimResource', id), Number(position)]));
  }

  /** Holds a push open until it is released, so that others wait. */
  async holdPushes(): Promise<() => Promise<void>> {
    const database = await Database.connect({ url: this.gateway.database.url, service: 'gateway' });
    const tenantId = decodeId('tenant', this.tenant.slice('/tenants/'.length)) ?? '';
    let release = () => {};
    let started = () => {};
    const began = new Promise<void>((resolve) => {
      started = resolve;
    });
    const held = database.transaction(tenantId, async (tx) => {
      await beginPush(tx, this.connectorId);
      started();
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    });
    await began;
    return async () => {
      release();
      await held;
      await database.close();
    };
  }

  /** The uuid of the connector. */
  get connectorId(): string {
    return decodeId('connector', this.connector) ?? '';
  }
}
