import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OperatedGateway } from '../apps/gateway/test/operated-gateway.js';
import { addTenant, ScimProvider } from '../apps/gateway/test/scim-provider.js';

/** Requests of an identity provider as its documents or its logs show them. `{user}` is an id that an earlier answer had. */
interface Recording {
  provider: string;
  sources: string[];
  headers?: Record<string, string>;
  requests: {
    request: string;
    body?: object;
    status: number;
    /** Part of the body of the answer. */
    answer?: object;
    absent?: string[];
    /** The name of the id in the answer. */
    save?: string;
  }[];
}

const folder = join(__dirname, 'scim-clients');
const recordings = readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Recording);

describe('the SCIM service for pushes', () => {
  let gateway: OperatedGateway;
  let tenant: string;

  beforeAll(async () => {
    gateway = await OperatedGateway.start();
    tenant = await addTenant(gateway);
  });

  afterAll(() => gateway?.close());

  it.each(recordings.map((recording) => [recording.provider, recording] as const))(
    'answers the requests of %s',
    async (_, { requests, headers }) => {
      const client = await ScimProvider.create(gateway, tenant);
      const ids = new Map<string, string>();
      const filled = <Value>(value: Value): Value =>
        JSON.parse(JSON.stringify(value).replaceAll(/\{(\w+)\}/g, (name, id) => ids.get(id) ?? name));
      for (const { request, status, answer = {}, absent = [], save, ...sent } of requests) {
        const [method = '', ...path] = filled(request).split(' ');
        const body = sent.body && filled(sent.body);
        const received = await client.send(method, path.join(' '), body, headers);
        expect({ request, ...received }).toMatchObject({ request, status, body: filled(answer) });
        for (const name of absent) expect(received.body).not.toHaveProperty(name);
        if (save) ids.set(save, String(received.body.id));
      }
    },
  );
});
