import { describe, expect, it } from '@jest/globals';
import { JobChanges } from './job-changes.js';

const job = (job_id: string, status: 'running' | 'completed' | 'quarantined', progress_pct = 0) => ({
  job_id,
  status,
  progress_pct,
});
const ids = (jobs: { job_id: string }[]) => jobs.map(({ job_id }) => job_id);

describe('the changes of jobs', () => {
  it('begin with the jobs that have not ended, oldest first', () => {
    const jobs = [job('c', 'running'), job('b', 'completed'), job('a', 'quarantined')];
    expect(ids(new JobChanges().of(jobs))).toEqual(['a', 'c']);
  });

  it('are new jobs, other statuses and progress', () => {
    const changes = new JobChanges();
    changes.of([job('b', 'running', 10), job('a', 'completed')]);
    expect(changes.of([job('b', 'running', 10), job('a', 'completed')])).toEqual([]);
    expect(ids(changes.of([job('c', 'completed'), job('b', 'running', 20), job('a', 'completed')]))).toEqual([
      'b',
      'c',
    ]);
    expect(ids(changes.of([job('c', 'completed'), job('b', 'completed', 100)]))).toEqual(['b']);
  });
});
