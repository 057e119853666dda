export type CheckStatus = 'up' | 'degraded' | 'down';

/** One thing a service needs: `degraded` where it does its work without, `down` where it cannot. */
export interface HealthCheck {
  name: string;
  /** Throwing is being down. */
  run(): CheckStatus | Promise<CheckStatus>;
}

export interface Readiness {
  status: 'ready' | 'degraded' | 'unready';
  checks: Record<string, CheckStatus>;
}

/** Less than any probe waits for an answer. */
const checkWithinMs = 2_000;

/** Runs the checks at the same time, each bounded. One that hangs is not begun again before it has ended. */
export class ReadinessProbe {
  private readonly underWay = new Map<HealthCheck, Promise<CheckStatus>>();

  constructor(private readonly withinMs: number = checkWithinMs) {}

  async judge(checks: readonly HealthCheck[]): Promise<Readiness> {
    const found = await Promise.all(
      checks.map(async (check) => [check.name, await this.bounded(this.once(check))] as const),
    );
    const statuses = found.map(([, status]) => status);
    const worst = statuses.includes('down') ? 'unready' : statuses.includes('degraded') ? 'degraded' : 'ready';
    return { status: worst, checks: Object.fromEntries(found) };
  }

  private once(check: HealthCheck): Promise<CheckStatus> {
    const known = this.underWay.get(check);
    if (known !== undefined) return known;
    const running = (async () => check.run())()
      .catch((): CheckStatus => 'down')
      .finally(() => this.underWay.delete(check));
    this.underWay.set(check, running);
    return running;
  }

  private async bounded(running: Promise<CheckStatus>): Promise<CheckStatus> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<CheckStatus>((resolve) => {
      timer = setTimeout(() => resolve('down'), this.withinMs);
    });
    return Promise.race([running, late]).finally(() => clearTimeout(timer));
  }
}
