import type { CliCommand } from '../cli-command.js';
import { operationExitCodes, printOperation } from '../operation-outcome.js';
import type { Session } from '../session.js';
import { addSettings, type Policy } from './settings.js';

const example = `
Example:
  $ idsync rules show --json > rules.json
  $ idsync rules preview --file rules.json
  $ idsync rules set --file rules.json
${operationExitCodes}`;

export function addRuleCommands(program: CliCommand): void {
  const rules = program.add('rules', "see and change a tenant's matching rules");
  addSettings(rules, {
    path: 'matching-rules',
    show: 'show the rules that match records to identities',
    set: 'replace the rules and match all records again; manually linked records stay',
    help: example,
    file: 'rules.json',
    content: 'all the rules',
    print,
  });

  rules
    .add('preview', 'show which identities other rules would merge and split, without changing anything')
    .requiredOption('--file <path>', 'JSON file with all the rules; - reads standard input')
    .addHelpText('after', example)
    .does(async (session, { file }: { file: string }) => {
      printOperation(session, await session.client.call('POST /matching-rules/preview', {}, session.readBody(file)));
    });
}

function print(session: Session, rules: Policy<'matching-rules'>): void {
  const { certain, several_employments, keys, stop_values } = rules;
  const stopped = stop_values.map(({ field, values }) => `${field} (${values.length})`);
  session.printOne({
    'match keys': certain,
    'several employments': several_employments,
    ...(stopped.length > 0 && { 'stop values': stopped }),
  });
  if (keys.length > 0) {
    session.printTable(keys, [
      ['key', 'field'],
      'normaliser',
      ['strength', ({ field, strength }) => strength ?? (field === 'employee_number' ? 'permanent' : 'reusable')],
    ]);
  }
  const rows = rules.weak.flatMap(({ name, comparisons, propose_at, when_unique }) =>
    comparisons.map((each, at) => ({
      ...(at === 0 ? { name, propose_at, when_unique } : { name: ' ', propose_at: ' ', when_unique: ' ' }),
      ...each,
    })),
  );
  session.printTable(rows, [
    ['fuzzy rule', 'name'],
    ['propose at', 'propose_at'],
    'when_unique',
    'field',
    'match',
    'weight',
  ]);
}
