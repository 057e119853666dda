import type { AttributePriorities, responses } from '@idsync/contracts';
import type { Command } from 'commander';
import { pathOf } from '../admin-client.js';
import { connectorNames } from '../find-connector.js';
import { exitCodeOf, operationExitCodes, printOperation } from '../operation-outcome.js';
import { readBody } from '../read-body.js';
import { type CliContext, Session } from '../session.js';

const example = `
Example: the phone of LDAP takes precedence over all sources, its other fields come last:
  {"priorities":[{"field":"phone","connector_id":"con_…","priority":1},
                 {"field":"*","connector_id":"con_…","priority":900}]}
  $ idsync priorities set --file priorities.json
${operationExitCodes}`;

export function addPriorityCommands(program: Command, io: CliContext, exit: (code: number) => void): void {
  const priorities = program
    .command('priorities')
    .description('show and change the source precedence of single fields');

  priorities
    .command('show')
    .description("show the priorities that override a connector's own; the lowest number wins")
    .addHelpText('after', '\nExample:\n  $ idsync priorities show --json > priorities.json')
    .action(async (_options: object, command: Command) => {
      const session = await Session.of(command, io);
      const found = await session.client.get<AttributePriorities>(prioritiesPath(session));
      if (session.format === 'json') {
        session.printOne(found);
        return;
      }
      const names = await connectorNames(session);
      const list = { data: found.priorities, total: found.priorities.length };
      session.printList(list, ['field', 'priority', 'connector', 'name'], (each) => [
        each.field,
        each.priority,
        each.connector_id,
        names.get(each.connector_id),
      ]);
    });

  priorities
    .command('set')
    .description('replace all priorities')
    .requiredOption('--file <path>', 'JSON file with all priorities; - reads standard input')
    .addHelpText('after', example)
    .action(async ({ file }: { file: string }, command: Command) => {
      const session = await Session.of(command, io);
      const operation = await session.client.put<responses.Operation>(prioritiesPath(session), readBody(file, io.cwd));
      printOperation(session, operation);
      exit(exitCodeOf(operation.status));
    });
}

function prioritiesPath(session: Session): string {
  return pathOf('tenants', session.tenant, 'attribute-priorities');
}
