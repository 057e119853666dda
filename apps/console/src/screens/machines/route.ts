import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tenantRoute } from '../../app/frame-routes';
import { machinesSearchOf } from './machines-search';

export const machineRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'machines/$machineId',
  component: lazyRouteComponent(() => import('./machine-screen'), 'MachineScreen'),
});

export const route = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'machines',
  validateSearch: machinesSearchOf,
  component: lazyRouteComponent(() => import('./machines-screen'), 'MachinesScreen'),
});
