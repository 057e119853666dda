import { encodeId } from '@idsync/contracts';
import type { ExplainedIdentity, ExplainedRecord } from '@idsync/database/gateway';
import { describe, expect, it } from '@jest/globals';
import { explain } from './explain.js';

const uuid = (nth: number) => `01900000-0000-7000-8000-${String(nth).padStart(12, '0')}`;
const at = '2026-01-01T00:00:00.000Z';
const identityId = uuid(1);
const [hr, ad] = [uuid(10), uuid(20)];
const connectors = new Map([
  [encodeId('connector', hr), { name: 'HR', priority: 10, deletedAt: null, employments: false }],
  [encodeId('connector', ad), { name: 'AD', priority: 20, deletedAt: null, employments: false }],
]);

function record(nth: number, parts: Partial<ExplainedRecord>): ExplainedRecord {
  return {
    id: uuid(nth),
    kind: 'user',
    connectorId: hr,
    externalId: `r${nth}`,
    identityId,
    status: 'active',
    decided: false,
    linkedBy: uuid(900),
    fields: {},
    machine: null,
    evidence: null,
    updatedAt: new Date(at),
    isListed: true,
    ...parts,
  };
}

interface Given extends Partial<Omit<ExplainedIdentity, 'document'>> {
  status?: string;
  display_name?: string;
  attributes?: [field: string, value: string, connectorId: string, priority: number][];
}

function explained({ status = 'active', display_name, attributes = [], ...parts }: Given) {
  const document = JSON.stringify({
    id: encodeId('identity', identityId),
    display_name,
    status,
    attributes: attributes.map(([field_name, field_value, connectorId, priority]) => ({
      field_name,
      field_value,
      source_id: encodeId('connector', connectorId),
      priority,
      updated_at: at,
    })),
  });
  const found = {
    document,
    records: [],
    connectors,
    priorities: [],
    lifecycle: { start_days_before: 0 },
    operations: new Map(),
    ...parts,
  };
  const { fields, records } = explain(found);
  const short = fields.map(({ field, winner, over, because }) => ({
    field,
    value: winner.value,
    source: winner.connector,
    over: over.map((each) => `${each.value} (${each.connector}): ${each.because}`),
    because,
  }));
  return { of: (field: string) => short.find((each) => each.field === field), records };
}

describe('the explanation of the status', () => {
  it('names the lifecycle authority, and why the other records do not decide', () => {
    const { of } = explained({
      status: 'inactive',
      records: [
        record(2, {
          status: 'inactive',
          fields: { status: ['active'], termination_date: ['2025-12-31T00:00:00.000Z'] },
        }),
        record(3, { connectorId: ad }),
        record(4, { status: 'deleted', isListed: false }),
        record(5, { kind: 'account', connectorId: ad }),
      ],
    });
    expect(of('status')).toEqual({
      field: 'status',
      value: 'inactive',
      source: 'HR',
      over: [
        'active (AD): ranked lower',
        'deleted (HR): its source no longer lists it',
        'active (AD): only users decide, as long as there is one',
      ],
      because: 'priority 10 precedes 20; after the termination date 2025-12-31; the source says active',
    });
  });

  it('follows a priority that is set for the status', () => {
    const priorities = [{ field: 'status', connectorId: ad, priority: 1 }];
    const records = [record(2, { status: 'inactive' }), record(3, { connectorId: ad })];
    expect(explained({ records, priorities }).of('status')).toMatchObject({
      source: 'AD',
      because: 'priority 1 precedes 10',
    });
  });

  it.each([
    ['active', ['pending', 'active'], 'this employment runs', 'its employment does not run'],
    ['pending', ['inactive', 'pending'], 'no employment runs, and this one is to come', 'its employment does not run'],
  ] as const)('names the employment by which a person is %s', (status, [first, second], because, not) => {
    const employers = new Map([...connectors].map(([id, each]) => [id, { ...each, employments: true }]));
    const records = [record(2, { status: first }), record(3, { connectorId: ad, status: second })];
    expect(explained({ status, records, connectors: employers }).of('status')).toMatchObject({
      source: 'AD',
      over: [`${first} (HR): ${not}`],
      because,
    });
  });

  it('names a login that does not revive a person', () => {
    const hr = new Map([...connectors].map(([id, each]) => [id, { ...each, employments: each.name === 'AD' }]));
    const records = [record(2, { status: 'active' }), record(3, { connectorId: ad, status: 'inactive' })];
    expect(explained({ status: 'inactive', records, connectors: hr }).of('status')).toMatchObject({
      source: 'AD',
      over: ['active (HR): a login does not revive a person who has left'],
      because: 'the employments have ended',
    });
  });

  it('names the users by which a record that is gone gives no access', () => {
    const records = [record(2, { status: 'deleted', isListed: false }), record(3, { connectorId: ad })];
    expect(explained({ status: 'inactive', records }).of('status')).toMatchObject({
      value: 'inactive',
      over: [
        'deleted (HR): its source no longer lists it',
        'active (AD): a record that is gone gives no access by those that remain',
      ],
      because: 'a record that is gone gives no access by those that remain',
    });
  });

  it('says that the hire date has not come yet', () => {
    const fields = { status: ['active'], hire_date: ['2026-12-01T00:00:00.000Z'] };
    const { of } = explained({ status: 'pending', records: [record(2, { status: 'pending', fields })] });
    expect(of('status')?.because).toBe(
      'only source that lists the person; before the hire date 2026-12-01; the source says active',
    );
  });

  it.each([
    [
      'the days before the hire date at which the person has become active',
      { status: ['active'], hire_date: ['2026-12-01T00:00:00.000Z'] },
      'from 5 days (start_days_before) before the hire date 2026-12-01; the source says active',
    ],
    [
      'a termination date that ended an earlier employment',
      { hire_date: ['2020-01-01T00:00:00.000Z'], termination_date: ['2006-12-31T00:00:00.000Z'] },
      'from 5 days (start_days_before) before the hire date 2020-01-01; the termination date 2006-12-31 is ignored, ' +
        'it is before the hire date 2020-01-01; the source says nothing',
    ],
    [
      'a termination date that stands for none',
      { status: ['active'], termination_date: ['9999-12-31T00:00:00.000Z'] },
      'the termination date 9999-12-31 stands for no date; the source says active',
    ],
  ])('names %s', (_, fields, because) => {
    const { of } = explained({ records: [record(2, { fields })], lifecycle: { start_days_before: 5 } });
    expect(of('status')?.because).toBe(`only source that lists the person; ${because}`);
  });

  it('names the status of the source and no date that did not decide', () => {
    const fields = { status: ['inactive'], termination_date: ['2999-12-31T00:00:00.000Z'] };
    const { of } = explained({ status: 'inactive', records: [record(2, { status: 'inactive', fields })] });
    expect(of('status')?.because).toBe('only source that lists the person; the source says inactive');
  });

  it('is that of the most active account if no source lists a user', () => {
    const records = [record(2, { kind: 'account', status: 'disabled' }), record(3, { kind: 'account' })];
    expect(explained({ records }).of('status')).toMatchObject({
      over: ['disabled (HR): not more active'],
      because: 'most active account; no source lists a user',
    });
  });

  it('stays deleted with the active account of a leaver whose users are purged', () => {
    expect(explained({ status: 'deleted', records: [record(2, { kind: 'account' })] }).of('status')).toMatchObject({
      over: ['active (HR): an account does not revive a person who has left'],
      because: 'an account does not revive a person who has left; no source lists a user',
    });
  });
});

describe('the explanation of a field', () => {
  it('lists no empty name beside a display name of first and last name', () => {
    const { of } = explained({
      display_name: 'Anna Schmidt',
      attributes: [
        ['first_name', 'Anna', hr, 10],
        ['last_name', 'Schmidt', hr, 10],
      ],
      records: [
        record(2, { status: 'deleted', isListed: false, fields: { display_name: ['Anna Dorn'] } }),
        record(3, { fields: { first_name: ['Anna'], last_name: ['Schmidt'] } }),
      ],
    });
    expect(of('display_name')?.over).toEqual(['Anna Dorn (HR): first and last name rank higher']);
  });

  it('says of every other value why it did not win, also if the preferred source has none', () => {
    const { of } = explained({
      attributes: [
        ['job_title', 'Engineer', ad, 20],
        ['job_title', 'Clerk', ad, 30],
      ],
      records: [record(2, {}), record(3, { connectorId: ad, fields: { job_title: ['Engineer'] } })],
    });
    expect(of('job_title')).toMatchObject({
      value: 'Engineer',
      source: 'AD',
      over: ['Clerk (AD): ranked lower: priority 30, AD has 20', ' (HR): empty: the source has no value'],
    });
  });

  it('names the values of an employment that is not the primary one', () => {
    const { of } = explained({
      attributes: [['job_title', 'Engineer', hr, 10]],
      records: [record(2, { fields: { job_title: ['Intern'] } }), record(3, { fields: { job_title: ['Engineer'] } })],
    });
    expect(of('job_title')).toMatchObject({
      over: ['Intern (HR): another employment of this source is the primary one'],
      because: 'only eligible value',
    });
  });

  it('names a field that only a deleted record has', () => {
    const former = { employee_number: ['17'], 'attributes.site': ['Bonn'], status: ['active'], groups: [] };
    const { of } = explained({
      records: [record(2, { status: 'deleted', isListed: false, fields: former }), record(3, { fields: {} })],
    });
    for (const [field, value] of [
      ['employee_number', '17'],
      ['site', 'Bonn'],
    ] as const)
      expect(of(field)).toEqual({
        field,
        value: '',
        source: 'HR',
        over: [`${value} (HR): deleted in its source`],
        because: 'no eligible value',
      });
  });

  it('covers departments, roles and groups, which each user shows for itself', () => {
    const { of } = explained({
      records: [
        record(2, { connectorId: ad, fields: { departments: ['IT'], groups: ['vpn', 'staff'] } }),
        record(3, { fields: { departments: ['Research'] } }),
      ],
    });
    expect(of('departments')).toEqual({
      field: 'departments',
      value: 'Research',
      source: 'HR',
      over: ['IT (AD): shown with its own user; lists are not merged'],
      because: 'first by precedence; each user shows its own list',
    });
    expect(of('groups')).toMatchObject({ value: 'vpn, staff', because: 'only value' });
  });

  it('explains a display name that first and last name have replaced', () => {
    const { of } = explained({
      display_name: 'Anna Schmidt',
      attributes: [
        ['display_name', 'Anna Dorn', ad, 20],
        ['first_name', 'Anna', hr, 10],
        ['last_name', 'Schmidt', hr, 10],
      ],
    });
    expect(of('display_name')).toMatchObject({
      value: 'Anna Schmidt',
      source: 'HR',
      over: ['Anna Dorn (AD): first and last name rank higher'],
      because: 'first_name and last_name',
    });
  });
});

describe('the explanation of a link', () => {
  const evidence = { kind: 'fuzzy', identity_id: identityId, at, rule: 'same name', score: 0.9 } as const;

  it('is its evidence, with public ids and the reason of the operation', () => {
    const operation = uuid(901);
    const { records } = explained({
      records: [
        record(2, {
          linkedBy: operation,
          decided: true,
          evidence: { kind: 'operator', identity_id: identityId, at, operation_id: operation, case_id: uuid(5) },
        }),
        record(3, { evidence: { ...evidence, record_id: uuid(2) } }),
      ],
      operations: new Map([[operation, 'HR confirmed it']]),
    });
    expect(records[0]).toMatchObject({
      linked: 'operator',
      by: encodeId('operation', operation),
      evidence: { actor: 'operator', reason: 'HR confirmed it', case_id: encodeId('case', uuid(5)) },
    });
    expect(records[1]).toMatchObject({
      linked: 'fuzzy',
      evidence: { kind: 'fuzzy', rule: 'same name', score: 0.9, record_id: encodeId('user', uuid(2)) },
    });
  });

  it('of a machine is its owner, the technical inheritor who replaces them, or nothing if it has no owner', () => {
    const machine = { people: { owned_by: identityId }, handedOver: false, risk: { score: 0, factors: [] } };
    const { records } = explained({
      records: [
        record(2, {}),
        record(3, { kind: 'machine_identity', machine }),
        record(4, { kind: 'machine_identity', machine: { ...machine, handedOver: true } }),
        record(5, { kind: 'machine_identity', machine: { ...machine, people: {} } }),
      ],
    });
    expect(records.slice(1).map(({ linked }) => linked)).toEqual(['owner', 'technical_inheritor', 'first']);
  });
});
