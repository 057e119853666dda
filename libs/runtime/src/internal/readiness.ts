import { withTimeout } from '../waiting.js';

export type CheckStatus = 'up' | 'degraded' | 'down';

/** Health check of a dependency: `degraded` if the service can work without it, `down` if it cannot. */
export interface HealthCheck {
  name: string;
  /** An error counts as down. */
  run(): CheckStatus | Promise<CheckStatus>;
}

export interface Readiness {
  status: 'ready' | 'degraded' | 'unready';
  checks: Record<string, CheckStatus>;
}

/** Shorter than the timeout of any probe. */
const checkWithinMs = 2_000;

/** Runs the checks concurrently, each with a timeout. A hanging check is not started again before it has ended. */
export class ReadinessProbe {
  private readonly inProgress = new Map<HealthCheck, Promise<CheckStatus>>();

  constructor(private readonly withinMs: number = checkWithinMs) {}

  async judge(checks: readonly HealthCheck[]): Promise<Readiness> {
    const found = await Promise.all(
      checks.map(
        async (check) => [check.name, await withTimeout<CheckStatus>(this.withinMs, this.once(check), 'down')] as const,
      ),
    );
    const statuses = found.map(([, status]) => status);
    const worst = statuses.includes('down') ? 'unready' : statuses.includes('degraded') ? 'degraded' : 'ready';
    return { status: worst, checks: Object.fromEntries(found) };
  }

  private once(check: HealthCheck): Promise<CheckStatus> {
    const known = this.inProgress.get(check);
    if (known !== undefined) return known;
    const running = (async () => check.run())()
      .catch((): CheckStatus => 'down')
      .finally(() => this.inProgress.delete(check));
    this.inProgress.set(check, running);
    return running;
  }
}
