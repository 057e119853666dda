import { describe, expect, it } from '@jest/globals';
import { LinkKey } from './link-key.js';
import { pathOf, placeOf } from './places.js';

const key = `ipl_${'0'.repeat(26)}_${'A'.repeat(43)}`;

function storage() {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
  };
}

describe('the key of a portal link', () => {
  it('is taken from the fragment, and survives a reload of the tab', () => {
    const tab = storage();
    expect(new LinkKey(() => tab).take(`#${key}`)).toBe(true);
    expect(new LinkKey(() => tab).value).toBe(key);
  });

  it.each(['', '#', '#main', `#x${key}`, `#iss_${'0'.repeat(26)}_${'A'.repeat(43)}`])(
    'is not taken from %j',
    (text) => {
      const link = new LinkKey(storage);
      expect([link.take(text), link.value]).toEqual([false, undefined]);
    },
  );

  it('is kept in memory only if the browser refuses its storage', () => {
    const link = new LinkKey(() => {
      throw new Error('SecurityError');
    });
    expect([link.take(`#${key}`), link.value]).toEqual([true, key]);
  });

  it('is forgotten everywhere', () => {
    const tab = storage();
    const link = new LinkKey(() => tab);
    link.take(`#${key}`);
    link.forget();
    expect([link.value, tab.items.size, new LinkKey(() => tab).value]).toEqual([undefined, 0, undefined]);
  });
});

const webhookId = `whk_${'0'.repeat(26)}`;
const deliveryId = `dlv_${'1'.repeat(26)}`;

describe('a place of the portal', () => {
  it.each([
    ['/portal/', {}],
    [`/portal/${webhookId}`, { webhookId }],
    [`/portal/${webhookId}/${deliveryId}`, { webhookId, deliveryId }],
  ])('has the path %s', (path, place) => {
    expect([pathOf(place), placeOf(path)]).toEqual([path, place]);
  });

  it.each(['/portal', '/portal/nonsense', `/portal/${deliveryId}`, '/elsewhere'])('is the start for %s', (path) => {
    expect(placeOf(path)).toEqual({});
  });
});
