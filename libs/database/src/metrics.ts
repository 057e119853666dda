import { counter, gauge } from '@idsync/runtime';

export const connections = gauge({
  name: 'database_connections',
  help: 'Connections to PostgreSQL that are in use or idle, and work that is waiting for one.',
  labels: ['service', 'server', 'state'],
});

export const eventsAppended = counter({
  name: 'events_appended_total',
  help: 'Events that were committed to the logs of tenants.',
  labels: ['type'],
});

export const replicaReads = counter({
  name: 'replica_reads_total',
  help: 'Reads that could use the read replica. All but those with outcome read used the primary.',
  labels: ['outcome'],
});
