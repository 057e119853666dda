import type { Job } from './admin-replies.js';
import { CliError, UnreachableError } from './cli-error.js';
import { isSettled } from './job-outcome.js';

const firstPauseMs = 100;
const longestPauseMs = 1_000;

export interface WatchLimits {
  /** Gives up on the job; the job itself goes on. */
  timeoutMs: number;
  /** A service that restarts is waited for this long. */
  outageMs: number;
}

/** Reads a job, more and more seldom, until it has ended or waits for a person; shows each reading. */
export async function watchJob(
  read: () => Promise<Job>,
  show: (job: Job) => void,
  { timeoutMs, outageMs }: WatchLimits,
): Promise<Job> {
  const end = Date.now() + timeoutMs;
  let lastAnswer = Date.now();
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    try {
      const job = await read();
      lastAnswer = Date.now();
      show(job);
      if (isSettled(job.status)) return job;
    } catch (error) {
      if (!(error instanceof UnreachableError) || Date.now() - lastAnswer > outageMs) throw error;
    }
    if (Date.now() > end) throw new CliError('gave up watching: the time is over; the job goes on');
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
