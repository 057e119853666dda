import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tenantRoute } from '../../app/frame-routes';
import { eventsSearchOf } from './events-search';

export const route = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'events',
  validateSearch: eventsSearchOf,
  component: lazyRouteComponent(() => import('./events-screen'), 'EventsScreen'),
});

export const eventRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'events/$eventId',
  component: lazyRouteComponent(() => import('./event-screen'), 'EventScreen'),
});
