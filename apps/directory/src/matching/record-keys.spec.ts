import { describe, expect, it } from '@jest/globals';
import { storedRecord } from '../../test/stored-record.js';
import { activeKeys, normaliseText, stopKeys } from './record-keys.js';

const ann = { employee_number: ['7'], email: ['Ann@X.org'] };

describe('the match keys of a record', () => {
  it('are its normalised values in the order of the rules', () => {
    expect(activeKeys(storedRecord(1, { fields: ann }), ['email', 'employee_number'])).toEqual([
      { kind: 'email', value: 'ann@x.org' },
      { kind: 'employee_number', value: '7' },
    ]);
    expect(activeKeys(storedRecord(1, { fields: ann }), ['employee_number'])).toHaveLength(1);
  });

  it('are without values that identify no person, which are listed apart', () => {
    const record = storedRecord(1, { fields: { employee_number: ['N/A'], email: ['ann@x.org'] } });
    expect(activeKeys(record, ['employee_number', 'email'])).toEqual([{ kind: 'email', value: 'ann@x.org' }]);
    expect(stopKeys(record, ['employee_number', 'email'])).toEqual([{ kind: 'employee_number', value: 'n/a' }]);
  });

  it.each(['deleted', 'decommissioned'] as const)('are the employee number only if the user is %s', (status) => {
    const user = storedRecord(1, { fields: ann, status });
    expect(activeKeys(user, ['employee_number', 'email'])).toEqual([{ kind: 'employee_number', value: '7' }]);
    expect(activeKeys({ ...user, kind: 'account' }, ['employee_number', 'email'])).toEqual([]);
  });

  it('have at most 512 characters, and longer values are none', () => {
    expect(normaliseText('a'.repeat(512))).toHaveLength(512);
    expect(normaliseText('a'.repeat(513))).toBeUndefined();
    expect(normaliseText(` ${'a'.repeat(512)} `)).toHaveLength(512);
  });
});
