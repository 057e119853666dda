import { installationId, observedActions } from '@idsync/contracts';
import { Logger } from '@idsync/runtime';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { networkOf } from '../access/networks.js';
import { AuditLog } from './audit-log.service.js';

const everyMs = 60_000;
/** Networks that are counted, and those that an entry names. */
const maxNetworks = 1_000;
const maxNamed = 20;
const other = 'other';

/** Counts requests with a missing or wrong operator token. One entry a minute has the counts, whatever their number. */
@Injectable()
export class FailedSignIns implements OnApplicationShutdown {
  private counts = new Map<string, number>();
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly audit: AuditLog,
    private readonly logger: Logger,
  ) {
    this.timer = setInterval(() => void this.flush(), everyMs);
    this.timer.unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  count(address: string | undefined): void {
    const network = networkOf(address);
    const name = this.counts.has(network) || this.counts.size < maxNetworks ? network : other;
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }

  /** Writes the counts since the last entry, if there are any. */
  async flush(): Promise<void> {
    if (this.counts.size === 0) return;
    const counts = this.counts;
    this.counts = new Map();
    const networks = [...counts].map(([network, count]) => ({ network, count })).sort((a, b) => b.count - a.count);
    const total = networks.reduce((sum, { count }) => sum + count, 0);
    await this.audit
      .record(installationId, {
        actor: { kind: 'anonymous', name: 'anonymous' },
        action: observedActions.signInFailed,
        outcome: 'refused',
        status: 401,
        after: { requests: total, networks: networks.slice(0, maxNamed) },
      })
      .catch((err: unknown) => {
        for (const [network, count] of counts) this.counts.set(network, (this.counts.get(network) ?? 0) + count);
        this.logger.warn({ err }, 'recording failed sign-ins failed');
      });
  }
}
