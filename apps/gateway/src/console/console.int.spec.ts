import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OperatedGateway } from '../../test/operated-gateway.js';

let gateway: OperatedGateway;

beforeAll(async () => {
  gateway = await OperatedGateway.start({ PORTAL_FRAME_ANCESTORS: ['https://app.example'] });
});

afterAll(() => gateway?.close());

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${gateway.url}${path}`, { headers });

describe('the console', () => {
  it('answers every path of a screen with the page, under the policy of all pages, and never from a cache', async () => {
    for (const path of ['/console', '/console/', '/console/ten_1/people/idn_1?at=2026-11-24']) {
      const { status, headers } = await get(path);
      expect([path, status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
        path,
        200,
        'text/html; charset=utf-8',
        'no-cache',
      ]);
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; script-src 'self'; style-src 'self';/,
      );
    }
  });

  it('lets browsers keep files with a hash in their names, and sends them compressed', async () => {
    const page = await (await get('/console/')).text();
    const script = /src="(\/console\/assets\/[^"]+\.js)"/.exec(page)?.[1] ?? '';
    const { status, headers } = await get(script, { 'accept-encoding': 'br' });
    expect([status, headers.get('cache-control'), headers.get('content-encoding')]).toEqual([
      200,
      'public, max-age=31536000, immutable',
      'br',
    ]);
    expect(headers.get('content-type')).toMatch(/javascript/);
  });

  it('answers 404 to a file of another version, and to paths outside of its folder', async () => {
    for (const path of ['/console/assets/index-0000.js', '/console/assets/..%2f..%2fpackage.json'])
      expect([path, (await get(path)).status]).toEqual([path, 404]);
  });

  it('has no inline script or style in its page', async () => {
    expect(await (await get('/console/')).text()).not.toMatch(/<style|style="|<script(?![^>]* src=)/);
  });

  it('lets only the listed origins embed the portal, and none embed the console', async () => {
    const ancestorsOf = async (path: string) =>
      /frame-ancestors (.*)$/.exec((await get(path)).headers.get('content-security-policy') ?? '')?.[1];
    expect(await ancestorsOf('/portal/')).toBe('https://app.example');
    expect(await ancestorsOf('/portal/whk_1/dlv_1?theme=dark')).toBe('https://app.example');
    for (const path of ['/console/', '/console/portal.html', '/docs']) expect(await ancestorsOf(path)).toBe("'none'");
    const portal = await (await get('/portal/')).text();
    for (const path of ['/portal/index.html', '/portal/./index.html', '/portal/index%2ehtml', '/portal//index.html'])
      expect([path, await (await get(path)).text()]).toEqual([path, portal]);
    expect(portal).toContain('src="/portal/assets/');
  });

  it('serves the files of the portal below its own path', async () => {
    const script = /src="(\/portal\/assets\/[^"]+\.js)"/.exec(await (await get('/portal/')).text())?.[1] ?? '';
    const { status, headers } = await get(script);
    expect([status, headers.get('content-type')]).toEqual([200, expect.stringMatching(/javascript/)]);
    expect((await get('/portal/assets/index-0000.js')).status).toBe(404);
  });
});
