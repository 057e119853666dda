import { attemptOutcomes, deliveryStatuses } from '@idsync/contracts';
import { counter, durations, gauge } from '@idsync/runtime';

/** The count of each outcome is that of the attempts. */
export const attempts = durations({
  name: 'webhook_attempt_duration_seconds',
  help: 'How long attempts took, by what the receiver, or the way to it, made of them.',
  labels: ['outcome'],
});
export const deliveries = counter({
  name: 'webhook_deliveries_total',
  help: 'What deliveries were after an attempt: delivered, pending (to be tried again) or dead (given up).',
  labels: ['status'],
});
// `unknown` is what is said of an attempt whose process died, by nobody who could count it.
for (const outcome of attemptOutcomes) if (outcome !== 'unknown') attempts.startAtZero({ outcome });
for (const status of deliveryStatuses) deliveries.startAtZero({ status });
export const breakerOpenings = counter({
  name: 'webhook_breaker_openings_total',
  help: 'How often endpoints were found to fail and left alone for a while.',
});
export const dueLag = gauge({
  name: 'webhook_due_lag_seconds',
  help: 'How long the delivery had been due that was due the longest, at the last look; endpoints that fail are left out.',
});
export const dueEndpoints = gauge({
  name: 'webhook_due_endpoints',
  help: 'Endpoints with something due at the last look, by whether they fail.',
  labels: ['state'],
});
