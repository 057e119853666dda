import { expect, it } from '@jest/globals';
import { labelOf, linesOf, settingOf } from './schema-labels.js';

it('names the settings of a connector in words', () => {
  expect(['bind_dn', 'url', 'client_secret', 'ca', 'toString'].map(labelOf)).toEqual([
    'Bind DN',
    'URL',
    'Client secret',
    'Certificate authorities',
    'ToString',
  ]);
});

it('keeps the lines of a list while they are typed, and takes an empty text for none', () => {
  expect([linesOf('a\n'), linesOf(' \n')]).toEqual([['a', ''], undefined]);
});

it('finds the setting that a refusal is about', () => {
  expect([settingOf('config.url must be an http or https URL'), settingOf('the name is taken')]).toEqual([
    'url',
    undefined,
  ]);
});
