import { Argument, type Command } from 'commander';
import { pathOf } from '../admin-client.js';
import type { List, Operation, ReviewCase } from '../admin-replies.js';
import { CliError } from '../cli-error.js';
import { exitCodeOf, operationExitCodes, printOperation } from '../operation-outcome.js';
import { Session, type Surroundings } from '../session.js';
import { table } from '../table.js';
import { wholeNumber } from '../whole-number.js';

const decisions = `
  link    the record belongs to the person that --identity names
  new     the record is somebody else; it is never joined with the candidates by itself
  ignore  leave it as it is, and ask again only if somebody new could be meant

Example:
  $ idsync cases resolve cas_… link --identity idn_… --reason "asked HR"
${operationExitCodes}`;

interface ListOptions {
  status: string;
  limit: number;
  offset: number;
}

export function addCaseCommands(program: Command, io: Surroundings, exit: (code: number) => void): void {
  const cases = program.command('cases').description('decide about records that could belong to somebody');

  cases
    .command('list')
    .description('list the cases, the oldest first')
    .option('--status <status>', 'open, linked, new, ignored or settled', 'open')
    .option('--limit <count>', 'at most this many', wholeNumber, 50)
    .option('--offset <count>', 'leave out this many first', wholeNumber, 0)
    .addHelpText('after', '\nExample:\n  $ idsync cases list --status ignored')
    .action(async ({ status, limit, offset }: ListOptions, command: Command) => {
      const session = Session.of(command, io);
      const query = new URLSearchParams({ status, limit: String(limit), offset: String(offset) });
      const path = `${pathOf('tenants', session.tenant, 'cases')}?${query}`;
      const list = await session.client.get<List<ReviewCase>>(path);
      session.printList(list, ['id', 'record', 'name', 'because', 'could be', 'opened'], (each) => [
        each.id,
        `${each.record.kind} ${each.record.external_id}`,
        nameOf(each.record.document),
        each.reason,
        each.candidates.map(({ identity_id, display_name }) => display_name ?? identity_id),
        each.opened_at,
      ]);
    });

  cases
    .command('show')
    .description('show a case: the record, and whom it could belong to')
    .argument('<case>', 'its id, from "idsync cases list"')
    .addHelpText('after', '\nExample:\n  $ idsync cases show cas_…')
    .action(async (id: string, _options: object, command: Command) => {
      const session = Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'cases', id);
      printCase(session, await session.client.get<ReviewCase>(path));
    });

  cases
    .command('resolve')
    .description('decide whose the record of a case is')
    .argument('<case>', 'its id')
    .addArgument(new Argument('<decision>', 'see below').choices(['link', 'new', 'ignore']))
    .option('--identity <id>', 'with link: whom the record belongs to, one of the candidates or anybody else')
    .option('--reason <text>', 'kept with the operation')
    .addHelpText('after', decisions)
    .action(async (id: string, resolution: string, options: ResolveOptions, command: Command) => {
      if ((resolution === 'link') !== (options.identity !== undefined)) {
        throw new CliError('--identity is needed with link, and with nothing else');
      }
      const session = Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'cases', id, 'resolve');
      const operation = await session.client.post<Operation>(path, {
        resolution,
        identity_id: options.identity,
        reason: options.reason,
      });
      printOperation(session, operation);
      exit(exitCodeOf(operation.status));
    });
}

interface ResolveOptions {
  identity?: string;
  reason?: string;
}

function printCase(session: Session, found: ReviewCase): void {
  if (session.json) {
    session.printOne(found);
    return;
  }
  const { record, candidates, ...rest } = found;
  const { document, ...place } = record;
  const shown = Object.entries({ ...place, name: nameOf(document), email: document.email, status: document.status });
  session.printOne({
    ...rest,
    ...Object.fromEntries(shown.map(([field, value]) => [`record ${field}`, value])),
  });
  const rows = candidates.map((each) => [each.identity_id, each.display_name, each.score, each.evidence]);
  session.print(`\n${table(['could be', 'name', 'score', 'because'], rows)}`);
}

function nameOf(document: Record<string, unknown>): unknown {
  const names = [document.first_name, document.last_name].filter((name) => name !== undefined);
  return document.display_name ?? names.join(' ');
}
