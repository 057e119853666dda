import { join, resolve } from 'node:path';
import { createDatabase, databaseUrl, expireLeases, migrate } from '@idsync/database';
import { startDirectory } from '@idsync/directory';
import { lockDataDir, startEmbeddedPostgres } from '@idsync/embedded-postgres';
import { type Gateway, startGateway } from '@idsync/gateway';
import {
  closeInTurn,
  type HealthCheck,
  type ObservedService,
  type RunningService,
  type StandaloneEnvironment,
} from '@idsync/runtime';
import { startSyncWorker } from '@idsync/sync-worker';
import { startWebhookDispatcher } from '@idsync/webhook-dispatcher';
import { keptAccess } from './credentials.js';
import { type DemoTenant, ensureDemoTenant } from './demo-tenant.js';
import { keptSecrets, writePrivate } from './kept-secrets.js';
import { type OperatorClient, operatorClient } from './operator-client.js';
import { syncWithProgress } from './sync-with-progress.js';
import { welcome } from './welcome.js';

/** All services in this process, each with its own database role, on a PostgreSQL of our own unless one is given. */
export async function startStandalone(
  env: StandaloneEnvironment,
  out: NodeJS.WriteStream,
  stopping: AbortSignal,
): Promise<ObservedService> {
  const dataDir = resolve(env.DATA_DIR);
  const running: RunningService[] = [];
  const close = () =>
    closeInTurn(
      ...running
        .splice(0)
        .reverse()
        .map((service) => () => service.close()),
    );
  try {
    const url = await openDatabase(dataDir, env.DATABASE_URL, running);
    await migrate(url);
    if (env.DATABASE_URL === undefined) await expireLeases(url);
    const secrets = await keptSecrets(dataDir);
    const adminToken = env.ADMIN_TOKEN ?? secrets.adminToken;
    const common = { databaseUrl: url, amqpUrl: env.AMQP_URL, logLevel: env.LOG_LEVEL };
    const directory = await startDirectory(common);
    running.push(directory);
    const encryptionKey = env.ENCRYPTION_KEY ?? secrets.encryptionKey;
    // Whoever sets a key later has secrets that the kept one sealed.
    const previousKeys = [...env.ENCRYPTION_KEYS_PREVIOUS, secrets.encryptionKey];
    const encryptionKeys: [Buffer, ...Buffer[]] = [encryptionKey, ...previousKeys];
    const syncWorker = await startSyncWorker({
      ...common,
      sourcesDir: env.SOURCES_DIR,
      encryptionKeys,
      allowedCidrs: env.SOURCE_ALLOW_CIDRS,
    });
    running.push(syncWorker);
    const allowedCidrs = env.WEBHOOK_ALLOW_CIDRS;
    const dispatcher = await startWebhookDispatcher({ ...common, encryptionKeys, allowedCidrs });
    running.push(dispatcher);
    const gateway = await startGateway({
      ...common,
      host: env.HOST,
      port: env.PORT,
      adminToken,
      encryptionKeys,
      allowedCidrs,
      requestsPerMinute: env.RATE_LIMIT_PER_MINUTE,
      stopping,
    });
    running.push(gateway);
    const checks = checksOf({ gateway, directory, 'sync-worker': syncWorker, 'webhook-dispatcher': dispatcher });

    const credentialsFile = join(dataDir, 'credentials.json');
    const operator = operatorClient(gateway.url, adminToken);
    const kept = await keptAccess(credentialsFile, operator, gateway.url);
    const demo = env.DEMO ? await ensureDemoTenant(operator, env.SOURCES_DIR, kept) : undefined;
    const access = demo ?? kept;
    // Before the sync, which takes its time: a key is shown once.
    await writePrivate(credentialsFile, {
      base_url: gateway.url,
      ...(access?.apiKey && { api_key: access.apiKey }),
      admin_token: adminToken,
      ...(access && { tenant_id: access.tenantId }),
    });
    if (demo) await syncDemo(operator, demo, gateway, out, stopping);
    if (stopping.aborted) return { checks, close };
    out.write(
      welcome({ baseUrl: gateway.url, adminToken, apiKey: access?.apiKey, credentialsFile, busUp: gateway.busUp }),
    );
    return { checks, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Named after the service too. */
function checksOf(services: Record<string, ObservedService>): HealthCheck[] {
  return Object.entries(services).flatMap(([name, { checks }]) =>
    checks.map((check) => ({ ...check, name: `${name}.${check.name}` })),
  );
}

async function openDatabase(dataDir: string, given: string | undefined, running: RunningService[]): Promise<string> {
  if (given !== undefined) {
    const lock = await lockDataDir(dataDir);
    running.push({ close: () => lock.release() });
    return given;
  }
  const postgres = await startEmbeddedPostgres({ dataDir });
  running.push({ close: () => postgres.stop() });
  await createDatabase(postgres.url, 'idsync');
  return databaseUrl(postgres.url, 'idsync');
}

async function syncDemo(
  operator: OperatorClient,
  demo: DemoTenant,
  gateway: Gateway,
  out: NodeJS.WriteStream,
  stopping: AbortSignal,
): Promise<void> {
  if (demo.connectors.length > 0) out.write('Syncing the sample sources\n');
  const waiting = { busUp: () => gateway.busUp, stopping };
  for (const connector of demo.connectors) {
    if (!stopping.aborted) await syncWithProgress(operator, demo.tenantId, connector, waiting, out);
  }
}
