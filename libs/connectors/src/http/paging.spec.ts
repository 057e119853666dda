import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SourceError } from '../connector.js';
import { LoopGuard, listIn, nextLink } from './paging.js';

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
    expect(nextLink({ link })).toBe(target);
  });

  it('accepts several header lines', () => {
    expect(nextLink({ link: ['<a>; rel="self"', '<b>; rel="next"'] as unknown as string })).toBe('b');
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
