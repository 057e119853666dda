import { describe, expect, it } from '@jest/globals';
import { choose, createBody, eventGroups, newWebhook, otherEvents, patchBody, webhookInputOf } from './webhook-input';
import { labelOf, linesOf, settingOf } from './words.js';

describe('the choice of events', () => {
  it('offers each event except tests below its prefix', () => {
    const prefixes = eventGroups.map(({ prefix }) => prefix);
    expect(prefixes).toEqual(expect.arrayContaining(['user.*', 'sync.job.*']));
    expect(eventGroups.flatMap(({ types }) => types)).not.toContain('webhook.test');
    for (const { prefix, types } of eventGroups)
      for (const type of types) expect(type.startsWith(prefix.slice(0, -1))).toBe(true);
  });

  it('replaces the events of a prefix with the prefix, and everything with *', () => {
    const some = ['user.created', 'group.created', 'later.event'];
    expect(choose(some, 'user.*', true)).toEqual(['group.created', 'later.event', 'user.*']);
    expect(choose(some, '*', true)).toEqual(['*']);
    expect(choose(some, 'group.created', false)).toEqual(['user.created', 'later.event']);
  });

  it('keeps entries that this version does not know', () => {
    expect(otherEvents(['*', 'user.*', 'user.created', 'sync.*', 'later.event'])).toEqual(['sync.*', 'later.event']);
  });
});

const webhook = { callback_url: 'https://x.org/hook', events: ['user.created', 'identity.*'] };
const stored = { ...webhook, header_names: ['authorization'] };

describe('the settings of a webhook in the console and the portal', () => {
  it('are sent as they were read if nothing is changed', () => {
    expect(patchBody(webhookInputOf(webhook))).toEqual({ ...webhook, filter: null, payload: 'full', headers: {} });
  });

  it('leave stored headers as they are, unless they are replaced', () => {
    expect(patchBody(webhookInputOf(stored))).not.toHaveProperty('headers');
    const headers = [
      { name: ' X-Team ', value: 'a ' },
      { name: '', value: '' },
    ];
    expect(patchBody({ ...webhookInputOf(stored), headers }).headers).toEqual({ 'X-Team': 'a' });
    expect(patchBody({ ...webhookInputOf(stored), headers: [] }).headers).toEqual({});
  });

  it('of a new webhook have no filter if none is given', () => {
    const input = { ...newWebhook, address: ' https://x.org/hook ', events: ['*'] };
    expect(createBody(input)).toEqual({
      callback_url: 'https://x.org/hook',
      events: ['*'],
      payload: 'full',
      headers: {},
    });
    const filter = { field: 'type', prefix: 'user.' };
    expect(createBody({ ...input, filter: JSON.stringify(filter) })).toMatchObject({ filter });
  });

  it('refuse a filter that is no JSON, before anything is sent', () => {
    expect(() => patchBody({ ...webhookInputOf(webhook), filter: '{' })).toThrow('The filter is no valid JSON.');
  });
});

it('names the settings of a connector in words', () => {
  expect(['bind_dn', 'url', 'client_secret', 'ca', 'toString'].map(labelOf)).toEqual([
    'Bind DN',
    'URL',
    'Client secret',
    'Certificate authorities',
    'ToString',
  ]);
});

it('keeps the lines of a list while they are typed, and takes an empty text for none', () => {
  expect([linesOf('a\n'), linesOf(' \n')]).toEqual([['a', ''], undefined]);
});

it('finds the setting that a refusal is about', () => {
  expect([settingOf('config.url must be an http or https URL'), settingOf('the name is taken')]).toEqual([
    'url',
    undefined,
  ]);
});
