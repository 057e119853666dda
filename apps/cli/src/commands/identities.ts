import type { Command } from 'commander';
import { pathOf } from '../admin-client.js';
import type { Explanation, Identity, LinkedRecord, Operation } from '../admin-replies.js';
import { confirm } from '../confirm.js';
import { exitCodeOf, operationExitCodes, printOperation } from '../operation-outcome.js';
import { Session, type Surroundings } from '../session.js';
import { table } from '../table.js';

const identityHelp = 'its id; that of one merged away finds the one that has its records';

interface Reasoned {
  reason?: string;
}

export function addIdentityCommands(program: Command, io: Surroundings, exit: (code: number) => void): void {
  const identities = program.command('identities').description('look into identities, merge, split and erase them');

  identities
    .command('show')
    .description('show an identity, its attributes and what is linked to it')
    .argument('<identity>', identityHelp)
    .option('--at <date-time>', 'as it was at this time')
    .addHelpText('after', '\nExample:\n  $ idsync identities show idn_… --at 2026-01-31T12:00:00Z')
    .action(async (id: string, { at }: { at?: string }, command: Command) => {
      const session = Session.of(command, io);
      const query = at === undefined ? '' : `?${new URLSearchParams({ at })}`;
      printIdentity(session, await session.client.get<Identity>(`${identityPath(session, id)}${query}`));
    });

  identities
    .command('explain')
    .description('tell which source won each field, over what, and why')
    .argument('<identity>', identityHelp)
    .addHelpText('after', '\nExample:\n  $ idsync identities explain idn_…')
    .action(async (id: string, _options: object, command: Command) => {
      const session = Session.of(command, io);
      printExplanation(session, await explain(session, id));
    });

  identities
    .command('merge')
    .description('make one person of several identities')
    .argument('<into>', 'the identity that stays')
    .argument('<from...>', 'those that go; their ids answer with the one that stays')
    .option('--reason <text>', 'kept with the operation')
    .addHelpText(
      'after',
      `\nIt is taken back by "idsync operations revert".\n\nExample:\n  $ idsync identities merge idn_1… idn_2…\n${operationExitCodes}`,
    )
    .action(async (into: string, from: string[], { reason }: Reasoned, command: Command) => {
      const session = Session.of(command, io);
      const path = identityPath(session, into, 'merge');
      end(session, await session.client.post<Operation>(path, { from_ids: from, reason }));
    });

  identities
    .command('split')
    .description('make another identity of some records of one')
    .argument('<identity>', 'the identity that keeps the other records')
    .argument('<record...>', 'ids of the users, accounts and machine identities that leave')
    .option('--reason <text>', 'kept with the operation')
    .addHelpText(
      'after',
      `\nIt is taken back by "idsync operations revert".\n\nExample:\n  $ idsync identities split idn_… usr_… acc_…\n${operationExitCodes}`,
    )
    .action(async (id: string, records: string[], { reason }: Reasoned, command: Command) => {
      const session = Session.of(command, io);
      const path = identityPath(session, id, 'split');
      end(session, await session.client.post<Operation>(path, { record_ids: records, reason }));
    });

  identities
    .command('erase')
    .description('remove every trace of one person, for good')
    .argument('<identity>', 'its id')
    .option('--reason <text>', 'kept with the operation')
    .option('--yes', 'do not ask')
    .addHelpText(
      'after',
      `\nNothing takes it back. A source that still lists the person brings them again.\n\nExample:\n  $ idsync identities erase idn_… --reason "request 17"\n${operationExitCodes}`,
    )
    .action(async (id: string, { reason, yes }: Reasoned & { yes?: boolean }, command: Command) => {
      const session = Session.of(command, io);
      const path = identityPath(session, id, 'erase');
      if (!yes) {
        const { display_name, records } = await explain(session, id);
        const machines = records.filter(({ kind }) => kind === 'machine_identity').length;
        const stay = machines > 0 ? `, machines that stay: ${machines}` : '';
        await confirm(io, `Erase ${display_name ?? id} for good (records: ${records.length - machines}${stay})?`);
      }
      end(session, await session.client.post<Operation>(path, { reason }));
    });

  function end(session: Session, operation: Operation): void {
    printOperation(session, operation);
    exit(exitCodeOf(operation.status));
  }
}

function identityPath(session: Session, ...rest: string[]): string {
  return pathOf('tenants', session.tenant, 'identities', ...rest);
}

function explain(session: Session, id: string): Promise<Explanation> {
  return session.client.get<Explanation>(identityPath(session, id, 'explain'));
}

function printIdentity(session: Session, identity: Identity): void {
  if (session.json) {
    session.printOne(identity);
    return;
  }
  const { attributes, users, accounts, machine_identities, ...rest } = identity;
  session.printOne(rest);
  const values = attributes.map((each) => [each.field_name, each.field_value, each.priority, each.source_id]);
  session.print(`\n${table(['field', 'value', 'priority', 'source'], values)}`);
  const rows = (kind: string, records: LinkedRecord[]) =>
    records.map((each) => [each.id, kind, each.identifier ?? each.external_id, each.display_name, each.status]);
  const linked = [
    ...rows('user', users),
    ...rows('account', accounts),
    ...rows('machine identity', machine_identities),
  ];
  session.print(`\n${table(['id', 'kind', 'called', 'name', 'status'], linked)}`);
}

function printExplanation(session: Session, found: Explanation): void {
  if (session.json) {
    session.printOne(found);
    return;
  }
  const { fields, records, ...rest } = found;
  session.printOne(rest);
  const source = ({ connector, connector_id }: { connector?: string; connector_id: string }) =>
    connector ?? connector_id;
  const values = fields.map(({ field, winner, over, because }) => [
    field,
    winner.value,
    source(winner),
    over.map((each) => `${each.value} (${source(each)})`),
    because,
  ]);
  session.print(`\n${table(['field', 'value', 'source', 'over', 'because'], values)}`);
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
  session.print(`\n${table(['id', 'kind', 'source', 'external id', 'status', 'linked by', 'in'], rows)}`);
}
