import { AndFilter, type Filter, GreaterThanEqualsFilter } from 'ldapts';
import { z } from 'zod';
import { CheckpointExpired, type Cursor, SourceError } from '../connector.js';
import type { DirectoryServer } from './directory-server.js';
import { firstText } from './entry-values.js';
import type { LdapEntry } from './ldap-messages.js';

/**
 * Up to where the changes of a directory are known: by the numbers of one domain controller, or by the newest time that was seen,
 * which is the server's own. `config` and `groups` stand for what it was read with, and for the groups as they were.
 */
export const checkpointShape = z.object({
  config: z.string(),
  groups: z.string().optional(),
  invocation: z.string().optional(),
  usn: z
    .string()
    .regex(/^\d{1,19}$/)
    .optional(),
  changed: z.int().optional(),
});
export type Checkpoint = z.infer<typeof checkpointShape>;

export function readCheckpoint(since: Cursor): Checkpoint {
  const parsed = checkpointShape.safeParse(since);
  if (!parsed.success) throw new CheckpointExpired('what is known of the changes cannot be read');
  return parsed.data;
}

/** The filter for what has changed since. Throws CheckpointExpired where this server cannot tell. */
export function changedSince(since: Checkpoint, config: string, { kind, replica }: DirectoryServer): Filter {
  if (since.config !== config) throw new CheckpointExpired('the configuration has changed');
  if (kind === 'active_directory') {
    // Numbers are those of one domain controller, and of one restore of it.
    if (!replica || since.usn === undefined || since.invocation !== replica.invocationId) {
      throw new CheckpointExpired('another domain controller answers than the one that was read');
    }
    const next = BigInt(since.usn) + 1n;
    // Set back without telling: what it numbers anew is not what was read.
    if (next > replica.highestUsn + 1n) throw new CheckpointExpired('the domain controller has forgotten changes');
    return new GreaterThanEqualsFilter({ attribute: 'uSNChanged', value: String(next) });
  }
  if (since.changed === undefined) throw new CheckpointExpired('there is no time to ask for changes since');
  return new GreaterThanEqualsFilter({ attribute: 'modifyTimestamp', value: generalizedTime(since.changed) });
}

/** The newest modifyTimestamp of what was listed, and the checkpoint that it makes. */
export class Clock {
  private newest: number | undefined;
  private readonly began = performance.now();

  see(entry: LdapEntry): void {
    const time = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.\d+)?Z$/.exec(firstText(entry, 'modifyTimestamp') ?? '');
    if (!time) return;
    const [year = 0, month = 0, ...rest] = time.slice(1).map(Number);
    const seen = Date.UTC(year, month - 1, ...rest) / 1_000;
    if (this.newest === undefined || seen > this.newest) this.newest = seen;
  }

  /**
   * Seconds since 1970. An entry may have changed after it was listed and before the newest was: the time that listing took is taken
   * off, and `overlap` for the changes of a second that was not over, and for replicas that lag.
   */
  checkpoint(overlap: number, before: number | undefined): number | undefined {
    if (this.newest === undefined) return before;
    const elapsed = Math.ceil((performance.now() - this.began) / 1_000);
    return Math.max(this.newest - elapsed - overlap, before ?? 0);
  }
}

export function both(...filters: Filter[]): Filter {
  return new AndFilter({ filters });
}

function generalizedTime(seconds: number): string {
  const iso = new Date(seconds * 1_000).toISOString();
  if (!/^\d{4}-/.test(iso)) throw new SourceError('a time is none');
  return `${iso.slice(0, 19).replace(/[-:T]/g, '')}Z`;
}
