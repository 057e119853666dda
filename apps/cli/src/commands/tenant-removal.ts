import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { responses } from '@idsync/contracts';
import type { CliCommand } from '../cli-command.js';
import { CliError } from '../cli-error.js';
import { confirmName } from '../confirm.js';
import { ExportLines } from '../export-lines.js';
import type { Session } from '../session.js';

export function addTenantRemovalCommands(tenants: CliCommand): void {
  tenants
    .add('export <tenant>', 'write all data of a tenant to a file as JSON lines, without secrets')
    .requiredOption('--file <path>', 'a new file; compressed if its name ends with .gz')
    .example('ten_… --file acme.jsonl.gz')
    .does(async (session, tenant: string, { file }: { file: string }) => {
      const lines = await exportTo(session, tenant, resolve(session.io.cwd ?? process.cwd(), file));
      session.printOne(lines);
    });

  tenants
    .add('delete <tenant>', 'delete a tenant with all its data, in the background; this cannot be undone')
    .option('--dry-run', 'show what would be deleted, and change nothing')
    .option('--name <name>', 'the exact name of the tenant, instead of the confirmation')
    .example('ten_… --dry-run')
    .does(async (session, tenant: string, options: { dryRun?: boolean; name?: string }) => {
      const found = await session.installation.call('GET /tenants/{tenantId}/deletion', tenant);
      if (options.dryRun) {
        session.printOne(found);
        return;
      }
      if (options.name === undefined) {
        await confirmName(session.io, `Delete ${found.name} with ${listed(found.contents)}?`, found.name);
      }
      const name = options.name ?? found.name;
      session.printOne(await session.installation.call('POST /tenants/{tenantId}/deletion', tenant, { name }));
      session.note(`its keys have stopped; "idsync tenants deletion ${tenant}" shows the progress`);
    });

  tenants
    .add('deletion <tenant>', 'show the progress of a deletion; the tenant is deleted when it does not exist', 'ten_…')
    .does(async (session, tenant: string) => {
      session.printOne(await session.installation.call('GET /tenants/{tenantId}/deletion', tenant));
    });
}

/** The file appears under its name only when it is complete. */
async function exportTo(session: Session, tenant: string, file: string): Promise<Record<string, number>> {
  if (existsSync(file)) throw new CliError(`${file} exists: choose another file`);
  const body = await session.installation.download('GET /tenants/{tenantId}/export', tenant);
  const part = `${file}.part`;
  const lines = new ExportLines();
  const compressed = file.endsWith('.gz') ? createGzip() : new PassThrough();
  try {
    // The file contains personal data.
    await pipeline(body, lines, compressed, createWriteStream(part, { mode: 0o600 }));
    await rename(part, file);
    return lines.lines;
  } catch (error) {
    await rm(part, { force: true });
    if (error instanceof CliError) throw error;
    throw new CliError(`the export failed: ${(error as Error).message}; repeat it`);
  }
}

function listed(contents: responses.TenantDeletion['contents']): string {
  return Object.entries(contents)
    .map(([kind, count]) => `${count} ${kind.replaceAll('_', ' ')}`)
    .join(', ');
}
