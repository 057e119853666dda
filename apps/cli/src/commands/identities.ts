import type { responses } from '@idsync/contracts';
import type { Command } from 'commander';
import { pathOf } from '../admin-client.js';
import { confirm } from '../confirm.js';
import { shownConnectorNames } from '../find-connector.js';
import { exitCodeOf, operationExitCodes, printOperation } from '../operation-outcome.js';
import { personName } from '../person-name.js';
import { type CliContext, Session } from '../session.js';
import { addHistoryCommand } from './history.js';
import { addIdentityList } from './lists.js';

const identityHelp = 'id of the identity; the id of a merged identity resolves to the one that has its records';

/** The table's fields of users, accounts and machine identities; no kind has all of them. */
type LinkedRecord = Partial<
  Pick<responses.Account, 'id' | 'external_id' | 'identifier' | 'display_name' | 'first_name' | 'last_name'>
> & {
  status: string;
};

interface ReasonOption {
  reason?: string;
}

interface EraseOptions extends ReasonOption {
  yes?: boolean;
  allowReturn?: boolean;
}

export function addIdentityCommands(program: Command, io: CliContext, exit: (code: number) => void): void {
  const identities = program
    .command('identities')
    .description('list, show, explain, merge, split and erase identities');

  addIdentityList(identities, io);

  identities
    .command('show')
    .description('show an identity, its attributes and its linked records')
    .argument('<identity>', identityHelp)
    .option('--at <date-time>', 'show the state at this time')
    .addHelpText('after', '\nExample:\n  $ idsync identities show idn_… --at 2026-01-31T12:00:00Z')
    .action(async (id: string, { at }: { at?: string }, command: Command) => {
      const session = await Session.of(command, io);
      const query = at === undefined ? '' : `?${new URLSearchParams({ at })}`;
      await printIdentity(
        session,
        await session.client.get<responses.Identity>(`${identityPath(session, id)}${query}`),
      );
    });

  addHistoryCommand(identities, io);

  identities
    .command('explain')
    .description('show the source of each field and why, and why each record belongs to the identity')
    .argument('<identity>', identityHelp)
    .addHelpText('after', '\nExample:\n  $ idsync identities explain idn_…')
    .action(async (id: string, _options: object, command: Command) => {
      const session = await Session.of(command, io);
      printExplanation(session, await explain(session, id));
    });

  identities
    .command('merge')
    .description('merge identities into one')
    .argument('<into>', 'the identity that remains')
    .argument('<from...>', 'the identities to merge; their ids resolve to the remaining identity')
    .option('--reason <text>', 'reason, stored with the operation')
    .addHelpText(
      'after',
      `\nRevert it with "idsync operations revert".\n\nExample:\n  $ idsync identities merge idn_1… idn_2…\n${operationExitCodes}`,
    )
    .action(async (into: string, from: string[], { reason }: ReasonOption, command: Command) => {
      const session = await Session.of(command, io);
      const path = identityPath(session, into, 'merge');
      finish(session, await session.client.post<responses.Operation>(path, { from_ids: from, reason }));
    });

  identities
    .command('split')
    .description('move records of an identity to a new identity')
    .argument('<identity>', 'the identity that keeps the other records')
    .argument('<record...>', 'ids of the users, accounts and machine identities to move')
    .option('--reason <text>', 'reason, stored with the operation')
    .addHelpText(
      'after',
      `\nRevert it with "idsync operations revert".\n\nExample:\n  $ idsync identities split idn_… usr_… acc_…\n${operationExitCodes}`,
    )
    .action(async (id: string, records: string[], { reason }: ReasonOption, command: Command) => {
      const session = await Session.of(command, io);
      const path = identityPath(session, id, 'split');
      finish(session, await session.client.post<responses.Operation>(path, { record_ids: records, reason }));
    });

  identities
    .command('erase')
    .description('permanently remove all personal data of an identity')
    .argument('<identity>', 'id of the identity')
    .option('--reason <text>', 'reason, stored with the operation')
    .option('--allow-return', 'create the person again when a source still lists them')
    .option('--yes', 'skip the confirmation')
    .addHelpText(
      'after',
      `\nThis cannot be reverted. The person is left out of later runs until "idsync suppressions lift".\n\nExample:\n  $ idsync identities erase idn_… --reason "request 17"\n${operationExitCodes}`,
    )
    .action(async (id: string, { reason, yes, allowReturn }: EraseOptions, command: Command) => {
      const session = await Session.of(command, io);
      const path = identityPath(session, id, 'erase');
      if (!yes) {
        const { display_name, records } = await explain(session, id);
        const machines = records.filter(({ kind }) => kind === 'machine_identity').length;
        const remaining = machines > 0 ? `, machine identities that remain: ${machines}` : '';
        const erased = records.length - machines;
        await confirm(io, `Permanently erase ${display_name ?? id} (records: ${erased}${remaining})?`);
      }
      const body = { reason, ...(allowReturn && { keep_out: false }) };
      finish(session, await session.client.post<responses.Operation>(path, body));
    });

  function finish(session: Session, operation: responses.Operation): void {
    printOperation(session, operation);
    exit(exitCodeOf(operation.status));
  }
}

function identityPath(session: Session, ...rest: string[]): string {
  return pathOf('tenants', session.tenant, 'identities', ...rest);
}

function explain(session: Session, id: string): Promise<responses.Explanation> {
  return session.client.get<responses.Explanation>(identityPath(session, id, 'explain'));
}

async function printIdentity(session: Session, identity: responses.Identity): Promise<void> {
  if (session.isRaw) {
    session.printOne(identity);
    return;
  }
  const { attributes, users, accounts, machine_identities, ...rest } = identity;
  session.printOne(rest);
  const ids = attributes.map(({ source_id }) => source_id);
  const names = await shownConnectorNames(session, ids);
  const values = attributes.map(({ field_name, field_value, priority, source_id }) => [
    field_name,
    field_value,
    priority,
    names.get(source_id) ?? source_id,
  ]);
  session.printTable(['field', 'value', 'priority', 'source'], values);
  const rows = (kind: string, records: LinkedRecord[]) =>
    records.map((each) => [each.id, kind, each.identifier ?? each.external_id, personName(each), each.status]);
  const linked = [
    ...rows('user', users),
    ...rows('account', accounts),
    ...rows('machine identity', machine_identities),
  ];
  session.printTable(['id', 'kind', 'identifier', 'name', 'status'], linked);
}

function printExplanation(session: Session, found: responses.Explanation): void {
  if (session.isRaw) {
    session.printOne(found);
    return;
  }
  const { fields, records, ...rest } = found;
  session.printOne(rest);
  const source = (from: { connector?: string; connector_id: string; connector_deleted_at?: string }) =>
    `${from.connector ?? from.connector_id}${from.connector_deleted_at === undefined ? '' : ' (deleted)'}`;
  const values = fields.map(({ field, winner, over, because }) => [
    field,
    winner.value || 'nothing',
    source(winner),
    over.map((each) => `${each.value || 'nothing'} (${source(each)})${otherReason(each.because)}`),
    because,
  ]);
  session.printTable(['field', 'value', 'source', 'overridden', 'reason'], values);
  const names = new Map(
    fields.flatMap(({ winner, over }) => [winner, ...over].map((each) => [each.connector_id, source(each)])),
  );
  const rows = records.map((each) => [
    each.id,
    each.kind,
    names.get(each.connector_id) ?? each.connector_id,
    each.external_id,
    each.status,
    each.linked,
    each.by,
  ]);
  session.printTable(['id', 'kind', 'source', 'external id', 'status', 'linked by', 'job or operation'], rows);
  const links = records.flatMap(({ id, evidence }) => {
    if (!evidence) return [];
    const { kind, rule, score, values = [], record_id, at, reason } = evidence;
    const how = [kind, rule, score !== undefined && `(score ${score})`].filter(Boolean).join(' ');
    const compared = values.map(({ value, other }) => `${value ?? '?'} = ${other ?? '?'}`);
    return [[id, how, compared, record_id, at, reason]];
  });
  if (links.length === 0) return;
  session.printTable(['record', 'evidence', 'values', 'other record', 'linked at', 'reason'], links);
}

/** The reason of the winner says that the others rank lower. */
function otherReason(because: string | undefined): string {
  return because === undefined || because.startsWith('ranked lower') ? '' : `: ${because}`;
}
