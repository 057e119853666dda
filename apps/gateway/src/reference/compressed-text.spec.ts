import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsGzip, CompressedText } from './compressed-text.js';

async function sent(accepted: string | undefined, rendered = { count: 0 }) {
  const text = new CompressedText(() => {
    rendered.count += 1;
    return 'text '.repeat(100);
  });
  const headers: Record<string, string> = {};
  const reply = { header: (name: string, value: string) => Object.assign(headers, { [name]: value }) };
  const request = { headers: { 'accept-encoding': accepted } };
  const send = () => text.send(request as unknown as FastifyRequest, reply as unknown as FastifyReply);
  await send();
  return { headers, body: await send() };
}

describe('a text of the reference', () => {
  it('is compressed once for clients that accept it', async () => {
    const rendered = { count: 0 };
    const { headers, body } = await sent('br, gzip;q=0.8', rendered);
    expect(headers).toEqual({ vary: 'accept-encoding', 'content-encoding': 'gzip' });
    expect(gunzipSync(body).toString()).toBe('text '.repeat(100));
    expect(rendered.count).toBe(1);
  });

  it('is rendered once and sent as it is to others', async () => {
    const rendered = { count: 0 };
    const { headers, body } = await sent(undefined, rendered);
    expect(rendered.count).toBe(1);
    expect({ headers, body: body.toString() }).toEqual({
      headers: { vary: 'accept-encoding' },
      body: 'text '.repeat(100),
    });
  });

  it.each(['gzip', 'deflate, gzip', 'GZIP;q=1.0', 'gzip; q=0.001'])('is compressed for %s', (header) => {
    expect(acceptsGzip(header)).toBe(true);
  });

  it.each(['', 'identity', 'br', 'gzip;q=0', 'gzip; q=0.00', 'x-gzip'])('is not compressed for "%s"', (header) => {
    expect(acceptsGzip(header)).toBe(false);
  });
});
