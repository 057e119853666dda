import type { LifecyclePolicy, responses } from '@idsync/contracts';
import type { Command } from 'commander';
import { pathOf } from '../admin-client.js';
import { exitCodeOf, operationExitCodes, printOperation } from '../operation-outcome.js';
import { readBody } from '../read-body.js';
import { type CliContext, Session } from '../session.js';

const example = `
Example: dates are days in Oslo, but those of one connector in New York; a leaver is deleted after 60 days:
  {"time_zone":"Europe/Oslo","grace_days":60,
   "connector_time_zones":[{"connector_id":"con_…","time_zone":"America/New_York"}]}
  $ idsync lifecycle set --file lifecycle.json
${operationExitCodes}`;

export function addLifecycleCommands(program: Command, io: CliContext, exit: (code: number) => void): void {
  const lifecycle = program.command('lifecycle').description("see and change a tenant's rules for dates and leavers");

  lifecycle
    .command('show')
    .description('show time zones, and how long leavers and deleted records stay')
    .addHelpText('after', '\nExample:\n  $ idsync lifecycle show --json > lifecycle.json')
    .action(async (_options: object, command: Command) => {
      const session = await Session.of(command, io);
      const policy = await session.client.get<LifecyclePolicy>(policyPath(session));
      if (session.isRaw) {
        session.printOne(policy);
        return;
      }
      const { connector_time_zones: zones, connector_employments: employments, ...rest } = policy;
      session.printOne(rest);
      const named = [
        ['time zone', zones.map(({ connector_id, time_zone }) => [connector_id, time_zone])],
        ['lists employments', employments.map((each) => [each.connector_id, each.employments])],
      ] as const;
      for (const [title, rows] of named) if (rows.length > 0) session.printTable(['connector', title], rows);
    });

  lifecycle
    .command('set')
    .description('replace the rules and compute all statuses again; an absent rule gets its default')
    .requiredOption('--file <path>', 'JSON file with the rules; - reads standard input')
    .addHelpText('after', example)
    .action(async ({ file }: { file: string }, command: Command) => {
      const session = await Session.of(command, io);
      const operation = await session.client.put<responses.Operation>(policyPath(session), readBody(file, io.cwd));
      printOperation(session, operation);
      exit(exitCodeOf(operation.status));
    });
}

function policyPath(session: Session): string {
  return pathOf('tenants', session.tenant, 'lifecycle-policy');
}
