import { existsSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { CliError, UnreachableError } from './cli-error.js';
import type { Session } from './session.js';

/** How long an export that has begun is continued without new lines. */
const longestOutageMs = 300_000;
const firstPauseMs = 500;
const longestPauseMs = 30_000;
/** Responses that may end in their middle without a new position; `fetch` reports some lost connections as such an end. */
const maxEnds = 3;
/** A gateway of an earlier version sends no positions, so that its lines are not kept until the next one. */
const maxPending = 16 * 1_024 * 1_024;

/** Returns the number of lines of each kind. The file appears under its name only when it is complete. */
export async function exportTo(session: Session, tenant: string, file: string): Promise<Record<string, number>> {
  if (existsSync(file)) throw new CliError(`${file} exists: choose another file`);
  const part = `${file}.${process.pid}.part`;
  // The file contains personal data.
  const handle = await open(part, 'w', 0o600);
  const lines = new ExportLines(handle, file.endsWith('.gz'));
  try {
    await receive(session, tenant, lines);
    await handle.sync();
    await handle.close();
    await rename(part, file);
    return lines.counted;
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(part, { force: true });
    if (error instanceof CliError) throw error;
    throw new CliError(`the export failed: ${(error as Error).message}; repeat it`);
  }
}

/** Reads the export, and continues it at its last position if the connection is lost or the gateway is unavailable. */
async function receive(session: Session, tenant: string, lines: ExportLines): Promise<void> {
  let hasBegun = false;
  let progressAt = Date.now();
  let ends = 0;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    const { position } = lines;
    try {
      const body = await session.installation.download('GET /tenants/{tenantId}/export', tenant, { after: position });
      hasBegun = true;
      for await (const chunk of untilLost(body)) await lines.add(chunk);
      if (lines.isComplete) return;
      ends = lines.position === position ? ends + 1 : 0;
      if (ends === maxEnds) throw incomplete();
      throw new UnreachableError('the connection was lost');
    } catch (error) {
      if (lines.isComplete) return;
      const hasProgress = lines.position !== position;
      if (hasProgress) progressAt = Date.now();
      const isTooLong = Date.now() - progressAt > longestOutageMs;
      if (!(error instanceof UnreachableError) || !hasBegun || !lines.canContinue || isTooLong) throw error;
      if (hasProgress || pauseMs === firstPauseMs) session.note(`${error.message}; the export continues`);
      if (hasProgress) pauseMs = firstPauseMs;
    }
    lines.forgetRest();
    await pause(pauseMs);
  }
}

async function* untilLost(body: Readable): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* body;
  } catch (error) {
    throw new UnreachableError(`the connection was lost (${(error as Error).message})`);
  }
}

function incomplete(): CliError {
  return new CliError('the export is incomplete: the connection ended early; repeat it');
}

const beginning = /^\{"kind":"(\w+)"(?:,"position":"([\w-]+)")?/;

/**
 * Writes the lines up to each position together, so that the file never has lines that are sent again. A compressed file is
 * a sequence of gzip members.
 */
class ExportLines {
  /** Where the export can be continued. */
  position: string | undefined;
  /** Number of lines of each kind, without the last line. */
  counted: Record<string, number> = {};
  isComplete = false;
  /** False after lines were written that no position follows. */
  canContinue = true;
  private countedBefore: Record<string, number> = {};
  private pending: Buffer[] = [];
  private pendingBytes = 0;
  private rest = Buffer.alloc(0);

  constructor(
    private readonly file: FileHandle,
    private readonly isCompressed: boolean,
  ) {}

  async add(chunk: Buffer): Promise<void> {
    const bytes = Buffer.concat([this.rest, chunk]);
    let from = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      await this.addLine(bytes.subarray(from, end + 1));
      from = end + 1;
    }
    this.rest = bytes.subarray(from);
    if (this.isComplete && this.rest.length > 0) throw incomplete();
  }

  /** Forgets the lines behind the position. */
  forgetRest(): void {
    this.rest = Buffer.alloc(0);
    this.pending = [];
    this.pendingBytes = 0;
    this.counted = { ...this.countedBefore };
  }

  private async addLine(line: Buffer): Promise<void> {
    if (this.isComplete) throw incomplete();
    this.pending.push(line);
    this.pendingBytes += line.length;
    const [, kind = '?', position] = beginning.exec(line.toString('utf8', 0, 8_192)) ?? [];
    if (kind === 'end') {
      if (!sameCounts(endOf(line.toString()), this.counted)) throw incomplete();
      await this.write();
      this.isComplete = true;
      return;
    }
    this.counted[kind] = (this.counted[kind] ?? 0) + 1;
    if (position === undefined && this.pendingBytes <= maxPending) return;
    await this.write();
    this.canContinue = position !== undefined;
    this.position = position ?? this.position;
    this.countedBefore = { ...this.counted };
  }

  private async write(): Promise<void> {
    const bytes = Buffer.concat(this.pending);
    await this.file.writeFile(this.isCompressed ? gzipSync(bytes) : bytes);
    this.pending = [];
    this.pendingBytes = 0;
  }
}

function endOf(line: string): Record<string, number> {
  try {
    return (JSON.parse(line) as { lines?: Record<string, number> }).lines ?? {};
  } catch {
    return {};
  }
}

function sameCounts(stated: Record<string, number>, counted: Record<string, number>): boolean {
  return (
    Object.entries(stated).every(([kind, count]) => (counted[kind] ?? 0) === count) &&
    Object.keys(counted).every((kind) => kind in stated)
  );
}
