import { settingParts, type TenantSettings } from '@idsync/contracts';
import { expect, it } from '@jest/globals';
import { changesLifecycle, isGuarded } from './change-settings.js';

const settings = Object.fromEntries(
  Object.values(settingParts)
    .flat()
    .map((field) => [field, 1]),
) as unknown as TenantSettings;
const patchOf = (part: keyof typeof settingParts) => ({ [settingParts[part][0] as string]: 2 });

it('needs a second operator for rules of dates and for the policy of operators, not for findings', () => {
  expect(isGuarded(settings, patchOf('lifecycle'))).toBe(true);
  expect(isGuarded(settings, patchOf('operators'))).toBe(true);
  expect(isGuarded(settings, patchOf('findings'))).toBe(false);
});

it('has no effect if a patch repeats the settings of today', () => {
  expect(isGuarded(settings, { ...settings })).toBe(false);
  expect(changesLifecycle(settings, { ...settings })).toBe(false);
});

it('has the directory apply only changed rules of dates', () => {
  expect(changesLifecycle(settings, patchOf('lifecycle'))).toBe(true);
  expect(changesLifecycle(settings, patchOf('operators'))).toBe(false);
});
