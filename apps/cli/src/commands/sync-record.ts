import type { Command } from 'commander';
import { pathOf } from '../admin-client.js';
import type { Job } from '../admin-replies.js';
import { CliError } from '../cli-error.js';
import { findConnector } from '../find-connector.js';
import { exitCodeOf, printJob } from '../job-outcome.js';
import { Session, type Surroundings } from '../session.js';
import { printable } from '../table.js';

const more = `
Tells within ten seconds what came of it; what takes longer goes on, see "idsync jobs get".

Exit codes:
  0  created, updated, unchanged, deleted, or not in the source
  3  the source has it, but it cannot be used
  1  anything else: the source failed, or it takes longer

Example:
  $ idsync connectors sync-record HR 4711
  $ idsync connectors sync-record AD "CN=Ren,OU=People,DC=example,DC=org"`;

export function addSyncRecordCommand(connectors: Command, io: Surroundings, exit: (code: number) => void): void {
  connectors
    .command('sync-record')
    .description('read one record of its source now, and apply it')
    .argument('<connector>', 'its id or its name')
    .argument('<external_id>', 'what the source calls the record')
    .addHelpText('after', more)
    .action(async (connector: string, externalId: string, _options: object, command: Command) => {
      // In an address these would lead elsewhere, in whatever encoding.
      if (externalId === '.' || externalId === '..') throw new CliError(`"${externalId}" cannot be asked for`);
      const session = Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'connectors', await findConnector(session, connector));
      const job = await session.client.post<Job>(`${path}/records/${encodeURIComponent(externalId)}/sync`, {});
      if (session.json) session.printOne(job);
      else if (job.outcome === undefined) printJob(session, job);
      else session.print(`${summaryOf(job)}\n`);
      exit(exitCodeOf(job.status));
    });
}

function summaryOf({ external_id: id, outcome, job_id: jobId, identity_id: identity, record_id: record, errors }: Job) {
  const said = {
    created: 'created',
    updated: 'updated',
    unchanged: 'unchanged',
    deleted: 'deleted: it is not in the source any more',
    absent: record === undefined ? 'not in the source, and never known' : 'not in the source, and deleted before',
    refused: `refused: ${errors?.[0]?.message ?? 'it cannot be used'}`,
  };
  const about = [identity, jobId].filter((each) => each !== undefined).join(', ');
  return printable(`${id}: ${outcome === undefined ? '' : said[outcome]} (${about})`);
}
