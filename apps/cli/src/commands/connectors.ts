import { setTimeout as sleep } from 'node:timers/promises';
import type { responses } from '@idsync/contracts';
import type { PageQuery } from '../admin-client.js';
import type { CliCommand } from '../cli-command.js';
import { CliError } from '../cli-error.js';
import { findConnector } from '../find-connector.js';
import { requireNotHeld } from '../operation-outcome.js';
import type { Session } from '../session.js';
import { addDeletionCommands } from './deleted-connectors.js';
import { addScheduleCommand } from './schedules.js';
import { addSyncRecordCommand } from './sync-record.js';
import { addTokenCommands } from './tokens.js';

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
    .does(async (session, connector: string) => {
      session.printOne(
        await session.client.call('GET /connectors/{connectorId}', await findConnector(session, connector)),
      );
    });

  connectors
    .add('create', 'create a connector')
    .requiredOption('--file <path>', 'JSON file with the connector; - reads standard input')
    .addHelpText('after', example)
    .does(async (session, options: { file: string }) => {
      session.printOne(await session.client.call('POST /connectors', {}, session.readBody(options.file)));
    });

  connectors
    .add('update <connector>', 'change the fields of a connector that the file contains')
    .requiredOption('--file <path>', 'JSON file with the fields; - reads standard input')
    .example('HR --file hr.json')
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
    .add('errors <connector>', 'list the records of the source that cannot be applied')
    .paged()
    .example('HR --limit 10')
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
