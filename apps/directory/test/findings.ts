import { evaluateFindings } from '../src/findings/evaluate-findings.js';
import type { Harness } from './harness.js';

export interface StoredFinding {
  id: string;
  kind: string;
  state: string;
  evidence: Record<string, unknown>;
  /** External id of the record, name of the connector, or id of the identity that the finding is about. */
  subject: string;
}

/** Evaluates all findings of the harness's tenant, as of this time. */
export async function evaluate({ database, tenant }: Harness, at?: string, chunkSize?: number): Promise<void> {
  const fixedTime = at === undefined ? undefined : new Date(at);
  await evaluateFindings(database, tenant, {
    until: new Date(8.64e15),
    fixedTime,
    force: true,
    ...(chunkSize && { chunkSize }),
  });
}

/** Returns the findings of the harness's tenant in the order of their opening. */
export function storedFindings({ fixture, tenant }: Harness): Promise<StoredFinding[]> {
  return fixture.rows(
    `select f.id, f.kind, f.state, f.evidence, coalesce(r.external_id, c.name, f.subject_id::text) as subject
       from findings f
       left join source_records r on r.tenant_id = $1 and r.id = f.subject_id
       left join connectors c on c.tenant_id = $1 and c.id = f.subject_id
      where f.tenant_id = $1 order by f.id`,
    [tenant],
  );
}

/** Returns the findings as `kind subject: state`, sorted. */
export async function shownFindings(directory: Harness): Promise<string[]> {
  const findings = await storedFindings(directory);
  return findings.map(({ kind, subject, state }) => `${kind} ${subject}: ${state}`).sort();
}

/** Returns the events of findings as `type kind`, the oldest first. */
export async function findingEvents({ fixture, tenant }: Harness): Promise<string[]> {
  const events = await fixture.rows<{ type: string; kind: string }>(
    `select type, details ->> 'kind' as kind from events where tenant_id = $1 and type like 'finding.%' order by sequence`,
    [tenant],
  );
  return events.map(({ type, kind }) => `${type} ${kind}`);
}
