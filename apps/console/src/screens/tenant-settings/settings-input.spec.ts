import { expect, it } from '@jest/globals';
import { limitsOf } from './quota-input.js';
import { changesOf } from './settings-input.js';

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

it('sends only the settings that differ, with numbers as numbers', () => {
  expect(changesOf(settings, { ...settings, grace_days: '14', retention_days: '30', four_eyes: true })).toEqual({
    grace_days: 14,
    four_eyes: true,
  });
  expect(changesOf(settings, { ...settings, time_zone: 'Asia/Tokyo', log_reads: true, grace_days: '' })).toEqual({
    time_zone: 'Asia/Tokyo',
    log_reads: true,
  });
});

it('sends all limits of a tenant, and none for an empty one', () => {
  expect(limitsOf({ people: '1000', webhooks: '', connectors: '0' })).toEqual({ people: 1000, connectors: 0 });
});
