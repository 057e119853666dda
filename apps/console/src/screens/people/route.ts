import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tenantRoute } from '../../app/frame-routes';
import { peopleSearchOf } from './people-search';

export const route = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'people',
  validateSearch: peopleSearchOf,
  component: lazyRouteComponent(() => import('./people-screen'), 'PeopleScreen'),
});
