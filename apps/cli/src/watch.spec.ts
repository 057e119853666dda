import { describe, expect, it } from '@jest/globals';
import type { Job } from './admin-replies.js';
import { CliError, UnreachableError } from './cli-error.js';
import { watch } from './watch.js';

const running: Job = { job_id: 'job_1', status: 'running' };
const show = () => undefined;
const never = () => false;

describe('watching', () => {
  it('gives up when its time is over', async () => {
    const watching = watch(async () => running, show, never, { timeoutMs: 0, outageMs: 0 });
    await expect(watching).rejects.toThrow('what was watched goes on');
  });

  it('gives up when the service stays away', async () => {
    const read = async (): Promise<Job> => {
      throw new UnreachableError('cannot reach it');
    };
    const watching = watch(read, show, never, { timeoutMs: 60_000, outageMs: 150 });
    await expect(watching).rejects.toThrow('cannot reach it');
  });

  it('does not ask again for what is not there', async () => {
    let reads = 0;
    const read = async (): Promise<Job> => {
      reads += 1;
      throw new CliError('not found');
    };
    await expect(watch(read, show, never, { timeoutMs: 60_000, outageMs: 60_000 })).rejects.toThrow('not found');
    expect(reads).toBe(1);
  });
});
