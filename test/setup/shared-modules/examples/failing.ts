import { expect, it } from '@jest/globals';

interface Person {
  name: string;
}

it('fails in the line below', () => {
  const person: Person = { name: 'Ada' };
  expect(person.name).toBe('Grace');
});

it('takes too long', () => new Promise(() => undefined), 50);

it('leaves a rejection unhandled', async () => {
  void Promise.reject(new Error('awaited by no code'));
  await new Promise((resolve) => setTimeout(resolve, 20));
});
