import { attemptOutcomes, deliveryStatuses } from '@idsync/contracts';
import { counter, durations, gauge } from '@idsync/runtime';

/** The count of an outcome is the number of attempts with it. */
export const attempts = durations({
  name: 'webhook_attempt_duration_seconds',
  help: 'Duration of delivery attempts, by outcome.',
  labels: ['outcome'],
});
export const deliveries = counter({
  name: 'webhook_deliveries_total',
  help: 'Deliveries by status after an attempt: delivered, pending (will be retried) or dead (given up).',
  labels: ['status'],
});
// `unknown` marks an attempt whose process died, so no process counts it.
for (const outcome of attemptOutcomes) if (outcome !== 'unknown') attempts.startAtZero({ outcome });
for (const status of deliveryStatuses) deliveries.startAtZero({ status });
export const breakerOpenings = counter({
  name: 'webhook_breaker_openings_total',
  help: 'How often the circuit breaker of an endpoint opened.',
});
export const dueLag = gauge({
  name: 'webhook_due_lag_seconds',
  help: 'Age of the oldest due delivery at the last poll; failing endpoints are left out.',
});
export const dueEndpoints = gauge({
  name: 'webhook_due_endpoints',
  help: 'Endpoints with due deliveries at the last poll, by health.',
  labels: ['state'],
});
