import { describe, expect, it } from '@jest/globals';
import { configOf, type Draft, draftOf, emptyDraft, scheduleBody } from './draft.js';
import { newField } from './mapping.js';

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
