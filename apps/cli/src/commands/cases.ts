import type { responses } from '@idsync/contracts';
import { caseStatuses } from '@idsync/contracts/fixed-values';
import { Argument } from 'commander';
import type { PageQuery } from '../admin-client.js';
import { personName } from '../cells.js';
import type { CliCommand } from '../cli-command.js';
import { UsageError } from '../cli-error.js';
import { operationExitCodes, printOperation } from '../operation-outcome.js';
import type { Session } from '../session.js';

const decisions = `
  link    link the record to the identity given by --identity
  new     the record belongs to none of the candidates; matching never links it to them automatically
  ignore  leave the record as it is; the case reopens only if there is a new candidate

Example:
  $ idsync cases resolve cas_… link --identity idn_… --reason "asked HR"
${operationExitCodes}`;

export function addCaseCommands(program: CliCommand): void {
  const cases = program.add('cases', 'review records that matching could not assign with certainty');

  cases
    .add('list', 'list review cases, oldest first', '--status ignored')
    .choice('--status <status>', 'only cases in this status', caseStatuses, 'open')
    .paged()
    .does(async (session, query: PageQuery) => {
      session.printList(await session.client.call('GET /cases', {}, query), [
        'id',
        ['record', ({ record }) => `${record.kind} ${record.external_id}`],
        ['name', ({ record }) => personName(record.document)],
        'reason',
        ['candidates', (each) => each.candidates.map(({ identity_id, display_name }) => display_name ?? identity_id)],
        'opened_at',
      ]);
    });

  cases
    .add('show', 'show a case: the record and its candidates', 'cas_…')
    .argument('<case>', 'id of the case, from "idsync cases list"')
    .prints((session, id: string) => session.client.call('GET /cases/{caseId}', id), printCase);

  cases
    .add('resolve <case>', 'decide which identity the record of a case belongs to')
    .addArgument(new Argument('<decision>', 'see below').choices(['link', 'new', 'ignore']))
    .option('--identity <id>', 'with link: id of the identity, a candidate or any other')
    .option('--reason <text>', 'reason, stored with the operation')
    .addHelpText('after', decisions)
    .does(async (session, id: string, resolution: 'link' | 'new' | 'ignore', { identity, reason }: ResolveOptions) => {
      if ((resolution === 'link') !== (identity !== undefined)) {
        throw new UsageError('--identity is required with link and not allowed with new or ignore');
      }
      printOperation(
        session,
        await session.client.call('POST /cases/{caseId}/resolve', id, { resolution, identity_id: identity, reason }),
      );
    });
}

interface ResolveOptions {
  identity?: string;
  reason?: string;
}

function printCase(session: Session, found: responses.ReviewCase): void {
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
  session.printTable(candidates, [['candidate', 'identity_id'], ['name', 'display_name'], 'score', 'evidence']);
  for (const { identity_id, compared = [] } of candidates) {
    if (compared.length === 0) continue;
    session.printTable(
      compared,
      ['field', ['record', 'value'], ['candidate', 'other'], ['', ({ agrees }) => outcomeOf(agrees)]],
      identity_id,
    );
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
