import { expect, it } from '@jest/globals';
import { holdMessage } from './hold-message.js';

it('leaves out the status of a held run, which has another word on pages', () => {
  expect(holdMessage('quarantined: the run would delete 12 of 12 records')).toBe(
    'The run would delete 12 of 12 records',
  );
  expect(holdMessage('the file does not exist')).toBe('The file does not exist');
});
