import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../data/api';
import { eventsQuery } from '../../data/events';
import { liveByEvents } from '../../data/query-client';

export const machineQuery = (tenantId: string, machineId: string) =>
  queryOptions({
    queryKey: ['machines', tenantId, machineId],
    queryFn: () =>
      answerOf(
        api.GET('/admin/v1/tenants/{tenantId}/machine-identities/{machineId}', {
          params: { path: { tenantId, machineId } },
        }),
      ),
    ...liveByEvents,
  });

/** Findings about the machine in all states, the newest first. */
export const machineFindingsQuery = (tenantId: string, machineId: string) =>
  queryOptions({
    queryKey: ['findings', tenantId, { subject: machineId }],
    queryFn: () =>
      answerOf(
        api.GET('/admin/v1/tenants/{tenantId}/findings', {
          params: { path: { tenantId }, query: { subject: machineId, limit: 20 } },
        }),
      ),
    ...liveByEvents,
  });

/** Events of machines of the identity that the machine belongs to. The API has no filter by machine. */
export const machineEventsQuery = (tenantId: string, identityId: string) =>
  eventsQuery(tenantId, { types: 'machine_identity.*', identity_id: identityId });
