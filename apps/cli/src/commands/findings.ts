import type { FindingPolicy, responses } from '@idsync/contracts';
import { findingKinds, findingStates } from '@idsync/contracts/fixed-values';
import type { CursorQuery } from '../admin-client.js';
import type { CliCommand } from '../cli-command.js';
import { counted } from '../counted.js';
import { operationExitCodes } from '../operation-outcome.js';
import type { Session } from '../session.js';
import { addSettings } from './settings.js';

const listHelp = `
A finding is open until its reason is gone (resolved) or an operator accepts it (accepted).

Example:
  $ idsync findings list --state open --kind leaver_with_account
  $ idsync findings list --subject idn_…`;

const acceptHelp = `
Example:
  $ idsync findings accept fnd_… --reason "mailbox kept for the handover" --until 2027-01-31T00:00:00Z
${operationExitCodes}`;

const policyExample = `
Example: accounts may wait three days for their person, and one source is read completely once a week:
  {"unmatched_account_hours":72,"connector_stale_hours":[{"connector_id":"con_…","hours":180}]}
  $ idsync findings policy set --file findings.json`;

export function addFindingCommands(program: CliCommand): void {
  const findings = program.add('findings', 'see and accept what needs the attention of an operator');

  findings
    .add('list', 'list findings, newest first')
    .choice('--kind <kind>', 'only this kind', findingKinds)
    .choice('--state <state>', 'only findings in this state', findingStates)
    .option('--subject <id>', 'only about this record or connector, or concerning this identity')
    .option('--since <time>', 'only findings that were first opened at or after this time')
    .cursored()
    .addHelpText('after', listHelp)
    .does(async (session, query: CursorQuery) => {
      session.printPage(await session.client.upTo('GET /findings', query), [
        'id',
        'kind',
        [
          'state',
          ({ state, accepted: { until } = {} }) => (state === 'accepted' && until ? `accepted until ${until}` : state),
        ],
        ['subject', 'subject_id'],
        'name',
        ['identity', 'identity_id'],
        'opened_at',
      ]);
    });

  findings.add('count', 'count the open findings by kind', '').does(async (session) => {
    const counts = await session.client.call('GET /findings/counts', {});
    session.printItems(counts, ['kind', ['open', counted]]);
  });

  findings
    .add('show <finding>', 'show a finding and its evidence', 'fnd_…')
    .prints((session, id: string) => session.client.call('GET /findings/{findingId}', id), print);

  findings
    .add('accept <finding>', 'accept a finding, so that it is no longer open')
    .requiredOption('--reason <text>', 'reason, stored with the finding')
    .option('--until <time>', 'when the finding is open again; permanently accepted if absent')
    .option('--by <name>', 'name of the operator')
    .addHelpText('after', acceptHelp)
    .printsOperation((session, id: string, options: { reason: string; until?: string; by?: string }) =>
      session.client.call('POST /findings/{findingId}/accept', id, options),
    );

  findings
    .add('reopen <finding>', 'withdraw the acceptance of a finding', 'fnd_…')
    .operation()
    .printsOperation((session, id: string, { reason }: { reason?: string }) =>
      session.client.call('POST /findings/{findingId}/reopen', id, { reason }),
    );

  addSettings(findings.add('policy', 'see and change when something is a finding'), {
    path: 'finding-policy',
    show: 'show the ages at which accounts and sources are findings',
    set: 'replace these settings; an absent one gets its default',
    help: policyExample,
    file: 'findings.json',
    content: 'the settings',
    print: printPolicy,
  });
}

function print(session: Session, { evidence, accepted, ...rest }: responses.Finding): void {
  const shown = Object.entries({ accepted: accepted ?? {}, evidence }).flatMap(([part, values]) =>
    Object.entries(values).map(([name, value]) => [`${part} ${name}`, value]),
  );
  session.printOne({ ...rest, ...Object.fromEntries(shown) });
}

function printPolicy(session: Session, { connector_stale_hours: connectors, ...rest }: FindingPolicy): void {
  session.printOne(rest);
  if (connectors.length > 0)
    session.printTable(connectors, [
      ['connector', 'connector_id'],
      ['stale hours', 'hours'],
    ]);
}
