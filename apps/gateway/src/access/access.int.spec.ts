import { encodeId, newUuid, routes } from '@idsync/contracts';
import { createTestDatabase, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/internal';
import { MetadataScanner, ModulesContainer, Reflector } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { RouteOptions } from 'fastify';
import { gatewayConfig } from '../../test/gateway-config.js';
import { OperatedGateway } from '../../test/operated-gateway.js';
import { createGateway } from '../start.js';
import { Access } from './access.decorator.js';

describe('the access of a route', () => {
  let database: TestDatabase;
  let app: NestFastifyApplication;
  const registered: string[] = [];

  beforeAll(async () => {
    registered.length = 0;
    database = await createTestDatabase();
    app = await createGateway(gatewayConfig(database.url));
    app
      .getHttpAdapter()
      .getInstance()
      .addHook('onRoute', ({ method, url }: RouteOptions) => {
        registered.push(`${Array.isArray(method) ? 'ALL' : method} ${url}`);
      });
    await app.init();
  });

  afterAll(async () => {
    await app?.close();
    await database?.drop();
  });

  const listed = (paths: string | string[]) => (Array.isArray(paths) ? paths : [paths]);

  const inContracts = new Map(
    routes.map(({ method, path, auth }) => [`${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`, auth]),
  );

  /** Returns the access of each route of a controller, also of those that it inherits, as the guard decides it. */
  function declaredBy(controller: Type<object>): [string, unknown][] {
    const prefix: string = Reflect.getMetadata(PATH_METADATA, controller);
    return new MetadataScanner().getAllMethodNames(controller.prototype).flatMap((name) => {
      const handler = controller.prototype[name];
      const paths: string | string[] | undefined = Reflect.getMetadata(PATH_METADATA, handler);
      if (paths === undefined) return [];
      const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler)];
      const access = new Reflector().getAllAndOverride(Access, [handler, controller]) ?? 'not declared';
      return listed(paths).map((path): [string, unknown] => {
        const whole = [prefix, path].map((part) => part.replaceAll(/^\/|\/$/g, '')).filter(Boolean);
        const route = `${method} /${whole.join('/')}`;
        return [route, access === 'of-route' ? (inContracts.get(route) ?? 'not in the contracts') : access];
      });
    });
  }

  const declared = () =>
    [...app.get(ModulesContainer).values()].flatMap(({ controllers }) =>
      [...controllers.values()].flatMap(({ metatype }) => declaredBy(metatype as Type<object>)),
    );

  it('is declared for every route as in the contracts', () => {
    const reference = ['', 'docs', 'docs/viewer.js', 'docs/reference.js', 'openapi.json'];
    const discovery = ['ServiceProviderConfig', 'ResourceTypes', 'ResourceTypes/:name', 'Schemas', 'Schemas/:urn'].map(
      (path) => `GET ${path}`,
    );
    const reader = ['Users', 'Groups'].flatMap((kinds) => [`GET ${kinds}`, `GET ${kinds}/:id`]);
    const scim = [
      ...['GET', 'POST'].map((method) => `${method} :kinds`),
      ...['GET', 'PUT', 'PATCH', 'DELETE'].map((method) => `${method} :kinds/:id`),
      ...discovery,
    ];
    expect(Object.fromEntries(declared())).toEqual({
      ...Object.fromEntries(inContracts),
      ...Object.fromEntries(reference.map((path) => [`GET /${path}`, 'none'])),
      ...Object.fromEntries(scim.map((route) => [route.replace(' ', ' /scim/v2/:connectorId/'), 'scim-token'])),
      ...Object.fromEntries([...discovery, ...reader].map((route) => [route.replace(' ', ' /scim/v2/'), 'scim-key'])),
    });
  });

  it('is checked by the Nest guard, because Fastify has no routes besides those of controllers', () => {
    const withoutHead = registered.filter((route) => !route.startsWith('HEAD '));
    expect(withoutHead.sort()).toEqual(
      declared()
        .map(([route]) => route)
        .sort(),
    );
  });
});

describe('closed routes:', () => {
  const operated = routes.filter(({ auth }) => auth === 'operator');
  /** Routes that address one resource by id and need no body. */
  const addressed = operated.filter(
    ({ method, path }) => ['GET', 'DELETE'].includes(method) && /\{(?!tenantId)\w+\}/.test(path),
  );
  /** All reads of a tenant, including its lists. */
  const readsOfTenant = operated.filter(
    ({ method, path }) => method === 'GET' && path.startsWith('/admin/v1/tenants/{tenantId}'),
  );
  const scim = [
    ...['Users', 'Groups'].flatMap((kind) => [
      ['GET', kind],
      ['POST', kind],
      ...['GET', 'PUT', 'PATCH', 'DELETE'].map((method) => [method, `${kind}/scr_01h00000000000000000000000`]),
    ]),
    ...['ServiceProviderConfig', 'ResourceTypes', 'Schemas', 'Bulk', 'Me', 'nothing'].map((path) => ['GET', path]),
  ] as [string, string][];

  let gateway: OperatedGateway;
  let mine: string;
  let theirs: Record<string, string>;
  let key: string;
  let token: string;
  let otherToken: string;

  beforeAll(async () => {
    gateway = await OperatedGateway.start();
    const tenant = async (name: string) => String((await gateway.operator('POST', '/tenants', { name })).body.id);
    const issue = async (path: string) => (await gateway.operator('POST', path, { name: 'x' })).body;
    mine = await tenant('Mine');
    const other = `/tenants/${await tenant('Theirs')}`;
    const pushed = async (name: string) =>
      (await gateway.operator('POST', `${other}/connectors`, { type: 'scim-push', name, config: {} })).body.id;
    const [connectorId, another] = [await pushed('One'), await pushed('Another')];
    const [first, second] = [
      await issue(`${other}/connectors/${connectorId}/tokens`),
      await issue(`${other}/connectors/${another}/tokens`),
    ];
    const clientKey = await issue(`${other}/api-keys`);
    [key, token, otherToken] = [clientKey.key, first.token, second.token];
    const job = await gateway.operator('POST', `${other}/sync-jobs`, { connector_id: connectorId });
    const hook = await call(
      'POST',
      '/v1/webhooks',
      { 'x-api-key': key },
      '{"callback_url":"https://a.b","events":["*"]}',
    );
    theirs = {
      connectorId,
      keyId: clientKey.id,
      tokenId: first.id,
      jobId: job.body.job_id,
      webhookId: JSON.parse(hook.text).id,
      probeId: encodeId('probe', newUuid()),
      caseId: encodeId('case', newUuid()),
      findingId: encodeId('finding', newUuid()),
      identityId: encodeId('identity', newUuid()),
      accountId: encodeId('account', newUuid()),
      machineId: encodeId('machineIdentity', newUuid()),
      operationId: encodeId('operation', newUuid()),
      deliveryId: encodeId('delivery', newUuid()),
      eventId: encodeId('event', newUuid()),
      recordId: encodeId('user', newUuid()),
      replayId: encodeId('replay', newUuid()),
      approvalId: encodeId('approval', newUuid()),
      serviceTokenId: encodeId('serviceToken', newUuid()),
      sessionId: encodeId('session', newUuid()),
      suppressionId: encodeId('suppression', newUuid()),
      deadLetterId: encodeId('deadLetter', newUuid()),
    };
  });

  afterAll(() => gateway?.close());

  async function call(method: string, path: string, headers: Record<string, string>, body?: string) {
    const answer = await fetch(`${gateway.url}${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body }),
    });
    return { status: answer.status, text: await answer.text() };
  }

  /** Fills ids into a path. Throws if an id is missing. */
  const filled = (path: string, ids: Record<string, string>) =>
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const id = ids[name] ?? (name === 'externalId' ? 'any' : undefined);
      if (id === undefined) throw new Error(`no id for ${name}`);
      return id;
    });

  describe('an operator route', () => {
    it.each(operated.map(({ method, path }) => [method, path]))(
      'rejects all other callers: %s %s',
      async (method, path) => {
        const address = filled(path, { ...theirs, tenantId: mine });
        const callers: Record<string, string>[] = [
          {},
          { 'x-api-key': key },
          { authorization: `Bearer ${key}` },
          { authorization: `Bearer ${token}` },
          { authorization: 'Bearer the-operators-token-of-this-tes' },
          { authorization: 'Basic the-operators-token-of-this-test' },
          { 'x-api-key': 'the-operators-token-of-this-test' },
        ];
        for (const headers of callers) {
          expect(await call(method, address, headers)).toEqual({
            status: 401,
            text: '{"error":"missing or invalid operator token"}',
          });
        }
      },
    );

    it.each(addressed.map(({ method, path }) => [method, path]))(
      'returns nothing of another tenant or of an unknown tenant: %s %s',
      async (method, path) => {
        for (const tenantId of [mine, encodeId('tenant', newUuid()), 'ten_nonsense']) {
          const { status, body } = await gateway.operator(
            method,
            filled(path, { ...theirs, tenantId }).replace('/admin/v1', ''),
          );
          expect({ status, body }).toEqual({ status: 404, body: { error: 'not found' } });
        }
      },
    );

    it.each(readsOfTenant.map(({ path }) => path))('answers 404 for an unknown tenant: GET %s', async (path) => {
      const address = filled(path, { ...theirs, tenantId: encodeId('tenant', newUuid()) });
      const { status, body } = await gateway.operator('GET', address.replace('/admin/v1', ''));
      expect({ status, body }).toEqual({ status: 404, body: { error: 'not found' } });
    });
  });

  describe('a SCIM route', () => {
    it.each(scim)('rejects all callers without a token of its connector: %s %s', async (method, path) => {
      const address = `/scim/v2/${theirs.connectorId}/${path}`;
      for (const bearer of ['', key, otherToken, 'the-operators-token-of-this-test', `${token}x`]) {
        const { status } = await call(method, address, { authorization: `Bearer ${bearer}` });
        expect(status).toBe(401);
      }
      expect((await call(method, address, { 'x-api-key': token })).status).toBe(401);
      expect((await call('GET', address, { authorization: `Bearer ${token}` })).status).not.toBe(401);
    });
  });
});
