import { createRoute, redirect } from '@tanstack/react-router';
import { signedInRoute } from '../../app/frame-routes';
import { lastTenant } from '../../app/preferences';
import { tenantsQuery } from '../../data/tenants';

/** Leads to the tenant that was open last, to the only one, or to the list of them. */
export const route = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  beforeLoad: async ({ context }) => {
    const { data } = await context.queryClient.ensureQueryData(tenantsQuery);
    const tenant = data.find(({ id }) => id === lastTenant.get()) ?? (data.length === 1 ? data[0] : undefined);
    throw tenant ? redirect({ to: '/$tenantId', params: { tenantId: tenant.id } }) : redirect({ to: '/tenants' });
  },
});
