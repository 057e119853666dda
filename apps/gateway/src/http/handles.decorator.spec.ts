import { clientRoutes, encodeId, newUuid } from '@idsync/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, type HttpException } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { ApiError } from './api-error.js';
import { Handles, type Input } from './handles.decorator.js';

const tenantId = newUuid();
const id = newUuid();
const path = `/v1/webhooks/${encodeId('webhook', id)}/rotate-secret`;
let received: unknown;

@Controller()
class ExampleController {
  @Handles(clientRoutes.rotateWebhookSecret)
  rotate(input: Input<typeof clientRoutes.rotateWebhookSecret>) {
    received = input;
    return { signing_secret: 'whsec_1' };
  }

  @Handles(clientRoutes.deleteWebhook)
  delete(_input: Input<typeof clientRoutes.deleteWebhook>): void {}

  @Handles(clientRoutes.getIdentity)
  get({ id: identity, query: { at } }: Input<typeof clientRoutes.getIdentity>) {
    return JSON.stringify({ identity, at });
  }
}

describe('a handler of a route', () => {
  let app: NestFastifyApplication;

  beforeAll(async () => {
    const module = await Test.createTestingModule({ controllers: [ExampleController] }).compile();
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
    expect(received).toEqual({ id, tenantId, body: { overlap_hours: 24 } });
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
