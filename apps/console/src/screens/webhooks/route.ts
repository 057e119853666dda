import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tenantRoute } from '../../app/frame-routes';
import { deliveryStatuses } from '../../components/delivery-statuses';
import { oneOf, textOf } from '../../data/search-params';

export const route = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'webhooks',
  component: lazyRouteComponent(() => import('./webhooks-screen'), 'WebhooksScreen'),
});

export const webhookRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'webhooks/$webhookId',
  validateSearch: ({ status, type }): { status?: (typeof deliveryStatuses)[number]; type?: string } => ({
    status: oneOf(deliveryStatuses, status),
    type: textOf(type),
  }),
  component: lazyRouteComponent(() => import('./webhook-screen'), 'WebhookScreen'),
});

export const deliveryRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'deliveries/$deliveryId',
  component: lazyRouteComponent(() => import('./delivery-screen'), 'DeliveryScreen'),
});

export const newWebhookRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'webhooks/new',
  component: lazyRouteComponent(() => import('./new-webhook-screen'), 'NewWebhookScreen'),
});

export const webhookSettingsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: 'webhooks/$webhookId/settings',
  component: lazyRouteComponent(() => import('./webhook-settings-screen'), 'WebhookSettingsScreen'),
});
