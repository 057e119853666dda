import { describe, expect, it } from '@jest/globals';
import { pathOf, placeOf } from './places.js';

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
