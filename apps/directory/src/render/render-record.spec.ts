import { encodeId, type RecordKind } from '@idsync/contracts';
import type { StoredRecord } from '@idsync/database/directory';
import { describe, expect, it } from '@jest/globals';
import { storedRecord, uuid } from '../../test/stored-record.js';
import { personShown, renderRecord } from './render-record.js';

const tenantId = uuid(800);
const later = new Date('2026-02-03T04:05:06.789Z');

function rendered(kind: RecordKind, parts: Partial<StoredRecord> = {}): unknown {
  return JSON.parse(renderRecord(storedRecord(5, { kind, updatedAt: later, ...parts }), tenantId));
}

const times = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-02-03T04:05:06.789Z' };

describe('the document of a user', () => {
  it('omits unknown values and keeps empty lists', () => {
    expect(rendered('user')).toEqual({
      id: encodeId('user', uuid(5)),
      external_id: 'r5',
      status: 'active',
      tenant_id: encodeId('tenant', tenantId),
      ...times,
      roles: [],
      groups: [],
      departments: [],
    });
  });

  it('contains all values of a list and the first value of any other field', () => {
    const fields = { roles: ['b', 'a'], groups: ['g'], departments: ['d'], email: ['a@x.org', 'b@x.org'] };
    expect(rendered('user', { fields })).toMatchObject({ ...fields, email: 'a@x.org' });
  });

  it('contains every mapped field', () => {
    const names = ['user_principal_name', 'display_name', 'email', 'job_title', 'first_name', 'last_name', 'hire_date'];
    const values = Object.fromEntries(names.map((name) => [name, `a ${name}`]));
    const fields = Object.fromEntries(names.map((name) => [name, [`a ${name}`]]));
    expect(rendered('user', { fields })).toMatchObject(values);
  });

  it('shows the status of the record, not the one of the source', () => {
    expect(rendered('user', { status: 'deleted', fields: { status: ['inactive'] } })).toMatchObject({
      status: 'deleted',
    });
  });
});

describe('the document of an account', () => {
  it('falls back to the external id and the connector, and omits the person if it is not linked', () => {
    expect(rendered('account')).toEqual({
      id: encodeId('account', uuid(5)),
      external_id: 'r5',
      identifier: 'r5',
      status: 'active',
      source_system_id: encodeId('connector', uuid(1)),
      last_synced_at: times.updated_at,
      ...times,
    });
  });

  it('shows its identity, and the identifier and source system that the source gives', () => {
    const fields = { identifier: ['ann'], source_system_id: ['sap'] };
    expect(rendered('account', { identityId: uuid(7), fields })).toMatchObject({
      identifier: 'ann',
      source_system_id: 'sap',
      person_id: encodeId('identity', uuid(7)),
    });
  });
});

describe('the document of a machine', () => {
  it('falls back to the external id and the class unknown, without people and without risk', () => {
    expect(rendered('machine_identity')).toEqual({
      id: encodeId('machineIdentity', uuid(5)),
      display_name: 'r5',
      classification: 'unknown',
      risk_factors: [],
      status: 'active',
      ...times,
    });
  });

  it('shows people as identity ids, or as the text of the source if they are not resolved', () => {
    const machine = {
      people: { owned_by: uuid(7) },
      handedOver: false,
      risk: {
        score: 30,
        factors: [{ factor: 'shared', points: 10 } as const, { factor: 'unused', points: 20 } as const],
      },
    };
    const fields = { owned_by: ['ann'], manager_id: ['bob@x.org'] };
    const shown = rendered('machine_identity', { machine, fields });
    expect(shown).toMatchObject({
      owned_by: encodeId('identity', uuid(7)),
      manager_id: 'bob@x.org',
      risk_score: 30,
      risk_factors: ['shared', 'unused'],
    });
    expect(shown).not.toHaveProperty('technical_inheritor');
    expect(personShown(storedRecord(5, { machine, fields }), 'technical_inheritor')).toBeUndefined();
  });
});
