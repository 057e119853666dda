import type { responses } from '@idsync/contracts';
import type { Command } from 'commander';
import { type List, pathOf } from '../admin-client.js';
import { type CliContext, Session } from '../session.js';
import { wholeNumber } from '../whole-number.js';

interface ListOptions {
  email?: string;
  number?: string;
  upn?: string;
  status?: string;
  unmatched?: boolean;
  classification?: string;
  owner?: string;
  minRisk?: number;
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
  personal(paged(identities.command('list')))
    .description('list identities, or those with a value in any of their records')
    .option('--status <status>', 'only this status')
    .addHelpText('after', '\nExample:\n  $ idsync identities list --email ann@example.org')
    .action(async (options: ListOptions, command: Command) => {
      await printIdentities(await Session.of(command, io), options);
    });
}

export function addAccountCommands(program: Command, io: CliContext): void {
  const accounts = program.command('accounts').description('list accounts');
  personal(paged(accounts.command('list')))
    .description('list accounts')
    .option('--unmatched', 'only accounts that are linked to no identity')
    .option('--status <status>', 'only this status')
    .addHelpText('after', '\nExample:\n  $ idsync accounts list --unmatched')
    .action(async (options: ListOptions, command: Command) => {
      const session = await Session.of(command, io);
      const list = await request<responses.Account>(session, 'accounts', options);
      session.printList(list, ['id', 'identifier', 'name', 'status', 'identity'], (each) => [
        each.id,
        each.identifier,
        each.display_name,
        each.status,
        each.person_id,
      ]);
    });
}

export function addMachineCommands(program: Command, io: CliContext): void {
  const machines = program.command('machines').description('list machine identities');
  paged(machines.command('list'))
    .description('list machine identities')
    .option('--classification <name>', 'only this classification, such as service_account')
    .option('--owner <identity>', 'only those for which this identity is responsible')
    .option('--min-risk <score>', 'only those with at least this risk score', wholeNumber)
    .option('--status <status>', 'only this status, such as orphaned')
    .addHelpText('after', '\nExample:\n  $ idsync machines list --status orphaned')
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
}

function paged(command: Command): Command {
  return command
    .option('--limit <count>', 'maximum number of results', wholeNumber, 50)
    .option('--offset <count>', 'number of results to skip', wholeNumber, 0);
}

function personal(command: Command): Command {
  return command
    .option('--email <address>', 'only with this email address')
    .option('--number <number>', 'only with this employee number')
    .option('--upn <name>', 'only with this user principal name');
}

function request<Item>(
  session: Session,
  list: string,
  { text, ...options }: ListOptions & { text?: string },
): Promise<List<Item>> {
  const query = new URLSearchParams();
  const given = {
    q: text,
    email: options.email,
    employee_number: options.number,
    user_principal_name: options.upn,
    status: options.status,
    matched: options.unmatched ? false : undefined,
    classification: options.classification,
    owned_by: options.owner,
    min_risk: options.minRisk,
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
