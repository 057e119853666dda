import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { progressLine } from './progress-line.js';

/** Implements the terminal methods that cli-progress calls. */
function terminal(): PassThrough & { isTTY: boolean; columns: number } {
  const nothing = () => true;
  return Object.assign(new PassThrough(), {
    isTTY: true,
    columns: 120,
    cursorTo: nothing,
    moveCursor: nothing,
    clearLine: nothing,
  });
}

describe('progress', () => {
  it('is a bar on a terminal', () => {
    const stream = terminal();
    const line = progressLine(stream);
    line.show({ status: 'running', percent: 50, amount: '1200 records' });
    line.stop();
    expect(String(stream.read())).toMatch(/█░+ 50 % \| running \| 1200 records/);
  });

  it('is one line for each change when the output is no terminal', () => {
    const stream = new PassThrough();
    const line = progressLine(stream);
    for (const percent of [10, 10, 20]) line.show({ status: 'running', percent, amount: '' });
    line.stop();
    expect(String(stream.read())).toBe('running 10 %\nrunning 20 %\n');
  });
});
