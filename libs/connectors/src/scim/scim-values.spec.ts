import { scimFields } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { type Mapping, mapRecord } from '../map-record.js';
import { sourceNames } from '../transform.js';
import { scimReader } from './scim-values.js';

/** Maps a resource with these fields, by default those of RFC 7643. */
function mapped(resource: object, fields: Mapping['fields'] = scimFields.user, externalId = 'id') {
  const valuesIn = scimReader(sourceNames({ external_id: externalId, fields }));
  const result = mapRecord({ kind: 'user', externalId, fields }, valuesIn({ id: '1', ...resource }));
  if ('error' in result) throw new Error(result.error.message);
  return result.record;
}

const home = { value: 'ada@home.example', type: 'home' };
const work = { value: 'ada@work.example', type: 'work' };
const other = { value: 'ada@other.example', type: 'other' };
const primary = { primary: true };

describe('a single-valued field of a multi-valued SCIM attribute', () => {
  it.each([
    ['the primary value', [home, work, { ...other, ...primary }], other.value],
    ['the primary value before one of type work', [work, { ...home, ...primary }], home.value],
    ['the value of type work if none is primary', [home, { ...other, primary: false }, work], work.value],
    ['the first of several values of type work', [home, work, { ...work, value: 'second@work.example' }], work.value],
    ['the first value if none is primary or of type work', [home, other], home.value],
    ['the first value if none has a type', [{ value: 'b@x.example' }, { value: 'a@x.example' }], 'b@x.example'],
    ['a value whose primary or type is text in another case', [home, { ...other, primary: 'True' }], other.value],
    ['another value if the primary one is blank or missing', [{ ...primary, value: ' ' }, primary, home], home.value],
    ['the only value, which is not in a list', { ...home, ...primary }, home.value],
  ])('takes %s', (_, emails, expected) => {
    expect(mapped({ emails }).fields.email).toEqual([expected]);
  });

  it.each([
    ['phoneNumbers.value', '1'],
    ['phoneNumbers[].value', '1'],
    ['phoneNumbers[type=home].value', '2'],
    ['phoneNumbers[0].value', '3'],
  ])('follows this rule for every path without an index: %s', (path, expected) => {
    const phoneNumbers = [
      { value: '3', type: 'home' },
      { value: '1', type: 'work', primary: true },
      { value: '2', type: 'home', primary: true },
    ];
    expect(mapped({ phoneNumbers }, { job_title: path }).fields.job_title).toEqual([expected]);
  });

  it('applies the steps of the mapping to the preferred value', () => {
    const addresses = [{ locality: 'Bonn' }, { locality: 'Berlin', primary: true }];
    const fields = { job_title: { from: 'addresses.locality', transform: ['upper' as const] } };
    expect(mapped({ addresses }, fields).fields.job_title).toEqual(['BERLIN']);
  });

  it('ignores the other values, even if they could not be stored', () => {
    const emails = [{ value: 'nul\0' }, { value: 'x'.repeat(20_000) }, { ...work, ...primary }];
    expect(mapped({ emails }).fields.email).toEqual([work.value]);
  });
});

describe('a list field, a custom attribute or the external id of a SCIM resource', () => {
  it('keeps all values in the order of the source', () => {
    const roles = [{ value: 'reader' }, { value: 'admin', primary: true }];
    const fields = { roles: 'roles.value', 'attributes.roles': 'roles[].value' };
    expect(mapped({ roles }, fields).fields).toEqual({
      roles: ['reader', 'admin'],
      'attributes.roles': ['reader', 'admin'],
    });
  });

  it('identifies the record by the first value, so that a new primary value makes no other record', () => {
    const emails = [home, { ...work, ...primary }];
    expect(mapped({ emails }, scimFields.user, 'emails.value').external_id).toBe(home.value);
  });
});
