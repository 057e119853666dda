import { describe, expect, it } from '@jest/globals';
import { describeType, secretsOf, settingsOf } from './steps.js';

const token = { type: 'object', properties: { type: { const: 'bearer' } }, description: 'A token in `secrets.token`.' };
const none = { type: 'object', properties: { type: { const: 'none' } } };
const type = {
  type: 'x',
  config: {
    required: ['host'],
    properties: {
      host: {},
      url: { default: 'https://x' },
      path: {},
      auth: { oneOf: [none, token] },
      fields: {},
      ca: {},
    },
  },
  secrets: { properties: { token: {}, password: {} } },
};

describe('the form of a connector', () => {
  it('shows first what has no default, and no mapping', () => {
    expect(settingsOf(type)).toEqual({ first: ['host', 'path', 'auth'], more: ['url', 'ca'] });
  });

  it('asks for the secrets of the chosen authentication', () => {
    expect(secretsOf(type, {})).toEqual([]);
    expect(secretsOf(type, { auth: { type: 'bearer' } })).toEqual(['token']);
    expect(secretsOf({ ...type, config: {} }, {})).toEqual(['token', 'password']);
  });

  it('shows a type of a later version by its name', () => {
    expect(describeType('ldap').title).toBe('LDAP');
    expect(describeType('constructor').title).toBe('constructor');
  });
});
