import { join, resolve } from 'node:path';
import { createDatabase, databaseUrl, expireLeases, migrate } from '@idsync/database/schema';
import { startDirectory } from '@idsync/directory';
import { lockDataDir, startEmbeddedPostgres } from '@idsync/embedded-postgres';
import { type Gateway, startGateway } from '@idsync/gateway';
import {
  closeInTurn,
  createLogger,
  type HealthCheck,
  type ObservedService,
  type RunningService,
  type StandaloneEnvironment,
} from '@idsync/runtime';
import { startSyncWorker } from '@idsync/sync-worker';
import { startWebhookDispatcher } from '@idsync/webhook-dispatcher';
import { storedAccess } from './credentials.js';
import { type DemoConnector, type DemoTenant, ensureDemoTenant } from './demo-tenant.js';
import { type OperatorClient, operatorClient } from './operator-client.js';
import { requireFreePort } from './require-free-port.js';
import { storedSecrets, writePrivate } from './stored-secrets.js';
import { syncWithProgress } from './sync-with-progress.js';
import { welcome } from './welcome.js';

/** Starts all services in this process, each with its own database role, on an embedded PostgreSQL unless DATABASE_URL is set. */
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
    // Checked before the port, because a second start on this data directory should report the lock and not the port.
    await (await lockDataDir(dataDir)).release();
    await requireFreePort(env.HOST, env.PORT);
    const { url, lost: failed } = await openDatabase(dataDir, env, running);
    await migrate(url);
    if (env.DATABASE_URL === undefined) await expireLeases(url);
    const secrets = await storedSecrets(dataDir);
    const adminToken = env.ADMIN_TOKEN ?? secrets.adminToken;
    const config = {
      ...env,
      DATABASE_URL: url,
      ENCRYPTION_KEY: env.ENCRYPTION_KEY ?? secrets.encryptionKey,
      // If ENCRYPTION_KEY is set later, earlier secrets are still encrypted with the stored key.
      ENCRYPTION_KEYS_PREVIOUS: [...env.ENCRYPTION_KEYS_PREVIOUS, secrets.encryptionKey],
    };
    const directory = await startDirectory(config);
    running.push(directory);
    const syncWorker = await startSyncWorker(config);
    running.push(syncWorker);
    const dispatcher = await startWebhookDispatcher(config);
    running.push(dispatcher);
    const gateway = await startGateway({ ...config, ADMIN_TOKEN: adminToken }, { stopping });
    running.push(gateway);
    const checks = checksOf({ gateway, directory, 'sync-worker': syncWorker, 'webhook-dispatcher': dispatcher });

    const credentialsFile = join(dataDir, 'credentials.json');
    out.write(`The console is at ${gateway.url}/console/\n`);
    const operator = operatorClient(gateway.url, adminToken);
    const stored = await storedAccess(credentialsFile, operator, gateway.url);
    const demo = env.DEMO ? await ensureDemoTenant(operator, env.SOURCES_DIR, stored) : undefined;
    const access = demo ?? stored;
    // Written before the long sync, because the API key is returned only once.
    await writePrivate(credentialsFile, {
      base_url: gateway.url,
      ...(access?.apiKey && { api_key: access.apiKey }),
      admin_token: adminToken,
      ...(access && { tenant_id: access.tenantId }),
    });
    if (demo) await unlessFailed(failed, syncDemo(operator, demo, gateway, out, stopping));
    const service = { checks, close, ...(failed && { failed }) };
    if (stopping.aborted) return service;
    out.write(
      welcome({
        baseUrl: gateway.url,
        adminToken,
        apiKey: access?.apiKey,
        credentialsFile,
        busUp: gateway.busUp,
        showSecrets: out.isTTY,
      }),
    );
    return service;
  } catch (error) {
    await close();
    throw error;
  }
}

/** Prefixes the checks with the names of their services. */
function checksOf(services: Record<string, ObservedService>): HealthCheck[] {
  return Object.entries(services).flatMap(([name, { checks }]) =>
    checks.map((check) => ({ ...check, name: `${name}.${check.name}` })),
  );
}

interface OpenDatabase {
  url: string;
  /** Resolves if the embedded PostgreSQL has stopped and cannot be restarted. */
  lost?: Promise<Error>;
}

async function openDatabase(
  dataDir: string,
  env: StandaloneEnvironment,
  running: RunningService[],
): Promise<OpenDatabase> {
  if (env.DATABASE_URL !== undefined) {
    const lock = await lockDataDir(dataDir);
    running.push({ close: () => lock.release() });
    return { url: env.DATABASE_URL };
  }
  const logger = createLogger('idsync', env.LOG_LEVEL);
  const postgres = await startEmbeddedPostgres({
    dataDir,
    onStopped: (lastOutput) => logger.error({ lastOutput }, 'embedded PostgreSQL stopped, restarting it'),
  });
  running.push({ close: () => postgres.stop() });
  await createDatabase(postgres.url, 'idsync');
  return { url: databaseUrl(postgres.url, 'idsync'), lost: postgres.lost };
}

/** Rejects with the failure as soon as the database is lost. */
function unlessFailed<T>(failed: Promise<Error> | undefined, work: Promise<T>): Promise<T> {
  if (!failed) return work;
  return Promise.race([work, failed.then((error) => Promise.reject(error))]);
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
  const sync = async (connector: DemoConnector) => {
    if (!stopping.aborted) await syncWithProgress(operator, demo.tenantId, connector, waiting, out);
  };
  for (const connector of demo.connectors) await sync(connector);
  for (const connector of demo.connectors) {
    if (!connector.later || stopping.aborted) continue;
    const ids = { tenantId: demo.tenantId, connectorId: connector.id };
    await operator('PATCH /tenants/{tenantId}/connectors/{connectorId}', ids, { config: connector.later });
    await sync(connector);
  }
}
