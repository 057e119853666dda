import { describe, expect, it } from '@jest/globals';
import { plainError } from './plain-error.js';

describe('an error in the logs', () => {
  it('has message and stack, but no parameters or details of the statement', () => {
    const failed = Object.assign(new Error('canceling statement due to statement timeout'), {
      code: '57014',
      parameters: ['https://receiver.example/hook?token=hunter2'],
      driverError: { detail: 'Key (email)=(ann@example.com) already exists.' },
    });
    const shown = plainError(failed);
    expect(shown).toEqual({
      type: 'Error',
      message: 'canceling statement due to statement timeout',
      stack: expect.stringContaining('plain-error.spec'),
      code: '57014',
    });
  });

  it('contains no password, also if the thrown value is not an error', () => {
    expect(JSON.stringify(plainError(new Error('cannot reach postgres://me:hunter2@db/x')))).not.toContain('hunter2');
    expect(plainError('gone')).toEqual({ message: 'gone' });
  });
});
