import { describe, expect, it } from '@jest/globals';
import { configOf, type Draft, draftOf, emptyDraft, scheduleBody } from './draft';
import { fromSource, newField, suggestExternalId, suggestFields, toFields } from './mapping.js';
import { describeType, secretsOf, settingsOf } from './steps.js';

const draft: Draft = { ...emptyDraft, type: 'csv', name: 'HR', config: { path: 'hr.csv', auth: undefined } };

describe('the draft of a source', () => {
  it('has a mapping that finds no record until fields are mapped, if the type has none by default', () => {
    expect(configOf(draft, true)).toEqual({
      path: 'hr.csv',
      external_id: 'not_mapped_yet',
      fields: { display_name: 'not_mapped_yet' },
    });
    expect(configOf(draft, false)).toEqual({ path: 'hr.csv' });
  });

  it('leaves empty lines of lists out', () => {
    const config = { namespaces: ['a', ''] };
    expect(configOf({ ...draft, config }, false)).toEqual({ namespaces: ['a'] });
  });

  it('is the same after the source is stored and opened again', () => {
    const mapped = { ...draft, externalId: 'ident', fields: [newField('email', 'mail')], every: '15m' };
    const config = configOf(mapped, true);
    const again = draftOf({
      type: 'csv',
      name: 'HR',
      records: 'user',
      priority: 100,
      config,
      schedule: { every: '15m', paused: false, full_every: 100, full_every_hours: 24 },
    } as Parameters<typeof draftOf>[0]);
    expect(configOf(again, true)).toEqual(config);
    expect(scheduleBody(again)).toEqual({ every: '15m' });
  });

  it('shows no mapping for a source that is not mapped yet', () => {
    const source = { config: configOf(draft, true), priority: 100 } as Parameters<typeof draftOf>[0];
    expect(draftOf(source)).toMatchObject({ externalId: '', fields: [] });
  });

  it('has a schedule by interval, by calendar, or none', () => {
    expect(scheduleBody({ ...draft, every: 'cron', cron: '0 3 * * *', timeZone: 'Europe/Berlin' })).toEqual({
      cron: '0 3 * * *',
      time_zone: 'Europe/Berlin',
    });
    expect(scheduleBody({ ...draft, every: '' })).toBeNull();
  });
});

describe('the mapping of a source in the console', () => {
  it('keeps every form of a mapping when it is edited', () => {
    const fields = {
      email: 'mail',
      user_principal_name: { from: 'mail', transform: ['lower'] },
      departments: { from: 'ou', transform: [{ split: ';' }, 'trim'] },
      hire_date: { from: 'started', transform: [{ date: 'dmy' }] },
      status: { from: 'state', transform: [{ map: { A: 'active' }, otherwise: 'inactive' }] },
      job_title: { from: 'title', transform: ['trim', { map: { x: 'y' } }] },
      'attributes.source': { value: 'HR Berlin' },
    };
    const rows = Object.entries(fields).map(([field, source]) => fromSource(field, source));
    expect(toFields(rows)).toEqual(fields);
    expect(rows.map(({ conversion }) => conversion)).toEqual([
      'none',
      'lower',
      'split',
      'date',
      'map',
      'steps',
      'constant',
    ]);
  });

  it('leaves out rows that are not complete', () => {
    expect(toFields([fromSource('', 'mail'), fromSource('email', '')])).toEqual({});
  });

  it('suggests fields by their usual names, each one once', () => {
    const found = ['ident', 'givenName', 'Last Name', 'mail', 'E-Mail', 'note', 'hired'];
    expect(toFields(suggestFields('user', found))).toEqual({
      email: 'mail',
      first_name: 'givenName',
      last_name: 'Last Name',
      hire_date: 'hired',
      employee_number: 'ident',
    });
    expect(suggestExternalId(found)).toBe('ident');
  });

  it('suggests no field that the kind of record does not have', () => {
    expect(toFields(suggestFields('account', ['hired', 'sAMAccountName']))).toEqual({ identifier: 'sAMAccountName' });
  });
});

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
