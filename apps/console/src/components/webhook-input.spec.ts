import { describe, expect, it } from '@jest/globals';
import { createBody, newWebhook, patchBody, webhookInputOf } from './webhook-input.js';

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
