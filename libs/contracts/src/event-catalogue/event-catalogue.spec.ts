import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { eventTypes } from '../events.js';
import { describeEvents } from './describe-events.js';
import { eventBody } from './event-bodies.js';
import { eventExample } from './event-examples.js';

const docs = new URL('../../../../docs/', import.meta.url);
const page = readFileSync(new URL('webhooks.md', docs), 'utf8');
const generated = (name: string) => page.split(`<!-- ${name}: generated -->\n`)[1]?.split('<!-- end -->')[0];

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

  it('matches docs/webhooks.md, which npm run webhooks generates', () => {
    expect(generated('events')).toBe(`\n${describeEvents()}\n`);
  });

  it.each([
    ['js', 'verify.mjs'],
    ['python', 'verify.py'],
    ['js', 'receiver.mjs'],
  ])('includes the %s program docs/webhooks/%s unchanged', (language, file) => {
    const code = readFileSync(new URL(`webhooks/${file}`, docs), 'utf8');
    expect(generated(file)).toBe(`\n\`\`\`${language}\n${code}\`\`\`\n\n`);
  });
});
