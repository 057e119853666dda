import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { all, DispatcherFixture } from '../../test/dispatcher-fixture.js';
import { Receiver } from '../../test/receiver.js';

let fixture: DispatcherFixture;
let receiver: Receiver;
let tenant: string;

beforeAll(async () => {
  fixture = await DispatcherFixture.start();
});

beforeEach(async () => {
  receiver = await Receiver.start();
  tenant = await fixture.tenant();
});

afterEach(async () => {
  await fixture.stopEngines();
  await receiver.close();
});

afterAll(async () => {
  await fixture?.close();
});

describe('delivering', () => {
  it('sends each event once, in the order of the events, and notes what was answered', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url, ['user.*']);
    receiver.answer = (_, response) => response.writeHead(201).end('thanks');
    const engine = fixture.engine();
    await fixture.announce(engine, tenant, ['user.created', 'identity.created', 'user.updated']);
    const rows = await fixture.until(webhook, all('delivered'));
    expect(rows.map(({ sequence, attempts, tries }) => [sequence, attempts, tries])).toEqual([
      [1, 1, 1],
      [3, 1, 1],
    ]);
    const [first] = rows;
    expect(await fixture.attempts(first?.id ?? '')).toEqual([
      { number: 1, outcome: 'delivered', statusCode: 201, error: null, responseBody: 'thanks' },
    ]);
    expect(receiver.received.map(({ body }) => JSON.parse(body).sequence).sort()).toEqual([1, 3]);
    expect(receiver.received[0]?.headers['content-type']).toBe('application/json');
  });

  it('signs so that the verifiers of Standard Webhooks and Svix accept it, with every live secret', async () => {
    const webhook = await fixture.webhook(tenant, receiver.url);
    const secrets = [await fixture.secret(tenant, webhook), await fixture.secret(tenant, webhook)];
    await fixture.announce(fixture.engine(), tenant, ['user.created']);
    await fixture.until(webhook, all('delivered'));
    const [{ headers, body }] = receiver.received as [(typeof receiver.received)[number]];
    expect(String(headers['webhook-signature']).split(' ')).toHaveLength(3);
    for (const secret of secrets) {
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
        type: 'user.created',
      });
      expect(new SvixWebhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({ sequence: 1 });
    }
    expect(() => new Webhook(secrets[0] ?? '').verify(`${body} `, headers as Record<string, string>)).toThrow();
  });
});
