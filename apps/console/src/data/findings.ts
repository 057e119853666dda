import { queryOptions } from '@tanstack/react-query';
import { call } from './api';
import { liveByEvents } from './query-client';

/** Findings about a record in all states, the newest first. */
export const findingsAboutQuery = (tenantId: string, subjectId: string) =>
  queryOptions({
    queryKey: ['findings', tenantId, { subject: subjectId }],
    queryFn: () => call('GET /findings', { tenantId }, { subject: subjectId, limit: 20 }),
    ...liveByEvents,
  });
