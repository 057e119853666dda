import { AndFilter, type Filter, GreaterThanEqualsFilter } from 'ldapts';
import { z } from 'zod';
import { CheckpointExpired, type Cursor, SourceError } from '../connector.js';
import type { DirectoryServer } from './directory-server.js';
import { firstText } from './entry-values.js';
import type { LdapEntry } from './ldap-messages.js';

/**
 * The position in the changes of a directory: the update sequence number of one domain controller, or the newest
 * modification time by the clock of the server. `config`, `groups` and `roles` are fingerprints of the configuration, the
 * groups and the roles at that time.
 */
const checkpointShape = z.object({
  config: z.string(),
  groups: z.string().optional(),
  roles: z.string().optional(),
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
  if (!parsed.success) throw new CheckpointExpired('the checkpoint is invalid');
  return parsed.data;
}

/** Returns the filter for changes since a checkpoint. Throws CheckpointExpired if this server cannot report them. */
export function changedSince(since: Checkpoint, config: string, { kind, replica }: DirectoryServer): Filter {
  if (since.config !== config) throw new CheckpointExpired('the configuration has changed');
  if (kind === 'active_directory') {
    // Numbers are valid for one domain controller until it is restored.
    if (!replica || since.usn === undefined || since.invocation !== replica.invocationId) {
      throw new CheckpointExpired('a domain controller other than the one of the checkpoint responded');
    }
    const next = BigInt(since.usn) + 1n;
    // The controller was rolled back without a new invocation id, so that its numbers repeat.
    if (next > replica.highestUsn + 1n)
      throw new CheckpointExpired('the domain controller was rolled back to before the checkpoint');
    return new GreaterThanEqualsFilter({ attribute: 'uSNChanged', value: String(next) });
  }
  if (since.changed === undefined) throw new CheckpointExpired('the checkpoint contains no modification time');
  return new GreaterThanEqualsFilter({ attribute: 'modifyTimestamp', value: generalizedTime(since.changed) });
}

/** Tracks the newest modifyTimestamp of listed entries for the checkpoint. */
export class Clock {
  private newest: number | undefined;
  private readonly began = performance.now();

  record(entry: LdapEntry): void {
    const time = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.\d+)?Z$/.exec(firstText(entry, 'modifyTimestamp') ?? '');
    if (!time) return;
    const [year = 0, month = 0, ...rest] = time.slice(1).map(Number);
    const seen = Date.UTC(year, month - 1, ...rest) / 1_000;
    if (this.newest === undefined || seen > this.newest) this.newest = seen;
  }

  /**
   * Seconds since 1970. Subtracts the duration of the listing, because an entry may have changed after it was listed
   * and before the newest one was, and `overlap` for changes within the same second and for replication lag.
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
  if (!/^\d{4}-/.test(iso)) throw new SourceError('the checkpoint contains an invalid time');
  return `${iso.slice(0, 19).replace(/[-:T]/g, '')}Z`;
}
