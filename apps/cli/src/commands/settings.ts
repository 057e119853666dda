import type { Answer, OneTenant } from '@idsync/client/operator';
import type { LifecyclePolicy } from '@idsync/contracts';
import type { CliCommand } from '../cli-command.js';
import { connectorNames } from '../find-connector.js';
import { operationExitCodes, printOperation } from '../operation-outcome.js';
import type { Session } from '../session.js';

type Path = 'operator-policy' | 'finding-policy' | 'lifecycle-policy' | 'matching-rules';
type Policy<Of extends Path> = Answer<OneTenant, `GET /${Of}`>;

interface Settings<Of extends Path> {
  /** The resource of the settings, below the tenant. */
  path: Of;
  /** Descriptions of the commands. */
  show: string;
  set: string;
  /** Help of `set` after its options. */
  help: string;
  /** Name of the file in the example of `show`, and what it contains. */
  file: string;
  content: string;
  print?: (session: Session, policy: Policy<Of>) => void;
}

/** Adds the commands that show settings and replace them by a file. */
export function addSettings<Of extends Path>(
  parent: CliCommand,
  { path, show, set, help, file: name, content, print = (session, policy) => session.printOne(policy) }: Settings<Of>,
): void {
  const shown = (session: Session, policy: object) => session.show(policy, () => print(session, policy as Policy<Of>));
  parent.add('show', show, `--json > ${name}`).does(async (session) => {
    await shown(session, await session.client.call(`GET /${path}` as `GET /${Path}`, {}));
  });

  parent
    .add('set', set)
    .requiredOption('--file <path>', `JSON file with ${content}; - reads standard input`)
    .addHelpText('after', help)
    .does(async (session, { file }: { file: string }) => {
      const changed = await session.client.call(`PUT /${path}` as `PUT /${Path}`, {}, session.readBody(file));
      if ('operation_id' in changed) printOperation(session, changed);
      else await shown(session, changed);
    });
}

const rulesExample = `
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
    help: rulesExample,
    file: 'rules.json',
    content: 'all the rules',
    print: printRules,
  });

  rules
    .add('preview', 'show which identities other rules would merge and split, without changing anything')
    .requiredOption('--file <path>', 'JSON file with all the rules; - reads standard input')
    .addHelpText('after', rulesExample)
    .printsOperation((session, { file }: { file: string }) =>
      session.client.call('POST /matching-rules/preview', {}, session.readBody(file)),
    );
}

function printRules(session: Session, rules: Policy<'matching-rules'>): void {
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

const lifecycleExample = `
Example: dates are days in Oslo, but those of one connector in New York; a leaver is deleted after 60 days:
  {"time_zone":"Europe/Oslo","grace_days":60,
   "connector_time_zones":[{"connector_id":"con_…","time_zone":"America/New_York"}]}
  $ idsync lifecycle set --file lifecycle.json
${operationExitCodes}`;

export function addLifecycleCommands(program: CliCommand): void {
  addSettings(program.add('lifecycle', "see and change a tenant's rules for dates and leavers"), {
    path: 'lifecycle-policy',
    show: 'show time zones, and how long leavers and deleted records stay',
    set: 'replace the rules and compute all statuses again; an absent rule gets its default',
    help: lifecycleExample,
    file: 'lifecycle.json',
    content: 'the rules',
    print: printLifecycle,
  });
}

function printLifecycle(session: Session, policy: LifecyclePolicy): void {
  const { connector_time_zones: zones, connector_employments: employments, ...rest } = policy;
  session.printOne(rest);
  if (zones.length > 0) session.printTable(zones, [['connector', 'connector_id'], 'time_zone']);
  if (employments.length > 0)
    session.printTable(employments, [
      ['connector', 'connector_id'],
      ['lists employments', 'employments'],
    ]);
}

const prioritiesExample = `
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
    .addHelpText('after', prioritiesExample)
    .printsOperation((session, { file }: { file: string }) =>
      session.client.call('PUT /attribute-priorities', {}, session.readBody(file)),
    );
}
