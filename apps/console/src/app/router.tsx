// The routes of all screens. A screen is one folder of `screens`; its code is loaded when it is opened.

import {
  createRoute,
  createRouter,
  lazyRouteComponent as lazy,
  type RouteComponent,
  redirect,
} from '@tanstack/react-router';
import { Loading } from '../components/page';
import { tenantsQuery } from '../data/queries';
import { queryClient } from '../data/query-client';
import { searchOf } from '../data/search-params';
import {
  accountsSearch,
  auditSearch,
  caseStatuses,
  deliverySearch,
  eventsSearch,
  findingsSearch,
  machinesSearch,
  peopleSearch,
  planSearch,
  runsSearch,
  settingsViews,
  setupSteps,
  systemSearch,
} from '../data/searches';
import { rootRoute, signedInRoute, tenantRoute } from './frame-routes';
import { lastTenant } from './preferences';

const noSearch = searchOf({});
type Read<Search> = (given: Record<string, unknown>) => Search;

/** A screen of a tenant: its path below the tenant, and its filters in the URL. */
function screen<
  const Path extends string,
  Module extends Record<string, unknown>,
  Name extends keyof Module,
  Search = ReturnType<typeof noSearch>,
>(path: Path, load: () => Promise<Module>, name: Name, search: Read<Search> = noSearch as Read<Search>) {
  const component: RouteComponent = lazy(load, name);
  return createRoute({ getParentRoute: () => tenantRoute, path, validateSearch: search, component });
}

const openRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'sign-in',
    validateSearch: searchOf({ return_to: 'text', error: 'text' }),
    component: lazy(() => import('../screens/sign-in/sign-in-screen'), 'SignInScreen'),
  }),
  // Where the identity provider returns to after a session was renewed in a new tab.
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'sign-in/done',
    component: lazy(() => import('../screens/signed-in/signed-in-screen'), 'SignedInScreen'),
  }),
] as const;

/** Screens that concern no tenant. */
const signedInRoutes = [
  // Leads to the tenant that was open last, to the only one, or to the list of them.
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/',
    beforeLoad: async ({ context }) => {
      const { data } = await context.queryClient.ensureQueryData(tenantsQuery);
      const tenant = data.find(({ id }) => id === lastTenant.get()) ?? (data.length === 1 ? data[0] : undefined);
      throw tenant ? redirect({ to: '/$tenantId', params: { tenantId: tenant.id } }) : redirect({ to: '/tenants' });
    },
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: 'tenants',
    component: lazy(() => import('../screens/tenants/tenants-screen'), 'TenantsScreen'),
  }),
] as const;

const tenantRoutes = [
  screen('/', () => import('../screens/home/home-screen'), 'HomeScreen'),
  screen('people', () => import('../screens/people/people-screen'), 'PeopleScreen', peopleSearch),
  screen(
    'people/$identityId',
    () => import('../screens/identity/identity-screen'),
    'IdentityScreen',
    searchOf({ view: ['values', 'records', 'history', 'events'], at: 'text', and: 'text' }),
  ),
  screen(
    'cases',
    () => import('../screens/cases/cases-screen'),
    'CasesScreen',
    searchOf({ status: caseStatuses, case: 'text' }),
  ),
  screen('runs/$jobId/plan', () => import('../screens/plan/plan-screen'), 'PlanScreen', planSearch),
  screen('accounts', () => import('../screens/accounts/accounts-screen'), 'AccountsScreen', accountsSearch),
  screen('accounts/$accountId', () => import('../screens/accounts/account-screen'), 'AccountScreen'),
  screen('machines', () => import('../screens/machines/machines-screen'), 'MachinesScreen', machinesSearch),
  screen('machines/$machineId', () => import('../screens/machines/machine-screen'), 'MachineScreen'),
  screen('findings', () => import('../screens/findings/findings-screen'), 'FindingsScreen', findingsSearch),
  screen(
    'rules',
    () => import('../screens/rules/rules-screen'),
    'RulesScreen',
    searchOf({ view: ['matching', 'precedence'] }),
  ),
  screen('sources', () => import('../screens/sources/sources-screen'), 'SourcesScreen'),
  screen('sources/$connectorId', () => import('../screens/sources/source-screen'), 'SourceScreen'),
  screen(
    'source-setup',
    () => import('../screens/source-setup/setup-screen'),
    'SetupScreen',
    searchOf({ source: 'text', step: setupSteps }),
  ),
  screen('runs', () => import('../screens/runs/runs-screen'), 'RunsScreen', runsSearch),
  screen('runs/$jobId', () => import('../screens/runs/run-screen'), 'RunScreen'),
  screen('webhooks', () => import('../screens/webhooks/webhooks-screen'), 'WebhooksScreen'),
  screen('webhooks/new', () => import('../screens/webhooks/webhook-settings-screen'), 'NewWebhookScreen'),
  screen('webhooks/$webhookId', () => import('../screens/webhooks/webhook-screen'), 'WebhookScreen', deliverySearch),
  screen(
    'webhooks/$webhookId/settings',
    () => import('../screens/webhooks/webhook-settings-screen'),
    'WebhookSettingsScreen',
  ),
  screen('deliveries/$deliveryId', () => import('../screens/webhooks/delivery-screen'), 'DeliveryScreen'),
  screen('events', () => import('../screens/events/events-screen'), 'EventsScreen', eventsSearch),
  screen('events/$eventId', () => import('../screens/events/event-screen'), 'EventScreen'),
  screen(
    'access',
    () => import('../screens/access/access-screen'),
    'AccessScreen',
    searchOf({ view: ['keys', 'operators'] }),
  ),
  screen(
    'settings',
    () => import('../screens/tenant-settings/settings-screen'),
    'SettingsScreen',
    searchOf({ view: settingsViews }),
  ),
  screen('audit', () => import('../screens/audit/audit-screen'), 'AuditScreen', auditSearch),
  screen('system', () => import('../screens/system/system-screen'), 'SystemScreen', systemSearch),
] as const;

export const newRouter = () =>
  createRouter({
    routeTree: rootRoute.addChildren([
      ...openRoutes,
      signedInRoute.addChildren([...signedInRoutes, tenantRoute.addChildren(tenantRoutes)]),
    ]),
    basepath: '/console',
    context: { queryClient },
    defaultPreload: 'intent',
    defaultPendingComponent: Loading,
    scrollRestoration: true,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof newRouter>;
  }
}
