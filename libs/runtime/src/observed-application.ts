import type { INestApplicationContext } from '@nestjs/common';
import type { HealthCheck } from './internal/readiness.js';
import type { ObservedService } from './internal/start-observed.js';
import { ShutdownFailures } from './shutdown-failures.js';

/** Wraps a Nest application as a service. Closing it runs all shutdown hooks, then rejects with the first failure. */
export function observedApplication(app: INestApplicationContext, checks: readonly HealthCheck[]): ObservedService {
  const failures = app.get(ShutdownFailures);
  return {
    checks,
    close: async () => {
      await app.close();
      failures.throwFirst();
    },
  };
}
