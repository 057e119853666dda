import { describe, expect, it } from '@jest/globals';
import { fromSource, toFields } from './mapping.js';
import { suggestExternalId, suggestFields } from './suggest-mapping.js';

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
