import { expect, it } from '@jest/globals';
import { matchesName, screensOf } from './palette-options.js';

it.each([
  ['https://payroll.fjordlight.example/hooks', 'payroll', true],
  ['https://payroll.fjordlight.example/hooks', 'payroll.fjordlight', true],
  ['HR', 'hr', true],
  ['Service accounts', 'accounts service', true],
  ['Åkesson & Co', 'åk', true],
  ['Christine', 'hr', false],
  ['HR', '…', false],
])('of %j, %j is found: %s', (name, text, isFound) => {
  expect(matchesName(name, text)).toBe(isFound);
});

const screens = ['Accounts', 'Audit log', 'Access'].map((label) => ({ label }));
const labels = ({ first, last }: ReturnType<typeof screensOf>) =>
  [first, last].map((part) => part.map(({ label }) => label));

it('shows a screen first if its name begins with at least three typed letters', () => {
  expect(labels(screensOf(screens, 'aud'))).toEqual([['Audit log'], []]);
  expect(labels(screensOf(screens, 'ac'))).toEqual([[], ['Accounts', 'Access']]);
  expect(labels(screensOf(screens, 'log'))).toEqual([[], ['Audit log']]);
  expect(labels(screensOf(screens, ''))).toEqual([[], ['Accounts', 'Audit log', 'Access']]);
});
