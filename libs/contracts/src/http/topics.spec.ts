import { describe, expect, it } from '@jest/globals';
import { routes } from './routes.js';
import { receivedEvents, topicGroups, topicOf, topics } from './topics.js';

describe('topics of the API reference', () => {
  it('have every route, and every topic has a route', () => {
    const used = new Set(routes.map(topicOf));
    expect([...used, receivedEvents].sort()).toEqual(topics.map(({ name }) => name).sort());
  });

  it('stand in one section each', () => {
    expect(topicGroups.flatMap(({ tags }) => tags)).toEqual(topics.map(({ name }) => name));
  });

  it('separate routes of operators from public ones with the same first word', () => {
    const topicOfPath = (path: string) => topicOf({ path });
    expect(topicOfPath('/v1/webhooks')).toBe('Webhooks');
    expect(topicOfPath('/admin/v1/tenants/{tenantId}/webhooks')).toBe('Operator: webhooks');
    expect(() => topicOfPath('/v1/unknown')).toThrow('no topic of the API reference');
  });
});
