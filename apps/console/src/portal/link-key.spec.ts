import { describe, expect, it } from '@jest/globals';
import { LinkKey } from './link-key.js';

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
