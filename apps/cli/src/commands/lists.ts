import type { responses } from '@idsync/contracts';
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import { type List, pathOf } from '../admin-client.js';
import { findConnector, shownConnectorNames } from '../find-connector.js';
import { accountStatuses, machineClassifications, machineStatuses, personStatuses } from '../fixed-values.js';
import { personName } from '../person-name.js';
import { type CliContext, Session } from '../session.js';
import { wholeNumber } from '../whole-number.js';

interface ListOptions {
  email?: string;
  number?: string;
  upn?: string;
  externalId?: string;
  connector?: string;
  department?: string;
  attribute?: [string, string][];
  manager?: string;
  source?: string;
  group?: string;
  status?: string;
  updatedSince?: string;
  unmatched?: boolean;
  classification?: string;
  owner?: string;
  minRisk?: number;
  maxRisk?: number;
  sort?: string;
  limit: number;
  offset: number;
}

/** The fields of an identity that its list shows; other fields are not read. */
type ListedIdentity = Pick<responses.Identity, 'id' | 'display_name' | 'status' | 'attributes'>;

export function addFindCommand(program: Command, io: CliContext): void {
  paged(program.command('find'))
    .description('find identities by the beginning of names, addresses, numbers or logins')
    .argument('<text...>', 'what to find; if nothing matches, each word may have one typo')
    .addHelpText('after', '\nExample:\n  $ idsync find ann lee')
    .action(async (words: string[], options: ListOptions, command: Command) => {
      await printIdentities(await Session.of(command, io), { ...options, text: words.join(' ') });
    });
}

export function addIdentityList(identities: Command, io: CliContext): void {
  shared(exact(paged(identities.command('list')), personStatuses))
    .description('list identities, or those with a value in any of their records')
    .addHelpText('after', listExamples('identities'))
    .action(async (options: ListOptions, command: Command) => {
      await printIdentities(await Session.of(command, io), options);
    });
}

export function addUserCommands(program: Command, io: CliContext): void {
  const users = program.command('users').description('list users: the data of one source about a person');
  shared(exact(paged(users.command('list')), personStatuses))
    .description('list users')
    .addHelpText('after', listExamples('users'))
    .action(async (options: ListOptions, command: Command) => {
      const session = await Session.of(command, io);
      const list = await request<responses.User>(session, 'users', options);
      session.printList(list, ['id', 'external id', 'name', 'email', 'status'], (each) => [
        each.id,
        each.external_id,
        personName(each),
        each.email,
        each.status,
      ]);
    });
}

export function addGroupCommands(program: Command, io: CliContext): void {
  const groups = program.command('groups').description('list the groups that sources name in their users');
  paged(groups.command('list'))
    .description('list groups with members')
    .option('--source <connector>', 'only groups of this source: id or name of the connector')
    .option('--name <name>', 'only the group with exactly this name; needs --source')
    .addHelpText(
      'after',
      '\nList the members with "idsync users list --group".\n\nExample:\n  $ idsync groups list --source AD',
    )
    .action(async (options: ListOptions & { name?: string }, command: Command) => {
      const session = await Session.of(command, io);
      const list = await request<responses.Group>(session, 'groups', options);
      const ids = list.data.map(({ source_id }) => source_id);
      const names = await shownConnectorNames(session, ids);
      session.printList(list, ['id', 'name', 'source'], (each) => [
        each.id,
        each.name,
        names.get(each.source_id) ?? each.source_id,
      ]);
    });
}

const listExamples = (noun: string) => `
Filters are combined, and ignore case and accents.

Examples:
  $ idsync ${noun} list --email ann@example.org
  $ idsync ${noun} list --department sales --attribute cost_center=4711 --source AD
  $ idsync ${noun} list --status active --updated-since 2026-01-31T12:00:00Z`;

export function addAccountCommands(program: Command, io: CliContext): void {
  const accounts = program.command('accounts').description('list and show accounts');
  exact(paged(accounts.command('list')), accountStatuses)
    .description('list accounts')
    .option('--source <connector>', 'only accounts of this source: id or name of the connector')
    .option('--unmatched', 'only accounts that are linked to no identity')
    .addHelpText('after', '\nExample:\n  $ idsync accounts list --source AD --unmatched')
    .action(async (options: ListOptions, command: Command) => {
      const session = await Session.of(command, io);
      const list = await request<responses.Account>(session, 'accounts', options);
      session.printList(list, ['id', 'identifier', 'name', 'status', 'identity'], (each) => [
        each.id,
        each.identifier,
        personName(each),
        each.status,
        each.person_id,
      ]);
    });

  accounts
    .command('show')
    .description('show an account, its person and its values')
    .argument('<account>', 'id of the account: acc_…')
    .addHelpText('after', '\nExample:\n  $ idsync accounts show acc_…')
    .action(async (id: string, _: object, command: Command) => {
      const session = await Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'accounts', id);
      printAccount(session, await session.client.get<responses.AccountDetails>(path));
    });
}

function printAccount(session: Session, account: responses.AccountDetails): void {
  if (session.isRaw) {
    session.printOne(account);
    return;
  }
  const { values, ...rest } = account;
  session.printOne(rest);
  printValues(session, values);
}

export function addMachineCommands(program: Command, io: CliContext): void {
  const machines = program.command('machines').description('list and show machine identities');
  exact(paged(machines.command('list')), machineStatuses)
    .description('list machine identities')
    .addOption(new Option('--classification <name>', 'only this classification').choices(machineClassifications))
    .option('--source <connector>', 'only those of this source: id or name of the connector')
    .option('--owner <identity>', 'only those for which this identity is responsible')
    .option('--min-risk <score>', 'only those with at least this risk score', wholeNumber)
    .option('--max-risk <score>', 'only those with at most this risk score', wholeNumber)
    .addOption(new Option('--sort <order>', 'risk: the highest risk first').choices(['risk']))
    .addHelpText('after', '\nExample:\n  $ idsync machines list --status orphaned --sort risk')
    .action(async (options: ListOptions, command: Command) => {
      const session = await Session.of(command, io);
      const list = await request<responses.MachineIdentity>(session, 'machine-identities', options);
      session.printList(list, ['id', 'name', 'classification', 'owner', 'risk', 'status'], (each) => [
        each.id,
        each.display_name,
        each.classification,
        each.owned_by,
        each.risk_score,
        each.status,
      ]);
    });

  machines
    .command('show')
    .description('show a machine identity, its people, its values and the factors of its risk score')
    .argument('<machine>', 'id of the machine identity: mid_…')
    .addHelpText('after', '\nExample:\n  $ idsync machines show mid_…')
    .action(async (id: string, _: object, command: Command) => {
      const session = await Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'machine-identities', id);
      printMachine(session, await session.client.get<responses.MachineIdentityDetails>(path));
    });
}

function printMachine(session: Session, machine: responses.MachineIdentityDetails): void {
  if (session.isRaw) {
    session.printOne(machine);
    return;
  }
  const { people, values, risk_factors, ...rest } = machine;
  session.printOne(rest);
  session.printTable(
    ['role', 'person', 'name', 'value in the source'],
    people.map(({ role, identity_id, name, named }) => [role, identity_id, name, named]),
  );
  session.printTable(
    ['factor', 'points'],
    risk_factors.map(({ factor, points }) => [factor, points]),
  );
  printValues(session, values);
}

function printValues(session: Session, values: Record<string, string[]>): void {
  session.printTable(
    ['field', 'value'],
    Object.entries(values).map(([field, list]) => [field, list.join(', ')]),
  );
}

function paged(command: Command): Command {
  return command
    .option('--limit <count>', 'maximum number of results', wholeNumber, 50)
    .option('--offset <count>', 'number of results to skip', wholeNumber, 0);
}

/** Filters of every list of people and records. */
function exact(command: Command, statuses: readonly string[]): Command {
  return command
    .option('--email <address>', 'only with this email address')
    .option('--number <number>', 'only with this employee number')
    .option('--upn <name>', 'only with this user principal name')
    .option('--external-id <id>', 'only the record with this id in the source --connector')
    .option('--connector <connector>', 'the source of --external-id: id or name of the connector')
    .addOption(new Option('--status <status>', 'only this status').choices(statuses))
    .option('--updated-since <date-time>', 'only those that changed at this time or later');
}

/** Filters of people that many may fulfil. */
function shared(command: Command): Command {
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
  return [...earlier, [`attributes.${name}`, value]];
}

async function request<Item>(
  session: Session,
  list: string,
  { text, ...options }: ListOptions & { text?: string; name?: string },
): Promise<List<Item>> {
  const query = new URLSearchParams(options.attribute);
  const connector = (given: string | undefined) => (given === undefined ? undefined : findConnector(session, given));
  const given = {
    q: text,
    email: options.email,
    employee_number: options.number,
    user_principal_name: options.upn,
    external_id: options.externalId,
    connector_id: await connector(options.connector),
    department: options.department,
    manager_id: options.manager,
    source: await connector(options.source),
    group: options.group,
    name: options.name,
    status: options.status,
    updated_since: options.updatedSince,
    matched: options.unmatched ? false : undefined,
    classification: options.classification,
    owned_by: options.owner,
    min_risk: options.minRisk,
    max_risk: options.maxRisk,
    sort: options.sort,
    limit: options.limit,
    offset: options.offset,
  };
  for (const [name, value] of Object.entries(given)) if (value !== undefined) query.set(name, String(value));
  return session.client.get<List<Item>>(`${pathOf('tenants', session.tenant, list)}?${query}`);
}

async function printIdentities(session: Session, options: ListOptions & { text?: string }): Promise<void> {
  const list = await request<ListedIdentity>(session, 'identities', options);
  session.printList(list, ['id', 'name', 'email', 'number', 'status'], (each) => [
    each.id,
    each.display_name,
    winner(each, 'email'),
    winner(each, 'employee_number'),
    each.status,
  ]);
}

/** The winner of a field is listed first. */
function winner({ attributes }: ListedIdentity, field: string): string | undefined {
  return attributes.find(({ field_name }) => field_name === field)?.field_value;
}
