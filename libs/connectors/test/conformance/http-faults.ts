import { expect, it } from '@jest/globals';
import { SourceError } from '../../src/connector.js';
import type { Asked, Handler, Reply } from '../http-server.js';
import { attempt, failure, given, people, stateAfter, whole } from './readings.js';
import { isLacking, type OverHttp, type SourceUnderTest, skipped } from './source-under-test.js';

type Stumble = (reply: Reply) => Reply;

const stumbles: Record<string, Stumble> = {
  '429 without Retry-After': () => ({ status: 429 }),
  '429 with Retry-After': () => ({ status: 429, headers: { 'retry-after': '0.005' } }),
  503: () => ({ status: 503, body: '<html>' }),
  'a body that is cut off': (reply) => ({ ...reply, cutAfter: 5 }),
};

/** What passes, what stays and what is refused, at any request of a read. */
export function testsHttpFaults(source: SourceUnderTest, { server, answer, renewal }: OverHttp): void {
  const everybody = async () => {
    await given(source, people(9));
    const state = stateAfter(await whole(source, { pageSize: 3 }));
    return { state, requests: server.asked.length };
  };
  const from = (nth: number, instead: (asked: Asked) => Reply | Promise<Reply>): Handler => {
    let asked = 0;
    return (request) => (asked++ < nth ? answer(request) : instead(request));
  };

  it.each(Object.entries(stumbles))('takes no notice of %s, once at each request', async (_, stumble) => {
    const { state } = await everybody();
    const seen = new Set<string>();
    server.serve(async (asked) => {
      const reply = await answer(asked);
      const key = [asked.method, asked.url, withoutSignature(asked.body)].join(' ');
      if (seen.has(key)) return reply;
      seen.add(key);
      return stumble(reply);
    });
    expect(stateAfter(await whole(source, { pageSize: 3 }))).toEqual(state);
  });

  it.each(Object.entries(stumbles))('fails where %s stays, from any request on', async (what, stumble) => {
    const { requests } = await everybody();
    const bounded =
      what === '429 with Retry-After' ? () => ({ status: 429, headers: { 'retry-after': '3600' } }) : stumble;
    for (let nth = 0; nth < requests; nth += 1) {
      server.serve(from(nth, async (asked) => bounded(await answer(asked))));
      const message = await failure(source, { pageSize: 3 });
      expect(message).toContain(server.origin);
      if (what === '429 with Retry-After') expect(message).toContain('would be longer than');
      else expect(message).toContain('tried ');
    }
  });

  it('waits as long as it is asked to, and no more than once for it', async () => {
    const { state } = await everybody();
    let told = 0;
    let back = 0;
    server.serve((asked) => {
      if (told === 0) {
        told = performance.now();
        return { status: 429, headers: { 'retry-after': '0.06' } };
      }
      back ||= performance.now();
      return answer(asked);
    });
    expect(stateAfter(await whole(source, { pageSize: 3 }))).toEqual(state);
    expect(back - told).toBeGreaterThanOrEqual(55);
  });

  it('is never whole where half an answer is sent as if it were all', async () => {
    const { state, requests } = await everybody();
    for (let nth = 0; nth < requests; nth += 1) {
      let asked = 0;
      server.serve(async (request) => {
        const reply = await answer(request);
        return asked++ === nth ? { ...reply, body: halved(reply.body) } : reply;
      });
      const { pages, error } = await attempt(source, { pageSize: 3 });
      if (error === undefined) expect(stateAfter(pages)).toEqual(state);
      else expect(error).toBeInstanceOf(SourceError);
    }
  });

  it('fails where it is refused at any request, and never repeats its credentials', async () => {
    const { requests } = await everybody();
    for (let nth = 0; nth < requests; nth += 1) {
      for (const status of [401, 403]) {
        let refused = 0;
        server.serve(
          from(nth, ({ headers, body }) => {
            refused += 1;
            return { status, body: { error: 'access_denied', message: `${headers.authorization} ${body}` } };
          }),
        );
        await failure(source, { pageSize: 3 });
        expect(refused).toBeLessThanOrEqual(3);
      }
    }
  });

  const anew = 'is told anew who asks where a credential ends';
  if (isLacking(renewal)) {
    skipped(`${source.name} ${anew}`, renewal);
    return;
  }
  it(anew, async () => {
    const { state, requests } = await everybody();
    for (let nth = 0; nth < requests; nth += 1) {
      let asked = 0;
      server.serve((request) => (asked++ === nth && !renewal(request) ? { status: 401, body: {} } : answer(request)));
      expect(stateAfter(await whole(source, { pageSize: 3 }))).toEqual(state);
    }
  });
}

/** What is signed anew with the time at each try is the same request. */
function withoutSignature(body: string): string {
  return body.replace(/assertion=[^&]*/, '');
}

function halved(body: unknown): unknown {
  if (Buffer.isBuffer(body)) return body.subarray(0, -7);
  return (typeof body === 'string' ? body : JSON.stringify(body ?? '')).slice(0, -7);
}
