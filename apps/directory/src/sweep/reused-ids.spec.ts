import { defaultMatchingRules, encodeId } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { storedRecord, uuid } from '../../test/stored-record.js';
import { isReused, separateReused } from './reused-ids.js';

const ann = { employee_number: ['17'], display_name: ['Ann Lee'], email: ['ann@x.org'] };
const karl = { employee_number: ['18'], display_name: ['Karl Berg'], email: ['karl@x.org'] };
const change = (fields: Record<string, string[]>) => {
  const before = storedRecord(1, { fields: ann, identityId: uuid(2) });
  return { before, record: { ...before, fields, lastJobId: uuid(901) } };
};
const reused = (fields: Record<string, string[]>) => isReused(change(fields), defaultMatchingRules);

describe('an external id', () => {
  it('belongs to another person if number, address and name are others', () => {
    expect(reused(karl)).toBe(true);
    expect(reused({ ...karl, display_name: ['Karl Lee'] })).toBe(true);
  });

  it.each(['employee_number', 'display_name'] as const)('belongs to the same person if %s is the same', (field) => {
    expect(reused({ ...karl, [field]: ann[field] })).toBe(false);
  });

  it('belongs to another person if only the mailbox is the same, and number and full name are others', () => {
    const mailbox = { email: ann.email };
    expect(reused({ ...karl, ...mailbox })).toBe(true);
    expect(reused({ ...karl, ...mailbox, display_name: ['Karl Lee'] })).toBe(false);
    expect(reused({ ...karl, ...mailbox, display_name: ['Ann Berg'] })).toBe(false);
    expect(reused({ ...karl, ...mailbox, employee_number: ann.employee_number })).toBe(false);
    expect(reused({ ...mailbox, display_name: karl.display_name })).toBe(false);
    expect(reused({ ...mailbox, employee_number: karl.employee_number })).toBe(false);
  });

  it('belongs to another person if no record has a number, and address and name are others', () => {
    const { employee_number: _, ...unnumbered } = karl;
    const change = (fields: Record<string, string[]>) => {
      const before = storedRecord(1, { fields: { display_name: ann.display_name, email: ann.email } });
      return isReused({ before, record: { ...before, fields, lastJobId: uuid(901) } }, defaultMatchingRules);
    };
    expect(change(unnumbered)).toBe(true);
    expect(change({ ...unnumbered, display_name: ['Karl Lee'] })).toBe(false);
    expect(change({ ...unnumbered, email: ann.email })).toBe(false);
    expect(change({ display_name: karl.display_name })).toBe(false);
    expect(change(karl)).toBe(false);
  });

  it('belongs to another person if only a number is the same that repeats the id', () => {
    const same = { ...karl, employee_number: ann.employee_number };
    const given = change(same);
    const asId = (record: typeof given.before) => ({ ...record, externalId: '17' });
    expect(isReused({ before: asId(given.before), record: asId(given.record) }, defaultMatchingRules)).toBe(true);
    expect(isReused(given, defaultMatchingRules)).toBe(false);
  });

  it('is not given to another person by a further row of the run that has created the user', () => {
    const { before, record } = change(karl);
    expect(isReused({ before, record: { ...record, lastJobId: before.lastJobId } }, defaultMatchingRules)).toBe(false);
    const previous = { ...before, fields: ann, contentHash: '' };
    const known = { before: { ...before, previous }, record: { ...record, lastJobId: before.lastJobId } };
    expect(isReused(known, defaultMatchingRules)).toBe(true);
  });

  it('belongs to the same person if one record has no number to compare', () => {
    expect(reused({ display_name: karl.display_name, email: karl.email })).toBe(false);
    expect(isReused({ record: change(karl).record }, defaultMatchingRules)).toBe(false);
  });
});

describe('a change that gives an id to another person', () => {
  it('deletes the earlier user, which gives up the id, and creates a new one', () => {
    const now = new Date('2026-01-01T00:00:00Z');
    const given = change(karl);
    const [former, made, ...others] = separateReused([given], defaultMatchingRules, now);
    expect(others).toEqual([]);
    expect(former?.record).toMatchObject({
      id: given.before.id,
      status: 'deleted',
      fields: ann,
      externalId: `${given.before.externalId} (formerly ${encodeId('user', given.before.id)})`,
    });
    expect(made?.before).toBeUndefined();
    expect(made?.record).toMatchObject({ externalId: given.before.externalId, fields: karl, createdAt: now });
    expect(made?.record.id).not.toBe(given.before.id);
    expect(made?.record.identityId).toBeUndefined();
  });

  it('is the only one that is separated', () => {
    const same = change({ ...ann, job_title: ['Clerk'] });
    expect(separateReused([same], defaultMatchingRules, new Date())).toEqual([same]);
  });
});
