import { hostname } from 'node:os';
import { newUuid, type ServiceName } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { removeProcess, removeSilentProcesses, reportProcess } from '@idsync/database/bus';
import { type Logger, version } from '@idsync/runtime';
import type { BusDriver } from './driver.js';
import { Housekeeping } from './housekeeping.js';
import type { BusWatch } from './metrics.js';

const everyMs = 30_000;

/** Reports this process to the database, so that operators see which processes of which version run. */
export class ProcessReports {
  private readonly id = newUuid();
  private readonly startedAt = new Date();
  private readonly housekeeping: Housekeeping;

  constructor(
    private readonly database: Database,
    private readonly service: ServiceName,
    private readonly driver: Pick<BusDriver, 'up'>,
    private readonly watch: Pick<BusWatch, 'outbox'>,
    log: Logger,
  ) {
    const chore = { name: 'reporting this process', batchSize: 1, run: () => this.report() };
    this.housekeeping = new Housekeeping([chore], everyMs, log);
  }

  start(): void {
    this.housekeeping.start();
  }

  /** If the database is gone, the report is removed after a day. */
  async stop(): Promise<void> {
    await this.housekeeping.stop();
    await this.database.withoutTenant((tx) => removeProcess(tx, this.id)).catch(() => undefined);
  }

  private async report(): Promise<0> {
    const { id, service, startedAt } = this;
    const { count: outboxMessages, seconds: outboxLagSeconds } = await this.watch.outbox();
    const found = { brokerConnected: this.driver.up, outboxMessages, outboxLagSeconds };
    await this.database.withoutTenant(async (tx) => {
      await reportProcess(tx, { id, service, version, host: hostname(), startedAt, ...found });
      await removeSilentProcesses(tx, service);
    });
    return 0;
  }
}
