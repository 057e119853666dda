// Imported by both example files: what each of them expects when it starts, and what it leaves behind.
import { expect, it, jest } from '@jest/globals';

const { setTimeout: realTimeout } = globalThis;
const filesSoFar = new Set<string>();

export function leavesTraces(file: string): void {
  filesSoFar.add(file);
  jest.setTimeout(filesSoFar.size * 10_000);

  it('shares modules with earlier files, and nothing else', () => {
    expect(process.env.LEFT_BEHIND).toBeUndefined();
    expect(process.env.HOME).not.toBe('/left/behind');
    expect(globalThis.setTimeout).toBe(realTimeout);
    expect(Math.max(1, 2)).toBe(2);
  });

  it('leaves traces', () => {
    process.env.LEFT_BEHIND = file;
    process.env.HOME = '/left/behind';
    jest.useFakeTimers();
    jest.spyOn(Math, 'max').mockReturnValue(3);
    expect(Math.max(1, 2)).toBe(3);
  });

  it(`is file ${filesSoFar.size} of its process`, () => {
    expect(expect.getState().testPath).toMatch(`${file}.ts`);
  });
}
