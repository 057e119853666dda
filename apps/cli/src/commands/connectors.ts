import { setTimeout as sleep } from 'node:timers/promises';
import type { responses } from '@idsync/contracts';
import type { Command } from 'commander';
import { type List, pathOf } from '../admin-client.js';
import { CliError } from '../cli-error.js';
import { findConnector } from '../find-connector.js';
import { requireNotHeld } from '../operation-outcome.js';
import { readBody } from '../read-body.js';
import { type CliContext, Session } from '../session.js';
import { wholeNumber } from '../whole-number.js';
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

const connectorHelp = 'id or name of the connector';

export function addConnectorCommands(program: Command, io: CliContext, exit: (code: number) => void): void {
  const connectors = program.command('connectors').description("manage a tenant's connectors");

  connectors
    .command('list')
    .description('list the connectors')
    .addHelpText('after', '\nExample:\n  $ idsync connectors list')
    .action(async (_options: object, command: Command) => {
      const session = await Session.of(command, io);
      const list = await session.client.getAll<responses.Connector>(pathOf('tenants', session.tenant, 'connectors'));
      session.printList(
        list,
        ['id', 'name', 'type', 'records', 'priority', 'health', 'last run', 'complete as of', 'next run', 'updated'],
        (connector) => [
          connector.id,
          connector.name,
          connector.type,
          connector.records,
          connector.priority,
          connector.health,
          connector.last_run?.status,
          connector.complete_as_of,
          connector.next_run_at,
          connector.updated_at,
        ],
      );
    });

  connectors
    .command('get')
    .description('show a connector and its configuration')
    .argument('<connector>', connectorHelp)
    .addHelpText('after', '\nExample:\n  $ idsync connectors get HR')
    .action(async (connector: string, _options: object, command: Command) => {
      const session = await Session.of(command, io);
      session.printOne(await session.client.get<responses.Connector>(await connectorPath(session, connector)));
    });

  connectors
    .command('create')
    .description('create a connector')
    .requiredOption('--file <path>', 'JSON file with the connector; - reads standard input')
    .addHelpText('after', example)
    .action(async (options: { file: string }, command: Command) => {
      const session = await Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'connectors');
      session.printOne(await session.client.post<responses.Connector>(path, readBody(options.file, io.cwd)));
    });

  connectors
    .command('update')
    .description('change the fields of a connector that the file contains')
    .argument('<connector>', connectorHelp)
    .requiredOption('--file <path>', 'JSON file with the fields; - reads standard input')
    .addHelpText('after', '\nExample:\n  $ idsync connectors update HR --file hr.json')
    .action(async (connector: string, options: { file: string }, command: Command) => {
      const session = await Session.of(command, io);
      const body = readBody(options.file, io.cwd);
      const changed = await session.client.patch<responses.Connector>(await connectorPath(session, connector), body);
      session.printOne(changed);
      await requireNotHeld(session, changed);
    });

  addScheduleCommand(connectors, io);
  addTokenCommands(connectors, io);

  connectors
    .command('errors')
    .description('list the records of the source that cannot be applied')
    .argument('<connector>', connectorHelp)
    .option('--limit <count>', 'maximum number of results', wholeNumber, 50)
    .option('--offset <count>', 'number of results to skip', wholeNumber, 0)
    .addHelpText('after', '\nExample:\n  $ idsync connectors errors HR --limit 10')
    .action(async (connector: string, { limit, offset }: { limit: number; offset: number }, command: Command) => {
      const session = await Session.of(command, io);
      const path = `${await connectorPath(session, connector)}/errors?limit=${limit}&offset=${offset}`;
      const list = await session.client.get<List<responses.FailingRecord>>(path);
      session.printList(list, ['record', 'line', 'field', 'since', 'last', 'retry', 'message', 'source'], (record) => [
        record.external_id,
        record.line,
        record.field,
        record.first_failed_at,
        record.last_failed_at,
        record.retry_at,
        record.message,
        record.source_message,
      ]);
    });

  connectors
    .command('test')
    .description('read the first records of the source without changing anything')
    .argument('<connector>', connectorHelp)
    .addHelpText('after', '\nExample:\n  $ idsync connectors test HR')
    .action(async (connector: string, _options: object, command: Command) => {
      const session = await Session.of(command, io);
      const probe = await runProbe(session, connector, 'test');
      for (const { line, external_id: id, message, source_message: sourceMessage } of probe.errors ?? []) {
        const place = id ?? (line === undefined ? '?' : `line ${line}`);
        session.note(`${place}: ${withSource(message, sourceMessage)}`);
      }
      const { encoding, delimiter } = probe.source ?? {};
      if (encoding !== undefined) session.note(`encoding ${encoding}, delimiter ${JSON.stringify(delimiter)}`);
      for (const warning of probe.warnings ?? []) session.note(`warning: ${warning}`);
      session.printList(listOf(probe.records), ['external id', 'fields'], ({ external_id, fields }) => [
        external_id,
        Object.entries(fields)
          .map(([field, values]) => `${field}=${values.join('|')}`)
          .join(' '),
      ]);
    });

  connectors
    .command('discover')
    .description('list the fields of the source that can be mapped')
    .argument('<connector>', connectorHelp)
    .addHelpText('after', '\nExample:\n  $ idsync connectors discover HR')
    .action(async (connector: string, _options: object, command: Command) => {
      const session = await Session.of(command, io);
      const probe = await runProbe(session, connector, 'discover');
      session.printList(listOf(probe.fields), ['name', 'examples'], ({ name, examples }) => [
        name,
        examples.join(' | '),
      ]);
    });

  addSyncRecordCommand(connectors, io, exit);

  addDeletionCommands(connectors, io, exit);
}

/** Runs a probe and waits for its result. Throws the error of a failed probe. */
async function runProbe(
  session: Session,
  connector: string,
  kind: 'test' | 'discover',
): Promise<responses.ConnectorProbe> {
  const path = await connectorPath(session, connector);
  let probe = await session.client.post<responses.ConnectorProbe>(`${path}/${kind}`, {});
  for (const end = Date.now() + probeTimeoutMs; probe.status === 'queued'; ) {
    if (Date.now() > end) {
      throw new CliError(`no result within ${probeTimeoutMs / 1_000} s: is a sync-worker running?`);
    }
    await sleep(pollMs);
    probe = await session.client.get<responses.ConnectorProbe>(`${path}/probes/${probe.probe_id}`);
  }
  if (probe.status === 'failed')
    throw new CliError(withSource(probe.error ?? 'the probe failed', probe.source_message));
  return probe;
}

function withSource(message: string, sourceMessage: string | undefined): string {
  return sourceMessage === undefined ? message : `${message}\nMessage of the source: ${sourceMessage}`;
}

async function connectorPath(session: Session, idOrName: string): Promise<string> {
  return pathOf('tenants', session.tenant, 'connectors', await findConnector(session, idOrName));
}

function listOf<Item>(data: Item[] = []): { data: Item[]; total: number } {
  return { data, total: data.length };
}
