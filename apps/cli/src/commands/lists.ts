import type { Identity, Input, MachineIdentityDetails, OneTenant } from '@idsync/client/operator';
import { machineClassifications, personStatuses, recordFields } from '@idsync/contracts/fixed-values';
import { InvalidArgumentError, Option } from 'commander';
import type { PageQuery } from '../admin-client.js';
import { personName } from '../cells.js';
import type { CliCommand } from '../cli-command.js';
import { findConnector, shownConnectorNames } from '../find-connector.js';
import { fieldsOf, wholeNumber } from '../input.js';
import type { Session } from '../session.js';

/** The options of a list that are not sent as they are. */
interface ListOptions extends PageQuery {
  attribute?: [string, string][];
  connector?: string;
  source?: string;
  unmatched?: boolean;
}

/** Fields of the API by the option that sets them; others have the same name. */
const fieldOf: Readonly<Record<string, string>> = {
  text: 'q',
  number: 'employee_number',
  upn: 'user_principal_name',
  manager: 'manager_id',
  owner: 'owned_by',
};

type QueryOf<Path extends 'identities' | 'groups' | 'accounts' | 'machine-identities'> = NonNullable<
  Input<OneTenant, `GET /${Path}`>
>;
/** Each list has its own statuses, which its option allows. */
type ListQuery = Omit<QueryOf<'identities'> & QueryOf<'groups'> & QueryOf<'accounts'>, 'status' | 'sort'> &
  Omit<QueryOf<'machine-identities'>, 'status'> & { status: never; limit: number };

export function addFindCommand(program: CliCommand): void {
  program
    .add('find', 'find identities by the beginning of names, addresses, numbers or logins', 'ann lee')
    .paged()
    .argument('<text...>', 'what to find; if nothing matches, each word may have one typo')
    .does(async (session, words: string[], options: ListOptions) => {
      await printIdentities(session, { ...options, text: words.join(' ') });
    });
}

export function addIdentityList(identities: CliCommand): void {
  shared(
    exact(identities.add('list', 'list identities, or those with a value in any of their records'), personStatuses),
  )
    .addHelpText('after', listExamples('identities'))
    .does(async (session, options: ListOptions) => {
      await printIdentities(session, options);
    });
}

export function addUserCommands(program: CliCommand): void {
  const users = program.add('users', 'list users: the data of one source about a person');
  shared(exact(users.add('list', 'list users'), personStatuses))
    .addHelpText('after', listExamples('users'))
    .does(async (session, options: ListOptions) => {
      const list = await session.client.upTo('GET /users', await queryOf(session, options));
      session.printList(list, ['id', 'external_id', ['name', personName], 'email', 'status']);
    });
}

export function addGroupCommands(program: CliCommand): void {
  const groups = program.add('groups', 'list the groups that sources name in their users');
  groups
    .add('list', 'list groups with members')
    .paged()
    .option('--source <connector>', 'only groups of this source: id or name of the connector')
    .option('--name <name>', 'only the group with exactly this name; needs --source')
    .addHelpText(
      'after',
      '\nList the members with "idsync users list --group".\n\nExample:\n  $ idsync groups list --source AD',
    )
    .does(async (session, options: ListOptions) => {
      const list = await session.client.call('GET /groups', {}, await queryOf(session, options));
      const ids = list.data.map(({ source_id }) => source_id);
      const names = await shownConnectorNames(session, ids);
      session.printList(list, ['id', 'name', ['source', (each) => names.get(each.source_id) ?? each.source_id]]);
    });
}

const listExamples = (noun: string) => `
Filters are combined, and ignore case and accents.

Examples:
  $ idsync ${noun} list --email ann@example.org
  $ idsync ${noun} list --department sales --attribute cost_center=4711 --source AD
  $ idsync ${noun} list --status active --updated-since 2026-01-31T12:00:00Z`;

export function addAccountCommands(program: CliCommand): void {
  const accounts = program.add('accounts', 'list and show accounts');
  exact(accounts.add('list', 'list accounts'), recordFields.account.status)
    .option('--source <connector>', 'only accounts of this source: id or name of the connector')
    .option('--unmatched', 'only accounts that are linked to no identity')
    .example('--source AD --unmatched')
    .does(async (session, options: ListOptions) => {
      const list = await session.client.upTo('GET /accounts', await queryOf(session, options));
      session.printList(list, ['id', 'identifier', ['name', personName], 'status', ['identity', 'person_id']]);
    });

  accounts
    .add('show', 'show an account, its person and its values', 'acc_…')
    .argument('<account>', 'id of the account: acc_…')
    .prints(
      (session, id: string) => session.client.call('GET /accounts/{accountId}', id),
      (session, { values, ...rest }) => {
        session.printOne(rest);
        printValues(session, values);
      },
    );
}

export function addMachineCommands(program: CliCommand): void {
  const machines = program.add('machines', 'list and show machine identities');
  exact(machines.add('list', 'list machine identities'), recordFields.machine_identity.status)
    .choice('--classification <name>', 'only this classification', machineClassifications)
    .option('--source <connector>', 'only those of this source: id or name of the connector')
    .option('--owner <identity>', 'only those for which this identity is responsible')
    .option('--min-risk <score>', 'only those with at least this risk score', wholeNumber)
    .option('--max-risk <score>', 'only those with at most this risk score', wholeNumber)
    .addOption(new Option('--sort <order>', 'risk: the highest risk first').choices(['risk']))
    .example('--status orphaned --sort risk')
    .does(async (session, options: ListOptions) => {
      const list = await session.client.upTo('GET /machine-identities', await queryOf(session, options));
      session.printList(list, [
        'id',
        ['name', 'display_name'],
        'classification',
        ['owner', 'owned_by'],
        ['risk', 'risk_score'],
        'status',
      ]);
    });

  machines
    .add('show', 'show a machine identity, its people, its values and the factors of its risk score', 'mid_…')
    .argument('<machine>', 'id of the machine identity: mid_…')
    .prints((session, id: string) => session.client.call('GET /machine-identities/{machineId}', id), printMachine);
}

function printMachine(session: Session, machine: MachineIdentityDetails): void {
  const { people, values, risk_factors, ...rest } = machine;
  session.printOne(rest);
  session.printTable(people, ['role', ['person', 'identity_id'], 'name', ['value in the source', 'named']]);
  session.printTable(risk_factors, ['factor', 'points']);
  printValues(session, values);
}

function printValues(session: Session, values: Record<string, string[]>): void {
  session.printTable(Object.entries(values), [
    ['field', ([field]) => field],
    ['value', ([, list]) => list.join(', ')],
  ]);
}

/** Filters of every list of people and records. */
function exact(command: CliCommand, statuses: readonly string[]): CliCommand {
  return command
    .paged()
    .option('--email <address>', 'only with this email address')
    .option('--number <number>', 'only with this employee number')
    .option('--upn <name>', 'only with this user principal name')
    .option('--external-id <id>', 'only the record with this id in the source --connector')
    .option('--connector <connector>', 'the source of --external-id: id or name of the connector')
    .choice('--status <status>', 'only this status', statuses)
    .option('--updated-since <date-time>', 'only those that changed at this time or later');
}

/** Filters of people that many may fulfil. */
function shared(command: CliCommand): CliCommand {
  return command
    .option('--department <name>', 'only people in this department')
    .option('--attribute <name=value>', 'only people with this value of a custom attribute; repeatable', attribute)
    .option('--manager <identity>', 'only people whose manager is this identity')
    .option('--source <connector>', 'only people with a record in this source: id or name of the connector')
    .option('--group <group>', 'only members of this group, from "idsync groups list"');
}

/** Parses `name=value` and adds it to the earlier ones. */
function attribute(text: string, earlier: [string, string][] = []): [string, string][] {
  const [, name, value] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('It must be name=value, such as cost_center=4711.');
  return [...earlier, [name, value]];
}

/** The options of a list as its query. */
async function queryOf(session: Session, given: ListOptions): Promise<ListQuery> {
  const { attribute: attributes, connector, source, unmatched, limit, offset, ...options } = given;
  const idOf = (name: string | undefined) => (name === undefined ? undefined : findConnector(session, name));
  const fields = Object.entries(fieldsOf(options)).map(([name, value]) => [fieldOf[name] ?? name, value]);
  return {
    ...Object.fromEntries(fields),
    attributes: attributes && Object.fromEntries(attributes),
    connector_id: await idOf(connector),
    source: await idOf(source),
    matched: unmatched ? false : undefined,
    limit,
    offset,
  };
}

async function printIdentities(session: Session, options: ListOptions & { text?: string }): Promise<void> {
  const list = await session.client.upTo('GET /identities', await queryOf(session, options));
  session.printList(list, [
    'id',
    ['name', 'display_name'],
    ['email', (each) => winner(each, 'email')],
    ['number', (each) => winner(each, 'employee_number')],
    'status',
  ]);
}

/** The winner of a field is listed first. */
function winner({ attributes }: Identity, field: string): string | undefined {
  return attributes.find(({ field_name }) => field_name === field)?.field_value;
}
