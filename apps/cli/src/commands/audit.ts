import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { responses } from '@idsync/contracts';
import canonicalize from 'canonicalize';
import type { CursorQuery } from '../admin-client.js';
import type { CliCommand } from '../cli-command.js';
import { CliError, UsageError } from '../cli-error.js';
import type { CliContext } from '../printer.js';
import type { Session } from '../session.js';
import { table } from '../table.js';
import { addSettings } from './settings.js';

const listHelp = `
Examples: who released a job, and everything that one operator did in a week:
  $ idsync audit list --resource job_…
  $ idsync audit list --actor ci --since 2026-11-16T00:00:00Z --until 2026-11-23T00:00:00Z`;

const verifyHelp = `
Recomputes the chain of the tenant, and reports each entry that is missing or is not the one that was written. Keep the
printed head elsewhere, and give it to the next verification: it then also notices that a backup was restored over the
newest entries. --file checks an export without the service: its hashes, and that no entry between its first and its
last one is missing.

Exit codes: 0 no problem, 1 a problem was found or the command failed.

Example:
  $ idsync audit verify --known 120:9f86d081…
  $ idsync audit verify --installation
  $ idsync audit verify --file audit.jsonl`;

const exportHelp = `
Writes one entry a line, the oldest first.

Example:
  $ idsync audit export > audit.jsonl`;

export function addAuditCommands(program: CliCommand): void {
  const audit = program.add('audit', 'see, verify and export who did what');

  withFilters(audit.add('list', 'list audit entries, newest first'))
    .option('--all-tenants', 'entries of all tenants and of the installation')
    .cursored()
    .addHelpText('after', listHelp)
    .does(async (session, { allTenants, ...options }: CursorQuery & Filters & { allTenants?: true }) => {
      const query = { limit: options.limit, ...filtersOf(options), cursor: options.cursor };
      const list = allTenants
        ? await session.installation.upTo('GET /audit', query)
        : await session.client.upTo('GET /audit', query);
      session.printPage(list, [
        'at',
        ['actor', (each) => each.actor.name],
        ['role', (each) => each.actor.role],
        ['from', 'address'],
        ['action', actionOf],
        ['outcome', outcomeOf],
        'resource',
        ['reason', (each) => each.reason ?? each.error],
      ]);
    });

  withFilters(audit.add('export', 'write audit entries as JSON lines, oldest first'))
    .addHelpText('after', exportHelp)
    .does(async (session, options: Filters) => {
      if (session.format === 'json' || session.format === 'csv') {
        throw new UsageError(`an export has the format jsonl, got "${session.format}"; "idsync audit list" has others`);
      }
      let cursor: string | undefined;
      do {
        const query = { ...filtersOf(options), order: 'asc' as const, limit: 200, cursor };
        const page = await session.client.call('GET /audit', {}, query);
        for (const entry of page.data) session.print(`${JSON.stringify(entry)}\n`);
        cursor = page.next_cursor;
      } while (cursor !== undefined);
    });

  audit
    .add('verify', 'verify that no audit entry is missing or changed')
    .option('--known <sequence:hash>', 'the head that an earlier verification printed')
    .option('--installation', 'verify the chain of the installation instead of the one of the tenant')
    .option('--file <path>', 'verify this export, without the service')
    .addHelpText('after', verifyHelp)
    .does(async (session, options: { known?: string; installation?: true; file?: string }) => {
      const found =
        options.file === undefined ? await verify(session, options) : await verifyExport(options.file, session.io);
      session.show(found, () => printVerification(session, found));
      session.exit(found.problems.length === 0 ? 0 : 1);
    });

  addSettings(audit.add('policy', 'see and change what is recorded and approved'), {
    path: 'operator-policy',
    show: 'show the settings for operators',
    set: 'replace these settings; an absent one gets its default',
    help: `\nExample:\n  $ echo '{"log_reads":true}' | idsync audit policy set --file -`,
    file: 'policy.json',
    content: 'the settings',
  });
}

type Filters = Partial<Record<'actor' | 'action' | 'resource' | 'request' | 'since' | 'until', string>>;

/** An approval performs another act, which is what a reader looks for. */
function actionOf({ action, after }: responses.AuditEntry): string {
  const { action: performed } = (after ?? {}) as { action?: unknown };
  return action === 'approveApproval' && typeof performed === 'string' ? `${action} ${performed}` : action;
}

/** A request that waits for a second operator has changed nothing yet. */
function outcomeOf({ outcome, status, after }: responses.AuditEntry): string {
  if (status !== undefined) return `${outcome} ${status}`;
  const { waits_for_approval_until: until, approval_id: id } = (after ?? {}) as Record<string, unknown>;
  return until === undefined ? outcome : `waits for ${id}`;
}

function withFilters(command: CliCommand): CliCommand {
  return command
    .option('--actor <name>', 'only acts of this actor')
    .option('--action <action>', 'only this action, such as releaseSyncJob')
    .option('--resource <id>', 'only acts on this resource')
    .option('--request <id>', 'only acts of the request with this id')
    .option('--since <time>', 'only entries of this time or later')
    .option('--until <time>', 'only entries before this time');
}

function filtersOf({ actor, action, resource, request, since, until }: Filters) {
  return { actor, action, resource, request_id: request, since, until };
}

/** Reads the whole chain, a part with each request. */
async function verify(
  session: Session,
  { known, installation }: { known?: string; installation?: true },
): Promise<responses.AuditVerification> {
  const whole: responses.AuditVerification = { verified: 0, problems: [] };
  for (let after = 0; ; ) {
    const query = { after, known };
    const part = installation
      ? await session.installation.call('GET /audit/verification', {}, query)
      : await session.client.call('GET /audit/verification', {}, query);
    whole.verified += part.verified;
    whole.problems.push(...part.problems);
    if (part.head) whole.head = part.head;
    if (part.next_after === undefined) return whole;
    if (part.next_after <= after) throw new CliError('the service does not continue the verification');
    after = part.next_after;
  }
}

function printVerification(session: Session, { verified, problems, head }: responses.AuditVerification): void {
  if (problems.length > 0) session.print(table(['entry', 'problem'], problems.map(Object.values), session.terminal));
  session.print(
    `${verified} entries verified, ${problems.length === 0 ? 'no problem' : `${problems.length} problems`}\n`,
  );
  if (head) session.print(`head ${head.sequence}:${head.hash} at ${head.at}\n`);
}

/** Verifies an export without the service: needs no key, so it cannot notice a chain whose entries were all replaced. */
async function verifyExport(file: string, { cwd = process.cwd() }: CliContext): Promise<responses.AuditVerification> {
  const found: responses.AuditVerification = { verified: 0, problems: [] };
  let previous: responses.AuditEntry | undefined;
  const lines = createInterface({ input: createReadStream(resolve(cwd, file)), crlfDelay: Number.POSITIVE_INFINITY });
  try {
    for await (const line of lines) {
      if (line === '') continue;
      const entry = parse(line, found.verified + 1);
      for (let absent = (previous?.sequence ?? entry.sequence - 1) + 1; absent < entry.sequence; absent += 1) {
        found.problems.push({ sequence: absent, problem: 'missing' });
      }
      const { hash, ...hashed } = entry;
      const isIntact =
        createHash('sha256')
          .update(canonicalize(hashed) ?? '')
          .digest('hex') === hash;
      const isNext = previous?.sequence === entry.sequence - 1;
      if (!isIntact) found.problems.push({ sequence: entry.sequence, problem: 'changed' });
      else if (isNext && previous?.hash !== entry.previous_hash)
        found.problems.push({ sequence: entry.sequence, problem: 'unlinked' });
      found.verified += 1;
      found.head = { sequence: entry.sequence, hash, at: entry.at };
      previous = entry;
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`cannot read ${file}: ${(error as Error).message}`);
  }
  return found;
}

function parse(line: string, number: number): responses.AuditEntry {
  try {
    const entry = JSON.parse(line) as responses.AuditEntry;
    if (Number.isSafeInteger(entry.sequence) && typeof entry.hash === 'string') return entry;
  } catch {
    // Reported below.
  }
  throw new CliError(`line ${number} is not an audit entry`);
}
