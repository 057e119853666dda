import { describe, expect, it } from '@jest/globals';
import { compareFields } from './compare-fields.js';

describe('the values of a record and of a candidate', () => {
  it('are shown beside each other, whether they agree, differ or are missing', () => {
    const own = { email: ['Ann@x.org'], last_name: ['Lee'], job_title: ['Lead'], status: ['active'] };
    expect(compareFields(own, [{ email: ['ann@x.org'], last_name: ['Li'], hire_date: ['2026-01-01'] }])).toEqual([
      { field: 'email', value: 'Ann@x.org', other: 'ann@x.org', agrees: true },
      { field: 'last_name', value: 'Lee', other: 'Li', agrees: false },
      { field: 'job_title', value: 'Lead' },
      { field: 'hire_date', other: '2026-01-01' },
    ]);
  });

  it('include further attributes that both have, and the values of all users of the candidate', () => {
    const own = { 'attributes.phone': ['1', '2'], 'attributes.room': ['7'] };
    const others = [{ 'attributes.phone': ['2'] }, { 'attributes.phone': ['3'] }];
    expect(compareFields(own, others)).toEqual([
      { field: 'attributes.phone', value: '1, 2', other: '2, 3', agrees: true },
    ]);
    expect(compareFields(own, [])).toEqual([]);
  });

  it('agree without invisible characters, which are shown', () => {
    const own = { employee_number: ['1\u200b7'], last_name: ['\u00a0Lee\u200d'] };
    expect(compareFields(own, [{ employee_number: ['\uff11\uff17'], last_name: ['Li'] }])).toEqual([
      { field: 'employee_number', value: '1<U+200B>7', other: '\uff11\uff17', agrees: true },
      { field: 'last_name', value: '<U+00A0>Lee<U+200D>', other: 'Li', agrees: false },
    ]);
  });

  it('are cut after 200 letters', () => {
    expect(compareFields({ email: ['x'.repeat(500)] }, [])[0]?.value).toHaveLength(200);
  });
});
