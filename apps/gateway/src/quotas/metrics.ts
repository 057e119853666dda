import { counter } from '@idsync/runtime';

export const quotaRefusals = counter({
  name: 'quota_refusals_total',
  help: 'Requests that a quota of their tenant refused.',
  labels: ['quota'],
});
for (const quota of ['connectors', 'webhooks', 'requests_per_minute']) quotaRefusals.startAtZero({ quota });
