import { expect, it } from '@jest/globals';
import { limitsOf } from './quota-input.js';
import { changesIn, withoutSection } from './settings-input.js';

const settings = {
  approval_hours: 24,
  start_days_before: 0,
  grace_days: 30,
  retention_days: 30,
  stale_source_hours: 48,
  unmatched_account_hours: 24,
  time_zone: 'UTC',
  four_eyes: false,
  log_reads: false,
};
const draft = { grace_days: '14', retention_days: '30', time_zone: 'Asia/Tokyo', four_eyes: true, approval_hours: '' };

it('sends the settings of a section that differ, with numbers as numbers', () => {
  expect(changesIn('people', settings, draft)).toEqual({ grace_days: 14, time_zone: 'Asia/Tokyo' });
  expect(changesIn('operators', settings, draft)).toEqual({ four_eyes: true });
  expect(changesIn('findings', settings, draft)).toEqual({});
});

it('keeps what was entered in the other sections', () => {
  expect(withoutSection('people', draft)).toEqual({ four_eyes: true, approval_hours: '' });
});

it('sends all limits of a tenant, and none for an empty one', () => {
  expect(limitsOf({ people: '1000', webhooks: '', connectors: '0' })).toEqual({ people: 1000, connectors: 0 });
});
