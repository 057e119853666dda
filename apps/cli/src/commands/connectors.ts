import { setTimeout as sleep } from 'node:timers/promises';
import type { responses } from '@idsync/contracts';
import type { PageQuery } from '../admin-client.js';
import type { CliCommand } from '../cli-command.js';
import { CliError, UsageError } from '../cli-error.js';
import { findConnector } from '../find-connector.js';
import { exitCodeOf, printJob } from '../job-outcome.js';
import { requireNotHeld } from '../operation-outcome.js';
import type { Session } from '../session.js';
import { printable } from '../table.js';
import { addDeletionCommands, addScheduleCommand } from './deleted-connectors.js';

const example = `
Example of a file:
  {"type":"csv","name":"HR","priority":10,"records":"user",
   "config":{"path":"hr.csv","external_id":"id","fields":{"first_name":"firstname","email":"email"}}}

Example:
  $ idsync connectors create --file hr.json`;

/** Longer than the service itself waits for a probe. */
const probeTimeoutMs = 30_000;
const pollMs = 500;

export function addConnectorCommands(program: CliCommand): void {
  const connectors = program.add('connectors', "manage a tenant's connectors");

  connectors.add('list', 'list the connectors', '').does(async (session) => {
    const list = await session.client.all('GET /connectors', {});
    session.printList(list, [
      'id',
      'name',
      'type',
      'records',
      'priority',
      'health',
      ['last run', (connector) => connector.last_run?.status],
      'complete_as_of',
      'next_run_at',
      'updated_at',
    ]);
  });

  connectors
    .add('get <connector>', 'show a connector and its configuration', 'HR')
    .prints(async (session, connector: string) =>
      session.client.call('GET /connectors/{connectorId}', await findConnector(session, connector)),
    );

  connectors
    .add('create', 'create a connector')
    .requiredOption('--file <path>', 'JSON file with the connector; - reads standard input')
    .addHelpText('after', example)
    .prints((session, options: { file: string }) =>
      session.client.call('POST /connectors', {}, session.readBody(options.file)),
    );

  connectors
    .add('update <connector>', 'change the fields of a connector that the file contains', 'HR --file hr.json')
    .requiredOption('--file <path>', 'JSON file with the fields; - reads standard input')
    .does(async (session, connector: string, options: { file: string }) => {
      const body = session.readBody<Record<string, unknown>>(options.file);
      const changed = await session.client.call(
        'PATCH /connectors/{connectorId}',
        await findConnector(session, connector),
        body,
      );
      session.printOne(changed);
      await requireNotHeld(session, changed);
    });

  addScheduleCommand(connectors);
  addTokenCommands(connectors);

  connectors
    .add('errors <connector>', 'list the records of the source that cannot be applied', 'HR --limit 10')
    .paged()
    .does(async (session, connector: string, query: PageQuery) => {
      const id = await findConnector(session, connector);
      const list = await session.client.call('GET /connectors/{connectorId}/errors', id, query);
      session.printList(list, [
        ['record', 'external_id'],
        'line',
        'field',
        ['since', 'first_failed_at'],
        ['last', 'last_failed_at'],
        'retry_at',
        'message',
        ['source', 'source_message'],
      ]);
    });

  connectors
    .add('test <connector>', 'read the first records of the source without changing anything', 'HR')
    .does(async (session, connector: string) => {
      const probe = await runProbe(session, connector, 'test');
      for (const { line, external_id: id, message, source_message: sourceMessage } of probe.errors ?? []) {
        const place = id ?? (line === undefined ? '?' : `line ${line}`);
        session.note(`${place}: ${withSource(message, sourceMessage)}`);
      }
      const { encoding, delimiter } = probe.source ?? {};
      if (encoding !== undefined) session.note(`encoding ${encoding}, delimiter ${JSON.stringify(delimiter)}`);
      for (const warning of probe.warnings ?? []) session.note(`warning: ${warning}`);
      session.printItems({ data: probe.records ?? [] }, [
        'external_id',
        [
          'fields',
          ({ fields }) =>
            Object.entries(fields)
              .map(([field, values]) => `${field}=${values.join('|')}`)
              .join(' '),
        ],
      ]);
    });

  connectors
    .add('discover <connector>', 'list the fields of the source that can be mapped', 'HR')
    .does(async (session, connector: string) => {
      const probe = await runProbe(session, connector, 'discover');
      session.printItems({ data: probe.fields ?? [] }, ['name', ['examples', ({ examples }) => examples.join(' | ')]]);
    });

  addSyncRecordCommand(connectors);

  addDeletionCommands(connectors);
}

/** Runs a probe and waits for its result. Throws the error of a failed probe. */
async function runProbe(
  session: Session,
  connector: string,
  kind: 'test' | 'discover',
): Promise<responses.ConnectorProbe> {
  const id = await findConnector(session, connector);
  let probe = await session.client.call(`POST /connectors/{connectorId}/${kind}`, id);
  for (const end = Date.now() + probeTimeoutMs; probe.status === 'queued'; ) {
    if (Date.now() > end) {
      throw new CliError(`no result within ${probeTimeoutMs / 1_000} s: is a sync-worker running?`);
    }
    await sleep(pollMs);
    probe = await session.client.call('GET /connectors/{connectorId}/probes/{probeId}', {
      connectorId: id,
      probeId: probe.probe_id,
    });
  }
  if (probe.status === 'failed')
    throw new CliError(withSource(probe.error ?? 'the probe failed', probe.source_message));
  return probe;
}

function withSource(message: string, sourceMessage: string | undefined): string {
  return sourceMessage === undefined ? message : `${message}\nMessage of the source: ${sourceMessage}`;
}

const tokenExample = `
Example, for a connector of the type scim-push:
  $ idsync connectors tokens create Okta "Okta provisioning"
Configure the identity provider with the token, and with the address of the service followed by the printed path.`;

function addTokenCommands(connectors: CliCommand): void {
  const tokens = connectors.add('tokens', 'manage the tokens with which identity providers push to a connector');

  tokens
    .add('list <connector>', 'list the tokens of a connector, without their secrets', 'Okta')
    .does(async (session, connector: string) => {
      const list = await session.client.all(
        'GET /connectors/{connectorId}/tokens',
        await findConnector(session, connector),
      );
      session.printList(list, ['id', 'name', 'created_at', 'expires_at', 'last_used_at', 'revoked_at']);
    });

  tokens
    .add('create <connector>', 'create a token and print it once')
    .argument('<name>', 'what the token is for')
    .option('--expires-at <date-time>', 'such as 2030-12-31T00:00:00Z (default: never)')
    .addHelpText('after', tokenExample)
    .does(async (session, connector: string, name: string, { expiresAt }: { expiresAt?: string }) => {
      const id = await findConnector(session, connector);
      const body = { name, expires_at: expiresAt };
      session.printOne(await session.client.call('POST /connectors/{connectorId}/tokens', id, body));
      session.note('store the token now: it is not shown again');
    });

  tokens
    .add('revoke <connector>', 'revoke a token immediately and permanently', 'Okta tok_…')
    .argument('<token>', 'id of the token, from "idsync connectors tokens list"')
    .does(async (session, connector: string, token: string) => {
      const ids = { connectorId: await findConnector(session, connector), tokenId: token };
      await session.client.call('DELETE /connectors/{connectorId}/tokens/{tokenId}', ids);
      session.note(`revoked ${token}`);
    });
}

const more = `
Reports the result within ten seconds. A longer job continues; see "idsync jobs get".

Exit codes:
  0  created, updated, unchanged, deleted, or not in the source
  3  the source has the record, but it cannot be applied
  1  anything else: the source failed, or the job takes longer

Example:
  $ idsync connectors sync-record HR 4711
  $ idsync connectors sync-record AD "CN=Ren,OU=People,DC=example,DC=org"`;

function addSyncRecordCommand(connectors: CliCommand): void {
  connectors
    .add('sync-record <connector>', 'read one record of the source now and apply it')
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
