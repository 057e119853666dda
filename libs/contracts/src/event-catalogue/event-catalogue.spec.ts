import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { eventTypes } from '../fixed-values.js';
import { eventBody, eventCatalogue, eventExample } from './event-catalogue.js';

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

  it.each(eventTypes)('says in docs/webhooks.md when %s is sent', (type) => {
    expect(page).toContain(`| \`${type}\` | ${eventCatalogue[type].meaning} |\n`);
  });

  it('has the example of docs/webhooks.md', () => {
    const [, example = ''] = /## Events[\s\S]*?```json\n([\s\S]*?)```/.exec(page) ?? [];
    expect(JSON.parse(example)).toEqual(eventExample('user.updated'));
  });
});
