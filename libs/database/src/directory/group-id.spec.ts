import { describe, expect, it } from '@jest/globals';
import { groupIdOf } from './group-id.js';

const connector = (nth: number) => `0199d0f0-0000-7000-8000-00000000000${nth}`;

describe('the id of a group', () => {
  // The first 16 bytes of the SHA-256 of the connector, a space and the name, marked as a UUID of version 8.
  it.each([
    [1, 'Staff', 'e1c57f23-8eaa-8c71-9981-0ad1aec109bf'],
    [1, 'staff', 'c040dc49-3e8e-859d-bb85-e7cbdf940977'],
    [2, 'Staff', 'b10521fb-aa3a-8de5-a01e-d0750cc605e2'],
    [1, 'Zürich', '4399ac5f-b681-8efa-a054-f6988672e231'],
  ])('in source %d with the name %s is %s, also when it is asked for again', (nth, name, id) => {
    expect(groupIdOf(connector(nth), name)).toBe(id);
    expect(groupIdOf(connector(nth), name)).toBe(id);
  });

  it('stays the same beyond the number of ids that are kept in memory', () => {
    const ids = () => Array.from({ length: 10_002 }, (_, at) => groupIdOf(connector(3), `Group ${at}`));
    const first = ids();
    expect(ids()).toEqual(first);
    expect(new Set(first).size).toBe(first.length);
  });
});
