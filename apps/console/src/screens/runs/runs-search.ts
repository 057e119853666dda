import { oneOf, textOf } from '../../data/search-params';

export const statuses = [
  'queued',
  'running',
  'quarantined',
  'completed',
  'completed_with_errors',
  'failed',
  'cancelled',
] as const;

export interface RunsSearch {
  status?: (typeof statuses)[number];
  source?: string;
}

export function runsSearchOf({ status, source }: Record<string, unknown>): RunsSearch {
  return { status: oneOf(statuses, status), source: textOf(source) };
}
