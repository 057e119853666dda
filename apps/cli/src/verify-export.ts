import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { responses } from '@idsync/contracts';
import canonicalize from 'canonicalize';
import { CliError } from './cli-error.js';
import type { CliContext } from './session.js';

/** Verifies an export without the service: needs no key, so it cannot notice a chain whose entries were all replaced. */
export async function verifyExport(
  file: string,
  { cwd = process.cwd() }: CliContext,
): Promise<responses.AuditVerification> {
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
