import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from './api';
import { liveByEvents } from './query-client';

/** Findings about a record in all states, the newest first. */
export const findingsAboutQuery = (tenantId: string, subjectId: string) =>
  queryOptions({
    queryKey: ['findings', tenantId, { subject: subjectId }],
    queryFn: () =>
      answerOf(
        api.GET('/admin/v1/tenants/{tenantId}/findings', {
          params: { path: { tenantId }, query: { subject: subjectId, limit: 20 } },
        }),
      ),
    ...liveByEvents,
  });
