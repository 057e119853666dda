import type { CliCommand } from '../cli-command.js';
import { connectorNames } from '../find-connector.js';
import { operationExitCodes, printOperation } from '../operation-outcome.js';

const example = `
Example: the phone of LDAP takes precedence over all sources, its other fields come last:
  {"priorities":[{"field":"phone","connector_id":"con_…","priority":1},
                 {"field":"*","connector_id":"con_…","priority":900}]}
  $ idsync priorities set --file priorities.json
${operationExitCodes}`;

export function addPriorityCommands(program: CliCommand): void {
  const priorities = program.add('priorities', 'show and change the source precedence of single fields');

  priorities
    .add('show', "show the priorities that override a connector's own; the lowest number wins")
    .example('--json > priorities.json')
    .does(async (session) => {
      const found = await session.client.call('GET /attribute-priorities', {});
      if (session.format === 'json') return session.printOne(found);
      const names = await connectorNames(session);
      session.printItems({ data: found.priorities }, [
        'field',
        'priority',
        ['connector', 'connector_id'],
        ['name', ({ connector_id }) => names.get(connector_id)],
      ]);
    });

  priorities
    .add('set', 'replace all priorities')
    .requiredOption('--file <path>', 'JSON file with all priorities; - reads standard input')
    .addHelpText('after', example)
    .does(async (session, { file }: { file: string }) => {
      printOperation(session, await session.client.call('PUT /attribute-priorities', {}, session.readBody(file)));
    });
}
