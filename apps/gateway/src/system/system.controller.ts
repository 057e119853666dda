import { adminRoutes, type responses } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { listProcesses, type ServiceProcessRow, silentAfterSeconds } from '@idsync/database/bus';
import { databaseVersions, fanOutLag } from '@idsync/database/gateway';
import { Bus, type QueueState } from '@idsync/messaging';
import { type GatewayConfig, version } from '@idsync/runtime';
import { Controller } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { Handles } from '../http/handles.decorator.js';

const maxProcesses = 200;

/** State of the installation, for operators of all tenants. */
@Controller()
export class SystemController {
  private readonly metricsUrl: string | undefined;

  constructor(
    private readonly database: Database,
    private readonly bus: Bus,
    config: ConfigService<GatewayConfig, true>,
  ) {
    this.metricsUrl = config.get('METRICS_URL', { infer: true });
  }

  @Handles(adminRoutes.getSystem)
  async get(): Promise<responses.System> {
    const [schemaState, queues, { versions, processes, fanOut }] = await Promise.all([
      this.database.schemaAge(),
      this.bus.queues(),
      this.database.acrossTenants(async (tx) => ({
        versions: await databaseVersions(tx),
        processes: await listProcesses(tx, maxProcesses),
        fanOut: await fanOutLag(tx),
      })),
    ]);
    return {
      versions: { idsync: version, node: process.versions.node, schema_state: schemaState, ...versions },
      broker: { ...this.bus.broker, connected: this.bus.up },
      processes: processes.map(presentProcess),
      queues: queues.map(presentQueue),
      fan_out: fanOut,
      metrics_url: this.metricsUrl,
    };
  }
}

function presentProcess(row: ServiceProcessRow): responses.ServiceProcess {
  return {
    service: row.service,
    version: row.version,
    host: row.host,
    started_at: row.startedAt.toISOString(),
    seen_at: row.seenAt.toISOString(),
    responding: row.silentSeconds <= silentAfterSeconds,
    broker_connected: row.brokerConnected,
    outbox_messages: row.outboxMessages,
    outbox_lag_seconds: row.outboxLagSeconds,
  };
}

function presentQueue({ name, service, messages, seconds, consumers, dead }: QueueState): responses.SystemQueue {
  return { name, service, messages, lag_seconds: seconds, consumers, dead_letters: dead };
}
