import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { eventTypes } from '../events.js';
import { describeEvents } from './describe-events.js';
import { eventBody } from './event-bodies.js';
import { eventExample } from './event-examples.js';

const page = readFileSync(new URL('../../../../docs/webhooks.md', import.meta.url), 'utf8');

describe('the catalogue of events', () => {
  it.each(eventTypes)('has an example of %s that matches its schema exactly', (type) => {
    expect(eventBody(type).parse(eventExample(type))).toEqual(eventExample(type));
  });

  it('rejects fields that are not described', () => {
    const example = eventExample('user.created');
    const more = { ...example, data: { ...example.data, surprise: 1 } };
    expect(eventBody('user.created').safeParse(more).success).toBe(false);
    expect(eventBody('user.created').safeParse({ ...example, surprise: 1 }).success).toBe(false);
  });

  it.each(eventTypes)('describes %s', (type) => {
    expect(describeEvents()).toContain(`#### \`${type}\``);
  });

  it('matches docs/webhooks.md, which npm run webhooks generates', () => {
    const [, generated] = page.split(/<!-- events: generated -->\n|<!-- end -->/);
    expect(generated).toBe(`\n${describeEvents()}\n`);
  });
});
