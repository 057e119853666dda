import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tenantRoute } from '../../app/frame-routes';
import { oneOf } from '../../data/search-params';
import { type SettingsView, settingsViews } from './views';

export const route = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'settings',
  validateSearch: ({ view }): { view?: SettingsView } => ({ view: oneOf(settingsViews, view) }),
  component: lazyRouteComponent(() => import('./settings-screen'), 'SettingsScreen'),
});
