import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { pathOf } from '../admin-client.js';
import type { Connector, FailingRecord, List, Probe } from '../admin-replies.js';
import { CliError } from '../cli-error.js';
import { findConnector } from '../find-connector.js';
import { readBody } from '../read-body.js';
import { Session, type Surroundings } from '../session.js';
import { wholeNumber } from '../whole-number.js';
import { addScheduleCommand } from './schedules.js';
import { addSyncRecordCommand } from './sync-record.js';
import { addTokenCommands } from './tokens.js';

const example = `
Example of a body:
  {"type":"csv","name":"HR","priority":10,"records":"user",
   "config":{"path":"hr.csv","external_id":"id","fields":{"first_name":"firstname","email":"email"}}}`;

/** Beyond what the service itself waits. */
const patienceMs = 30_000;
const pollMs = 500;

const connectorHelp = 'its id or its name';

export function addConnectorCommands(program: Command, io: Surroundings, exit: (code: number) => void): void {
  const connectors = program.command('connectors').description("manage a tenant's source systems");

  connectors
    .command('list')
    .description('list the connectors')
    .action(async (_options: object, command: Command) => {
      const session = Session.of(command, io);
      const list = await session.client.getAll<Connector>(pathOf('tenants', session.tenant, 'connectors'));
      session.printList(
        list,
        ['id', 'name', 'type', 'records', 'priority', 'health', 'last run', 'next run', 'updated'],
        (connector) => [
          connector.id,
          connector.name,
          connector.type,
          connector.records,
          connector.priority,
          connector.health,
          connector.last_run?.status,
          connector.next_run_at,
          connector.updated_at,
        ],
      );
    });

  connectors
    .command('get')
    .description('show a connector with its configuration')
    .argument('<connector>', connectorHelp)
    .action(async (connector: string, _options: object, command: Command) => {
      const session = Session.of(command, io);
      session.printOne(await session.client.get<Connector>(await connectorPath(session, connector)));
    });

  connectors
    .command('create')
    .description('create a connector')
    .requiredOption('--file <path>', 'JSON file with its body; - reads standard input')
    .addHelpText('after', example)
    .action(async (options: { file: string }, command: Command) => {
      const session = Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'connectors');
      session.printOne(await session.client.post<Connector>(path, readBody(options.file, io.cwd)));
    });

  connectors
    .command('update')
    .description('change the fields of a connector that the file names')
    .argument('<connector>', connectorHelp)
    .requiredOption('--file <path>', 'JSON file with the fields; - reads standard input')
    .action(async (connector: string, options: { file: string }, command: Command) => {
      const session = Session.of(command, io);
      const body = readBody(options.file, io.cwd);
      session.printOne(await session.client.patch<Connector>(await connectorPath(session, connector), body));
    });

  addScheduleCommand(connectors, io);
  addTokenCommands(connectors, io);

  connectors
    .command('errors')
    .description('list the records that cannot be used as they are')
    .argument('<connector>', connectorHelp)
    .option('--limit <count>', 'at most this many', wholeNumber, 50)
    .option('--offset <count>', 'leave out this many first', wholeNumber, 0)
    .action(async (connector: string, { limit, offset }: { limit: number; offset: number }, command: Command) => {
      const session = Session.of(command, io);
      const path = `${await connectorPath(session, connector)}/errors?limit=${limit}&offset=${offset}`;
      const list = await session.client.get<List<FailingRecord>>(path);
      session.printList(list, ['record', 'line', 'since', 'last', 'message'], (record) => [
        record.external_id,
        record.line,
        record.first_failed_at,
        record.last_failed_at,
        record.message,
      ]);
    });

  connectors
    .command('test')
    .description('read the first records of its source, and change nothing')
    .argument('<connector>', connectorHelp)
    .action(async (connector: string, _options: object, command: Command) => {
      const session = Session.of(command, io);
      const probe = await answered(session, connector, 'test');
      for (const { external_id: id = '?', message } of probe.errors ?? []) session.note(`${id}: ${message}`);
      session.printList(listOf(probe.records), ['external id', 'fields'], ({ external_id, fields }) => [
        external_id,
        Object.entries(fields)
          .map(([field, values]) => `${field}=${values.join('|')}`)
          .join(' '),
      ]);
    });

  connectors
    .command('discover')
    .description('list what its source has to map')
    .argument('<connector>', connectorHelp)
    .action(async (connector: string, _options: object, command: Command) => {
      const session = Session.of(command, io);
      const probe = await answered(session, connector, 'discover');
      session.printList(listOf(probe.fields), ['name', 'examples'], ({ name, examples }) => [
        name,
        examples.join(' | '),
      ]);
    });

  addSyncRecordCommand(connectors, io, exit);

  connectors
    .command('delete')
    .description('delete a connector; its records stay in the directory as they were last')
    .argument('<connector>', connectorHelp)
    .action(async (connector: string, _options: object, command: Command) => {
      const session = Session.of(command, io);
      await session.client.delete(await connectorPath(session, connector));
      session.note(`${connector} is deleted`);
    });
}

/** Throws what the source has against it. */
async function answered(session: Session, connector: string, kind: 'test' | 'discover'): Promise<Probe> {
  const path = await connectorPath(session, connector);
  let probe = await session.client.post<Probe>(`${path}/${kind}`, {});
  for (const end = Date.now() + patienceMs; probe.status === 'queued'; ) {
    if (Date.now() > end) throw new CliError('no answer yet: is a sync-worker running?');
    await sleep(pollMs);
    probe = await session.client.get<Probe>(`${path}/probes/${probe.probe_id}`);
  }
  if (probe.status === 'failed') throw new CliError(probe.error ?? 'it failed');
  return probe;
}

async function connectorPath(session: Session, idOrName: string): Promise<string> {
  return pathOf('tenants', session.tenant, 'connectors', await findConnector(session, idOrName));
}

function listOf<Item>(data: Item[] = []): { data: Item[]; total: number } {
  return { data, total: data.length };
}
