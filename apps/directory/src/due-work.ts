import type { Database } from '@idsync/database';
import { type DueTenant, findSourceFacts, saveNextDue } from '@idsync/database/directory';
import { findFindingPolicy } from '@idsync/database/settings';
import type { Logger } from '@idsync/runtime';
import { applyDue } from './apply-due.js';
import { evaluateFindings } from './findings/evaluate-findings.js';
import { staleTime } from './findings/findings-of.js';
import { republishOperations, unansweredMs } from './operations/republish-operations.js';
import { proposeMatches } from './propose-matches.js';

/** Does the time-based work of a tenant, and saves when there is more. A failure leaves the tenant due. */
export async function doDueWork(database: Database, log: Logger, tenant: DueTenant, until: Date): Promise<void> {
  const { id: tenantId } = tenant;
  await republishOperations(database, tenantId);
  const done = await applyDue(database, tenantId);
  if (done > 0) log.info({ tenant_id: tenantId, records: done }, 'applied time-based changes');
  // A quarantined job postpones matching and sends no end message, so the queue is also processed here.
  await proposeMatches(database, { tenant_id: tenantId });
  await evaluateFindings(database, tenantId, { until });
  await saveDue(database, tenant);
}

async function saveDue(database: Database, tenant: DueTenant): Promise<void> {
  await database.transaction(tenant.id, async (tx) => {
    const policy = await findFindingPolicy(tx, tenant.id);
    const stale = (await findSourceFacts(tx, tenant.id)).flatMap(
      (source) => staleTime(source, policy)?.getTime() ?? [],
    );
    const next = Math.min(...stale.filter((at) => at > Date.now()));
    await saveNextDue(tx, tenant, unansweredMs / 1_000, Number.isFinite(next) ? new Date(next) : undefined);
  });
}
