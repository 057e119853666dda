import { describe, expect, it } from '@jest/globals';
import { type EventDetails, shownDetails, storedDetails } from './event-details.js';

const source = 'con_01m8dpvkx7ehzs0n2g4t2dwsz9';
const rest = { job_id: 'job_01m8dpvky2e1y8b5x0n598w9rr', values_left_out: true } as const;

function stored(details: EventDetails): EventDetails {
  return JSON.parse(JSON.stringify(storedDetails(details)));
}

describe('the stored details of an event', () => {
  it.each<[string, EventDetails]>([
    ['no changes', rest],
    ['an empty list of changes', { ...rest, changes: [] }],
    [
      'changes of one connector',
      {
        ...rest,
        changes: [
          { field: 'a', to: '1', source },
          { field: 'b', from: ['2'], source },
        ],
      },
    ],
    [
      'changes of two connectors',
      {
        changes: [
          { field: 'a', to: '1', source },
          { field: 'b', source: 'con_other' },
        ],
      },
    ],
    ['changes with and without a connector', { changes: [{ field: 'a', to: '1', source }, { field: 'status' }] }],
    ['changes without a connector', { changes: [{ field: 'status', from: 'active', to: 'inactive' }] }],
  ])('are shown as they were given: %s', (_, details) => {
    expect(shownDetails(stored(details))).toEqual(details);
  });

  it('have the connector of all changes once', () => {
    const changes = ['a', 'b', 'c'].map((field) => ({ field, to: '1', source }));
    expect(JSON.stringify(stored({ changes })).split(source)).toHaveLength(2);
  });

  it('are shown without a connector if the changes were erased', () => {
    const { changes: _, ...erased } = stored({ ...rest, changes: [{ field: 'a', to: '1', source }] });
    expect(shownDetails(erased)).toEqual(rest);
  });
});
