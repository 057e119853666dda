import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SourceError } from '../connector.js';
import { type ListPlace, LoopGuard, linkTo, listIn, readList } from './paging.js';

describe('the list of a response', () => {
  const answer = (body: unknown) => ({ status: 200, headers: {}, from: 'GET https://a.example/users', body });

  it('is required', () => {
    expect(listIn(answer({ value: [1] }), 'value')).toEqual([1]);
    expect(listIn(answer([]))).toEqual([]);
    for (const body of [{}, { value: null }, { value: {} }, undefined, 'text', []]) {
      expect(() => listIn(answer(body), 'value')).toThrow(
        new SourceError('GET https://a.example/users answered without a list "value"'),
      );
    }
  });
});

describe('the parser of Link headers', () => {
  it.each([
    ['<https://a.example/?after=x,y>; rel="next"', 'https://a.example/?after=x,y'],
    ['<https://a.example/1>; rel="self", <https://a.example/2>; rel="next"', 'https://a.example/2'],
    ['<https://a.example/2>; title="a, b"; rel=next', 'https://a.example/2'],
    ['<https://a.example/2>; rel="last next"', 'https://a.example/2'],
    ['<https://a.example/2>; rel="nextish", <https://a.example/3>; rel=prev', undefined],
    ['', undefined],
  ])('reads %s as %s', (link, target) => {
    expect(linkTo({ link }, 'next')).toBe(target);
  });

  it('accepts several header lines', () => {
    expect(linkTo({ link: ['<a>; rel="self"', '<b>; rel="next"'] as unknown as string }, 'next')).toBe('b');
  });
});

describe('the detection of page cycles', () => {
  it('finds a cycle after any number of pages before it', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.integer({ min: 1, max: 40 }), (lead, length) => {
        const guard = new LoopGuard();
        const cursor = (step: number) => String(step < lead ? step : lead + ((step - lead) % length));
        const bound = 3 * (lead + length) + 3;
        expect(() => {
          for (let step = 0; step < bound; step += 1) guard.pass(cursor(step), 'GET https://a.example');
        }).toThrow('returned a page that leads back to an earlier one');
      }),
    );
  });

  it('finds none when no cursor repeats', () => {
    const guard = new LoopGuard();
    for (let step = 0; step < 10_000; step += 1) guard.pass(String(step), 'GET');
  });
});

const from = 'GET https://a.example/list';

function source(answers: readonly (readonly unknown[])[]) {
  return async (next: string) => {
    const at = next === '' ? 0 : Number(next);
    return { items: answers[at] ?? [], next: at + 1 < answers.length ? String(at + 1) : undefined, from };
  };
}

async function all(answers: readonly (readonly unknown[])[], pageSize: number, left?: ListPlace) {
  const parts = [];
  for await (const part of readList(source(answers), { pageSize }, left)) parts.push(part);
  return parts;
}

describe('a list read response by response', () => {
  const lists = fc.array(fc.array(fc.nat(), { maxLength: 7 }), { minLength: 1, maxLength: 6 });

  it('returns all items in parts of the page size and resumes after any of them', async () => {
    await fc.assert(
      fc.asyncProperty(lists, fc.integer({ min: 1, max: 5 }), async (answers, pageSize) => {
        const parts = await all(answers, pageSize);
        expect(parts.flatMap(({ items }) => items)).toEqual(answers.flat());
        expect(parts.map(({ last }) => last)).toEqual([...parts.slice(1).map(() => false), true]);
        for (const [index, { items, place }] of parts.entries()) {
          expect(items.length).toBeLessThanOrEqual(pageSize);
          const rest = (await all(answers, pageSize, place)).flatMap((part) => part.items);
          expect(rest).toEqual(parts.slice(index + 1).flatMap((part) => part.items));
          expect(place.seen + rest.length).toBe(answers.flat().length);
        }
      }),
    );
  });

  it('returns all items of a partly read response again when it changed before the resume', async () => {
    const [first] = await all([['a', 'b', 'c', 'd'], ['e']], 2);
    const moved = [['b', 'c', 'd', 'x'], ['e']];
    const rest = await all(moved, 2, first?.place);
    expect(rest.flatMap(({ items }) => items)).toEqual(moved.flat());
  });

  it('fails when the service never ends the list', async () => {
    const ask = async (next: string) => ({ items: [], next: String(Number(next) + 1), from });
    const reading = async () => {
      for await (const part of readList(ask, { pageSize: 10 })) expect(part.last).toBe(false);
    };
    await expect(reading()).rejects.toThrow('returned 1001 empty pages in a row');
  });
});
