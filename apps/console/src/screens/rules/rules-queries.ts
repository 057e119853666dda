import { queryOptions } from '@tanstack/react-query';
import { call, type operations } from '../../data/api';

export type Rules = operations['adminGetMatchingRules']['responses'][200]['content']['application/json'];
export type Precedence = operations['adminGetAttributePriorities']['responses'][200]['content']['application/json'];

export const rulesQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['matching-rules', tenantId],
    queryFn: () => call('GET /matching-rules', { tenantId }),
    refetchOnWindowFocus: false,
  });

export const precedenceQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['attribute-priorities', tenantId],
    queryFn: () => call('GET /attribute-priorities', { tenantId }),
    refetchOnWindowFocus: false,
  });
