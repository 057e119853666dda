import { adminRoutes, installationId, queues, type responses } from '@idsync/contracts';
import { Database } from '@idsync/database';
import {
  canRequeue,
  findDeadLetter,
  listDeadLetters,
  listProcesses,
  removeDeadLetter,
  type ServiceProcessRow,
  sendAgain,
  silentAfterSeconds,
} from '@idsync/database/bus';
import { databaseVersions, fanOutLag } from '@idsync/database/gateway';
import { Bus, type QueueState } from '@idsync/messaging';
import { type GatewayConfig, version } from '@idsync/runtime';
import { Controller } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { badRequest, orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { readSequence, writeSequence } from '../shared/cursor.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { deadLetterNumber, presentDeadLetter, presentDeadLetterDetails } from './present-dead-letter.js';

const maxProcesses = 200;

/** State of the installation, and the messages that failed as often as their queue allows, for operators of all tenants. */
@Controller()
export class SystemController {
  private readonly metricsUrl: string | undefined;

  constructor(
    private readonly database: Database,
    private readonly tenants: TenantTransactions,
    private readonly bus: Bus,
    config: ConfigService<GatewayConfig, true>,
  ) {
    this.metricsUrl = config.get('METRICS_URL', { infer: true });
  }

  @Handles(adminRoutes.getSystem)
  async get(): Promise<responses.System> {
    const [schemaState, states, { versions, processes, fanOut }] = await Promise.all([
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
      queues: states.map(presentQueue),
      fan_out: fanOut,
      metrics_url: this.metricsUrl,
    };
  }

  @Handles(adminRoutes.listSystemDeadLetters)
  async listDeadLetters({ query: { queue, limit, cursor } }: Input<typeof adminRoutes.listSystemDeadLetters>) {
    const before = cursor === undefined ? undefined : readSequence(cursor);
    const names = queue === undefined ? Object.keys(queues) : [queue];
    const rows = await this.database.withoutTenant((tx) => listDeadLetters(tx, { names, before, limit: limit + 1 }));
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    return { data: page.map(presentDeadLetter), limit, ...(last && { next_cursor: writeSequence(last.id) }) };
  }

  @Handles(adminRoutes.getSystemDeadLetter)
  async getDeadLetter({
    deadLetterId: id,
  }: Input<typeof adminRoutes.getSystemDeadLetter>): Promise<responses.DeadLetterDetails> {
    const row = await this.database.withoutTenant((tx) => findDeadLetter(tx, deadLetterNumber(id)));
    return presentDeadLetterDetails(orNotFound(row));
  }

  /** Moves the message to the outbox. A concurrent request finds it gone, so that it is sent once. */
  @Handles(adminRoutes.requeueSystemDeadLetter)
  async requeue({ deadLetterId: id }: Input<typeof adminRoutes.requeueSystemDeadLetter>): Promise<void> {
    await this.tenants.actIn(installationId, async (tx, describe) => {
      const row = orNotFound(await removeDeadLetter(tx, deadLetterNumber(id)));
      if (!canRequeue(row.type)) throw badRequest(`no queue receives messages of the type ${row.type}`);
      await sendAgain(tx, row);
      describe({ before: presentDeadLetter(row) });
    });
  }

  /** The reason is in the audit entry. */
  @Handles(adminRoutes.discardSystemDeadLetter)
  async discard({ deadLetterId: id }: Input<typeof adminRoutes.discardSystemDeadLetter>): Promise<void> {
    await this.tenants.actIn(installationId, async (tx, describe) => {
      describe({ before: presentDeadLetter(orNotFound(await removeDeadLetter(tx, deadLetterNumber(id)))) });
    });
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
