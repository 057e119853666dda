import type { responses } from '@idsync/contracts';

import type { CliCommand } from '../cli-command.js';
import { UsageError } from '../cli-error.js';
import { findConnector } from '../find-connector.js';
import { exitCodeOf, printJob } from '../job-outcome.js';
import { printable } from '../table.js';

const more = `
Reports the result within ten seconds. A longer job continues; see "idsync jobs get".

Exit codes:
  0  created, updated, unchanged, deleted, or not in the source
  3  the source has the record, but it cannot be applied
  1  anything else: the source failed, or the job takes longer

Example:
  $ idsync connectors sync-record HR 4711
  $ idsync connectors sync-record AD "CN=Ren,OU=People,DC=example,DC=org"`;

export function addSyncRecordCommand(connectors: CliCommand): void {
  connectors
    .add('sync-record', 'read one record of the source now and apply it')
    .argument('<connector>', 'id or name of the connector')
    .argument('<external_id>', 'id of the record in the source')
    .addHelpText('after', more)
    .does(async (session, connector: string, externalId: string) => {
      // In a URL these segments would address another path, even when encoded.
      if (externalId === '.' || externalId === '..') {
        throw new UsageError(`"${externalId}" cannot be requested: external_id must not be "." or ".."`);
      }
      const ids = { connectorId: await findConnector(session, connector), externalId };
      const job = await session.client.call('POST /connectors/{connectorId}/records/{externalId}/sync', ids);
      if (session.isRaw) session.printOne(job);
      else if (job.outcome === undefined) printJob(session, job);
      else session.print(`${summaryOf(job)}\n`);
      session.exit(exitCodeOf(job.status));
    });
}

function summaryOf({
  external_id: id,
  outcome,
  job_id: jobId,
  identity_id: identity,
  record_id: record,
  errors,
}: responses.JobDetails) {
  const summaries = {
    created: 'created',
    updated: 'updated',
    unchanged: 'unchanged',
    deleted: 'deleted: it is no longer in the source',
    absent: record === undefined ? 'not in the source and not in the directory' : 'not in the source, already deleted',
    refused: `refused: ${errors?.[0]?.message ?? 'it cannot be applied'}`,
  };
  const ids = [identity, jobId].filter((each) => each !== undefined).join(', ');
  return printable(`${id}: ${outcome === undefined ? '' : summaries[outcome]} (${ids})`);
}
