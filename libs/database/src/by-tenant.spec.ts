import { describe, expect, it } from '@jest/globals';
import { eachTenant } from './by-tenant.js';

const items = ['a1', 'b1', 'a2', 'c1'].map((name) => ({ tenantId: name.charAt(0), name }));
const refused = Object.assign(new Error('refused'), { severity: 'ERROR', code: '23505' });

/** Returns the items that were processed while the work of some tenants failed. */
async function worked(failing: Record<string, Error>) {
  const done: Record<string, string[]> = {};
  const ended = eachTenant(items, async (tenantId, own) => {
    if (failing[tenantId]) throw failing[tenantId];
    done[tenantId] = own.map(({ name }) => name);
  });
  const error = await ended.catch((error: unknown) => error);
  return { done, error };
}

describe('eachTenant', () => {
  it('passes all items of a tenant in one call', async () => {
    expect(await worked({})).toEqual({ done: { a: ['a1', 'a2'], b: ['b1'], c: ['c1'] }, error: undefined });
  });

  it('continues with other tenants if PostgreSQL rejects the work of one, and throws that error', async () => {
    expect(await worked({ a: refused })).toEqual({ done: { b: ['b1'], c: ['c1'] }, error: refused });
  });

  it('stops at once if the database is unavailable', async () => {
    const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    expect(await worked({ b: away })).toEqual({ done: { a: ['a1', 'a2'] }, error: away });
  });

  it.each([
    ['one tenant at once by default', undefined, 1],
    ['the allowed number of tenants at once', 2, 2],
  ])('works on at most %s', async (_, atOnce, expected) => {
    let running = 0;
    let most = 0;
    const work = async () => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
    };
    await eachTenant(items, work, atOnce);
    expect(most).toBe(expected);
  });
});
