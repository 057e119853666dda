import type { Command } from 'commander';
import { pathOf } from '../admin-client.js';
import type { Connector } from '../admin-replies.js';
import { findConnector } from '../find-connector.js';
import { readBody } from '../read-body.js';
import { Session, type Surroundings } from '../session.js';

const example = `
Example of a body:
  {"type":"csv","name":"HR","priority":10,"records":"user",
   "config":{"path":"hr.csv","external_id":"id","fields":{"first_name":"firstname","email":"email"}}}`;

const connectorHelp = 'its id or its name';

export function addConnectorCommands(program: Command, io: Surroundings): void {
  const connectors = program.command('connectors').description("manage a tenant's source systems");

  connectors
    .command('list')
    .description('list the connectors')
    .action(async (_options: object, command: Command) => {
      const session = Session.of(command, io);
      const list = await session.client.getAll<Connector>(pathOf('tenants', session.tenant, 'connectors'));
      session.printList(list, ['id', 'name', 'type', 'records', 'priority', 'updated'], (connector) => [
        connector.id,
        connector.name,
        connector.type,
        connector.records,
        connector.priority,
        connector.updated_at,
      ]);
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

  connectors
    .command('delete')
    .description('delete a connector')
    .argument('<connector>', connectorHelp)
    .action(async (connector: string, _options: object, command: Command) => {
      const session = Session.of(command, io);
      await session.client.delete(await connectorPath(session, connector));
      session.note(`${connector} is deleted`);
    });
}

async function connectorPath(session: Session, idOrName: string): Promise<string> {
  return pathOf('tenants', session.tenant, 'connectors', await findConnector(session, idOrName));
}
