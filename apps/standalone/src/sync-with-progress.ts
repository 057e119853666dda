import type { Answer, OneTenant } from '@idsync/client/operator';
import type { OperatorClient } from './operator-client.js';

type Job = Answer<OneTenant, 'GET /sync-jobs/{jobId}'>;

const pollEveryMs = 100;
const timeoutMs = 10 * 60_000;
/** Time for the bus to connect; without it, no job makes progress. */
const timeoutWithoutBusMs = 5_000;
const unfinished = new Set(['queued', 'running']);

/** Syncs one connector and shows its progress: a bar on a terminal, a line for each change elsewhere. */
export async function syncWithProgress(
  operator: OperatorClient,
  tenantId: string,
  connector: { id: string; name: string },
  waiting: { busUp: () => boolean; stopping: AbortSignal },
  out: NodeJS.WriteStream,
): Promise<void> {
  const body = { connector_id: connector.id };
  const { job_id: jobId } = await operator('POST /tenants/{tenantId}/sync-jobs', { tenantId }, body);
  const begun = Date.now();
  let shown = '';
  for (;;) {
    const job = await operator('GET /tenants/{tenantId}/sync-jobs/{jobId}', { tenantId, jobId });
    const late = Date.now() - begun > (waiting.busUp() ? timeoutMs : timeoutWithoutBusMs);
    const line = `${describe(connector.name, job)}${late ? ', continues in the background' : ''}`;
    if (line !== shown) out.write(out.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
    shown = line;
    if (late || waiting.stopping.aborted || !unfinished.has(job.status)) break;
    await new Promise((resolve) => setTimeout(resolve, pollEveryMs));
  }
  if (out.isTTY) out.write('\n');
}

function describe(name: string, job: Job): string {
  const done = Math.round((job.progress_pct ?? 0) / 5);
  const bar = '#'.repeat(done).padEnd(20, '.');
  const error = job.error_message ? ` (${job.error_message})` : '';
  return `  ${name.padEnd(16)} [${bar}] ${String(job.progress_pct ?? 0).padStart(3)} %  ${job.records_applied ?? 0} records, ${job.status}${error}`;
}
