import { adminRoutes, clientRoutes, encodeId, newUuid } from '@idsync/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, type HttpException } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { AuditLog } from '../audit/audit-log.service.js';
import { ApiError } from './api-error.js';
import { Handles, type Input } from './handles.decorator.js';

const tenantId = newUuid();
const id = newUuid();
const path = `/v1/webhooks/${encodeId('webhook', id)}/rotate-secret`;
let received: unknown;
const log = { provide: AuditLog, useValue: { recordAct: async () => undefined } };

@Controller()
class ExampleController {
  @Handles(clientRoutes.rotateWebhookSecret, adminRoutes.rotateWebhookSecret)
  rotate(input: Input<typeof clientRoutes.rotateWebhookSecret>) {
    received = input;
    return { signing_secret: 'whsec_1' };
  }

  @Handles(clientRoutes.deleteWebhook)
  delete(_input: Input<typeof clientRoutes.deleteWebhook>): void {}

  @Handles(adminRoutes.getRecord)
  record({ recordId }: Input<typeof adminRoutes.getRecord>) {
    return JSON.stringify({ id: recordId });
  }

  @Handles(clientRoutes.getIdentity)
  get({ identityId: identity, query: { at } }: Input<typeof clientRoutes.getIdentity>) {
    return JSON.stringify({ identity, at });
  }
}

describe('a handler of a route', () => {
  let app: NestFastifyApplication;

  beforeAll(async () => {
    const module = await Test.createTestingModule({ controllers: [ExampleController], providers: [log] }).compile();
    app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
    app.useGlobalFilters({
      catch(error: Error, host) {
        const status = error instanceof ApiError ? error.status : (error as HttpException).getStatus();
        return host.switchToHttp().getResponse().status(status).send({ error: error.message });
      },
    });
    app
      .getHttpAdapter()
      .getInstance()
      .addHook('onRequest', async (request) => {
        request.caller = { access: 'key', keyId: newUuid(), tenantId, scopes: new Set() };
      });
    await app.init();
  });
  afterAll(() => app.close());

  it('receives the ids of the path, the body with its defaults, and the tenant of the key', async () => {
    const { statusCode, json } = await app.inject({ method: 'POST', url: path, payload: {} });
    expect({ status: statusCode, body: json() }).toEqual({ status: 200, body: { signing_secret: 'whsec_1' } });
    expect(received).toEqual({ webhookId: id, tenantId, body: { overlap_hours: 24 } });
  });

  it('answers with the status of the route', async () => {
    const { statusCode, body } = await app.inject({ method: 'DELETE', url: `/v1/webhooks/${encodeId('webhook', id)}` });
    expect({ statusCode, body }).toEqual({ statusCode: 204, body: '' });
  });

  it('may answer with JSON as text', async () => {
    const url = `/v1/identities/${encodeId('identity', id)}?at=2026-01-31T12:00:00Z`;
    const { headers, json } = await app.inject({ url });
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(json()).toEqual({ identity: id, at: '2026-01-31T12:00:00Z' });
  });

  it.each([
    ['its query before an id', 'GET', '/v1/identities/x?at=x', 400],
    ['an id before its body', 'POST', '/v1/webhooks/x/rotate-secret', 404],
    ['its body', 'POST', path, 400],
  ] as const)('refuses %s', async (_fault, method, url, status) => {
    const { statusCode } = await app.inject({
      method,
      url,
      ...(method === 'POST' && { payload: { overlap_hours: -1 } }),
    });
    expect(statusCode).toBe(status);
  });

  it('of a client and of an operator receives the same input', async () => {
    const url = `/admin/v1/tenants/${encodeId('tenant', tenantId)}${path.slice('/v1'.length)}`;
    const { statusCode } = await app.inject({ method: 'POST', url, payload: { overlap_hours: 1 } });
    expect([statusCode, received]).toEqual([200, { webhookId: id, tenantId, body: { overlap_hours: 1 } }]);
  });

  it('is refused at the start if the kind of an id is not known', () => {
    const route = { ...clientRoutes.getUser, path: '/v1/people/{id}' as const };
    class Unknown {
      get(): string {
        return '{}';
      }
    }
    const descriptor = Object.getOwnPropertyDescriptor(Unknown.prototype, 'get') ?? {};
    expect(() => Handles(route)(Unknown.prototype, 'get', descriptor)).toThrow(
      'the kind of the id after /people/ in /v1/people/{id} is not known',
    );
  });

  it('is refused at the start for routes that differ in method or status', () => {
    expect(() => Handles(clientRoutes.listWebhooks, adminRoutes.createWebhook)).toThrow(
      '/v1/webhooks and /admin/v1/tenants/{tenantId}/webhooks differ in method or status',
    );
  });

  it('receives the id after records as a text', async () => {
    const url = `/admin/v1/tenants/${encodeId('tenant', tenantId)}/records/a%20b`;
    expect((await app.inject({ url })).json()).toMatchObject({ id: 'a b' });
  });

  it('does not compile with another parameter or result', () => {
    class Wrong {
      // @ts-expect-error: a rotated secret is shown as signing_secret.
      @Handles(clientRoutes.rotateWebhookSecret)
      rotate() {
        return { secret: 'whsec_1' };
      }

      // @ts-expect-error: the route has no query.
      @Handles(clientRoutes.deleteWebhook)
      delete({ query }: Input<typeof clientRoutes.deleteWebhook> & { query: object }): void {
        received = query;
      }
    }
    expect(Object.getOwnPropertyNames(Wrong.prototype)).toEqual(['constructor', 'rotate', 'delete']);
  });
});
