import { queryOptions } from '@tanstack/react-query';
import { call } from './api';

/** An identity now, or as it was. */
export const identityQuery = (tenantId: string, identityId: string, at?: string) =>
  queryOptions({
    queryKey: ['identity', tenantId, identityId, at ?? 'now'],
    queryFn: () => call('GET /identities/{identityId}', { tenantId, identityId }, { at }),
    placeholderData: (old) => (old?.id === identityId ? old : undefined),
  });

/** Which value of an identity won and why, and why each record belongs to it. */
export const explanationQuery = (tenantId: string, identityId: string) =>
  queryOptions({
    queryKey: ['identity', tenantId, identityId, 'explanation'],
    queryFn: () => call('GET /identities/{identityId}/explain', { tenantId, identityId }),
  });
