import type { MatchingRules, responses } from '@idsync/contracts';
import type { Command } from 'commander';
import { pathOf } from '../admin-client.js';
import { exitCodeOf, operationExitCodes, printOperation } from '../operation-outcome.js';
import { readBody } from '../read-body.js';
import { type CliContext, Session } from '../session.js';

const fileHelp = 'JSON file with all the rules; - reads standard input';
const example = `
Example:
  $ idsync rules show --json > rules.json
  $ idsync rules preview --file rules.json
  $ idsync rules set --file rules.json
${operationExitCodes}`;

export function addRuleCommands(program: Command, io: CliContext, exit: (code: number) => void): void {
  const rules = program.command('rules').description("see and change a tenant's matching rules");

  rules
    .command('show')
    .description('show the rules that match records to identities')
    .addHelpText('after', '\nExample:\n  $ idsync rules show --json > rules.json')
    .action(async (_options: object, command: Command) => {
      const session = await Session.of(command, io);
      printRules(session, await session.client.get<MatchingRules>(rulesPath(session)));
    });

  rules
    .command('preview')
    .description('show which identities other rules would merge and split, without changing anything')
    .requiredOption('--file <path>', fileHelp)
    .addHelpText('after', example)
    .action(async ({ file }: { file: string }, command: Command) => {
      const session = await Session.of(command, io);
      const path = `${rulesPath(session)}/preview`;
      const operation = await session.client.post<responses.Operation>(path, readBody(file, io.cwd));
      printOperation(session, operation);
      exit(exitCodeOf(operation.status));
    });

  rules
    .command('set')
    .description('replace the rules and match all records again; manually linked records stay')
    .requiredOption('--file <path>', fileHelp)
    .addHelpText('after', example)
    .action(async ({ file }: { file: string }, command: Command) => {
      const session = await Session.of(command, io);
      const operation = await session.client.put<responses.Operation>(rulesPath(session), readBody(file, io.cwd));
      printOperation(session, operation);
      exit(exitCodeOf(operation.status));
    });
}

function rulesPath(session: Session): string {
  return pathOf('tenants', session.tenant, 'matching-rules');
}

function printRules(session: Session, rules: MatchingRules): void {
  if (session.isRaw) {
    session.printOne(rules);
    return;
  }
  const { certain, several_employments, keys, stop_values } = rules;
  const stopped = stop_values.map(({ field, values }) => `${field} (${values.length})`);
  session.printOne({
    'match keys': certain,
    'several employments': several_employments,
    ...(stopped.length > 0 && { 'stop values': stopped }),
  });
  if (keys.length > 0) {
    const settings = keys.map(({ field, normaliser, strength }) => [
      field,
      normaliser,
      strength ?? (field === 'employee_number' ? 'permanent' : 'reusable'),
    ]);
    session.printTable(['key', 'normaliser', 'strength'], settings);
  }
  const rows = rules.weak.flatMap(({ name, comparisons, propose_at, when_unique }) =>
    comparisons.map(({ field, match, weight }, at) => [
      ...(at === 0 ? [name, propose_at, when_unique] : [' ', ' ', ' ']),
      field,
      match,
      weight,
    ]),
  );
  session.printTable(['fuzzy rule', 'propose at', 'when unique', 'field', 'match', 'weight'], rows);
}
