import type { responses } from '@idsync/contracts';
import { Argument, type Command, Option } from 'commander';
import { type List, pathOf } from '../admin-client.js';
import { UsageError } from '../cli-error.js';
import { caseStatuses } from '../fixed-values.js';
import { exitCodeOf, operationExitCodes, printOperation } from '../operation-outcome.js';
import { personName } from '../person-name.js';
import { type CliContext, Session } from '../session.js';
import { wholeNumber } from '../whole-number.js';

const decisions = `
  link    link the record to the identity given by --identity
  new     the record belongs to none of the candidates; matching never links it to them automatically
  ignore  leave the record as it is; the case reopens only if there is a new candidate

Example:
  $ idsync cases resolve cas_… link --identity idn_… --reason "asked HR"
${operationExitCodes}`;

interface ListOptions {
  status: string;
  limit: number;
  offset: number;
}

export function addCaseCommands(program: Command, io: CliContext, exit: (code: number) => void): void {
  const cases = program.command('cases').description('review records that matching could not assign with certainty');

  cases
    .command('list')
    .description('list review cases, oldest first')
    .addOption(new Option('--status <status>', 'only cases in this status').choices(caseStatuses).default('open'))
    .option('--limit <count>', 'maximum number of results', wholeNumber, 50)
    .option('--offset <count>', 'number of results to skip', wholeNumber, 0)
    .addHelpText('after', '\nExample:\n  $ idsync cases list --status ignored')
    .action(async ({ status, limit, offset }: ListOptions, command: Command) => {
      const session = await Session.of(command, io);
      const query = new URLSearchParams({ status, limit: String(limit), offset: String(offset) });
      const path = `${pathOf('tenants', session.tenant, 'cases')}?${query}`;
      const list = await session.client.get<List<responses.ReviewCase>>(path);
      session.printList(list, ['id', 'record', 'name', 'reason', 'candidates', 'opened'], (each) => [
        each.id,
        `${each.record.kind} ${each.record.external_id}`,
        personName(each.record.document),
        each.reason,
        each.candidates.map(({ identity_id, display_name }) => display_name ?? identity_id),
        each.opened_at,
      ]);
    });

  cases
    .command('show')
    .description('show a case: the record and its candidates')
    .argument('<case>', 'id of the case, from "idsync cases list"')
    .addHelpText('after', '\nExample:\n  $ idsync cases show cas_…')
    .action(async (id: string, _options: object, command: Command) => {
      const session = await Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'cases', id);
      printCase(session, await session.client.get<responses.ReviewCase>(path));
    });

  cases
    .command('resolve')
    .description('decide which identity the record of a case belongs to')
    .argument('<case>', 'id of the case')
    .addArgument(new Argument('<decision>', 'see below').choices(['link', 'new', 'ignore']))
    .option('--identity <id>', 'with link: id of the identity, a candidate or any other')
    .option('--reason <text>', 'reason, stored with the operation')
    .addHelpText('after', decisions)
    .action(async (id: string, resolution: string, options: ResolveOptions, command: Command) => {
      if ((resolution === 'link') !== (options.identity !== undefined)) {
        throw new UsageError('--identity is required with link and not allowed with new or ignore');
      }
      const session = await Session.of(command, io);
      const path = pathOf('tenants', session.tenant, 'cases', id, 'resolve');
      const operation = await session.client.post<responses.Operation>(path, {
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

function printCase(session: Session, found: responses.ReviewCase): void {
  if (session.isRaw) {
    session.printOne(found);
    return;
  }
  const { record, candidates, ...rest } = found;
  const { document, ...place } = record;
  const shown = Object.entries({
    ...place,
    name: personName(document),
    email: emailOf(found),
    status: document.status,
  });
  session.printOne({
    ...rest,
    ...Object.fromEntries(shown.map(([field, value]) => [`record ${field}`, value])),
  });
  const rows = candidates.map((each) => [each.identity_id, each.display_name, each.score, each.evidence]);
  session.printTable(['candidate', 'name', 'score', 'evidence'], rows);
  for (const { identity_id, compared = [] } of candidates) {
    if (compared.length === 0) continue;
    const values = compared.map(({ field, value, other, agrees }) => [field, value, other, outcomeOf(agrees)]);
    session.printTable(['field', 'record', 'candidate', ''], values, identity_id);
  }
  const decide = `idsync cases resolve ${found.id}`;
  if (found.status === 'open') {
    session.note(`decide with "${decide} link --identity idn_…", "${decide} new" or "${decide} ignore"`);
  }
}

function outcomeOf(agrees: boolean | undefined): string {
  if (agrees === undefined) return 'missing';
  return agrees ? 'same' : 'differs';
}

/** The document of an account has no email, but the comparison with a candidate shows it. */
function emailOf({ record, candidates }: responses.ReviewCase): unknown {
  const compared = candidates.flatMap((each) => each.compared ?? []);
  return record.document.email ?? compared.find(({ field, value }) => field === 'email' && value !== undefined)?.value;
}
