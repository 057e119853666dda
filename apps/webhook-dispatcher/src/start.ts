import { startWorker } from '@idsync/messaging';
import type { DispatcherConfig, ObservedService } from '@idsync/runtime';
import { DeliveryEngine } from './delivery/delivery-engine.service.js';
import { type DispatcherOptions, WebhookDispatcherModule } from './webhook-dispatcher.module.js';

/** Same threshold as the alert IdsyncDeliveriesLate. */
const lateSeconds = 120;

export async function startWebhookDispatcher(
  config: DispatcherConfig,
  options?: DispatcherOptions,
): Promise<ObservedService> {
  return startWorker('webhook-dispatcher', config, WebhookDispatcherModule.forRoot(config, options), (app) => {
    const engine = app.get(DeliveryEngine);
    return [{ name: 'deliveries', run: () => (engine.lagSeconds > lateSeconds ? 'degraded' : 'up') }];
  });
}
