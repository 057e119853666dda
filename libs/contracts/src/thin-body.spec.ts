import { describe, expect, it } from '@jest/globals';
import { eventExample } from './event-catalogue/event-examples.js';
import { eventTypes } from './events.js';
import { thinBody } from './thin-body.js';

describe('a thin body', () => {
  it.each(eventTypes)('of %s has the envelope and only public ids', (type) => {
    const example = eventExample(type);
    const { data, ...envelope } = JSON.parse(thinBody(JSON.stringify(example)));
    const { data: full, ...rest } = example as { data: Record<string, unknown> };
    expect(envelope).toEqual(rest);
    expect(Object.values(data).length).toBeGreaterThan(0);
    for (const [name, value] of Object.entries(data)) {
      expect(value).toMatch(/^[a-z]{3}_[0-9a-z]{26}$/);
      expect(full?.[name]).toBe(value);
    }
  });

  it('leaves out ids of sources', () => {
    expect(thinBody('{"id":"evt_1","data":{"id":"usr_1","external_id":"ann@x.org","email":"ann@x.org"}}')).toBe(
      '{"id":"evt_1","data":{"id":"usr_1"}}',
    );
  });
});
