import { expect, it } from '@jest/globals';
import { SourceError } from '../../src/connector.js';
import type { Asked, Handler, Reply } from '../http-server.js';
import { attempt, failure, given, people, readComplete, sourceText, stateAfter } from './readings.js';
import { isUnsupported, type OverHttp, type SourceUnderTest } from './source-under-test.js';

type Fault = (reply: Reply) => Reply;

const faults: Record<string, Fault> = {
  '429 without Retry-After': () => ({ status: 429 }),
  '429 with Retry-After': () => ({ status: 429, headers: { 'retry-after': '0.005' } }),
  503: () => ({ status: 503, body: '<html>' }),
  'a truncated body': (reply) => ({ ...reply, cutAfter: 5 }),
};

/** Encodings in which a service may echo a request. */
const repetitions: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => encodeURIComponent(text),
  (text) => Buffer.from(text).toString('base64'),
  (text) => text.split('').join('\u0007'),
  (text) => Buffer.from(text).toString('hex'),
  (text) => `${'x'.repeat(280)}${text}`.slice(0, 330),
];

/** Tests temporary faults, permanent faults and rejected credentials at each request of a read. */
export function testsHttpFaults(source: SourceUnderTest, { server, answer, renewal }: OverHttp): void {
  const baseline = async () => {
    await given(source, people(9));
    const state = stateAfter(await readComplete(source, { pageSize: 3 }));
    return { state, requests: server.asked.length };
  };
  const from = (nth: number, instead: (asked: Asked) => Reply | Promise<Reply>): Handler => {
    let asked = 0;
    return (request) => (asked++ < nth ? answer(request) : instead(request));
  };

  it.each(Object.entries(faults))('retries after %s once at each request', async (_, fault) => {
    const { state } = await baseline();
    const seen = new Set<string>();
    server.serve(async (asked) => {
      const reply = await answer(asked);
      const key = keyOf(asked);
      if (seen.has(key)) return reply;
      seen.add(key);
      return fault(reply);
    });
    expect(stateAfter(await readComplete(source, { pageSize: 3 }))).toEqual(state);
  });

  it.each(Object.entries(faults))('fails when %s persists from any request on', async (what, fault) => {
    const { requests } = await baseline();
    const bounded =
      what === '429 with Retry-After' ? () => ({ status: 429, headers: { 'retry-after': '3600' } }) : fault;
    for (let nth = 0; nth < requests; nth += 1) {
      server.serve(from(nth, async (asked) => bounded(await answer(asked))));
      const message = await failure(source, { pageSize: 3 });
      expect(message).toContain(server.origin);
      if (what === '429 with Retry-After') expect(message).toContain('would exceed');
      else expect(message).toContain('tried ');
    }
  });

  it('waits for the Retry-After delay and then continues', async () => {
    const { state } = await baseline();
    let throttledAt = 0;
    let resumedAt = 0;
    server.serve((asked) => {
      if (throttledAt === 0) {
        throttledAt = performance.now();
        return { status: 429, headers: { 'retry-after': '0.06' } };
      }
      resumedAt ||= performance.now();
      return answer(asked);
    });
    expect(stateAfter(await readComplete(source, { pageSize: 3 }))).toEqual(state);
    expect(resumedAt - throttledAt).toBeGreaterThanOrEqual(55);
  });

  it('never reports a complete read without all records when half a response is declared complete', async () => {
    const { state, requests } = await baseline();
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

  it('fails without exposing its credentials when any request is rejected', async () => {
    const { requests } = await baseline();
    for (let nth = 0; nth < requests; nth += 1) {
      for (const [index, status] of [401, 403, 400].entries()) {
        const repeat = repetitions[(nth * 3 + index) % repetitions.length] ?? String;
        let refused = 0;
        server.serve(
          from(nth, ({ url, headers, body }) => {
            refused += 1;
            const said = `${sourceText} ${repeat(`${Object.values(headers).join(' ')} ${url.href} ${body}`)}`;
            return { status, body: { error: said, error_description: said, detail: said, message: said } };
          }),
        );
        await failure(source, { pageSize: 3 });
        expect(refused).toBeLessThanOrEqual(3);
      }
    }
  });

  if (isUnsupported(renewal)) {
    it(`does not repeat a request that was rejected with 401, because ${renewal.unsupported}`, async () => {
      const { requests } = await baseline();
      for (let nth = 0; nth < requests; nth += 1) {
        const keys: string[] = [];
        server.serve((asked) => (keys.push(keyOf(asked)) === nth + 1 ? { status: 401, body: {} } : answer(asked)));
        await attempt(source, { pageSize: 3 });
        expect(keys.slice(nth + 1)).not.toContain(keys[nth]);
      }
    });
    return;
  }
  it('renews its credential when any request is rejected with 401', async () => {
    const { state, requests } = await baseline();
    for (let nth = 0; nth < requests; nth += 1) {
      let asked = 0;
      server.serve((request) => (asked++ === nth && !renewal(request) ? { status: 401, body: {} } : answer(request)));
      expect(stateAfter(await readComplete(source, { pageSize: 3 }))).toEqual(state);
    }
  });
}

/** Identifies a request without its assertion, which differs between attempts. */
function keyOf({ method, url, body }: Asked): string {
  return [method, url, body.replace(/assertion=[^&]*/, '')].join(' ');
}

function halved(body: unknown): unknown {
  if (Buffer.isBuffer(body)) return body.subarray(0, -7);
  return (typeof body === 'string' ? body : JSON.stringify(body ?? '')).slice(0, -7);
}
