import { statSync } from 'node:fs';
import { parseUrl, roleMapping } from '@idsync/contracts';
import { z } from 'zod';

const postgresUrl = urlOf(['postgres:', 'postgresql:'], 'postgres://user:password@host:5432/database');
const amqpUrl = z
  .string()
  .refine((text) => brokerAddresses(text).every((address) => ['amqp:', 'amqps:'].includes(protocolOf(address))), {
    message: 'must look like amqp://user:password@host:5672, or several of these separated by commas',
  });

const adminToken = 'must be the token of the operator API, at least 16 characters';
const encryptionKey = 'must be 32 bytes in base64: openssl rand -base64 32';

const commaSeparated = z
  .string()
  .default('')
  .transform((text) => text.split(',').flatMap((part) => part.trim() || []));
const cidr = z.union([z.cidrv4(), z.cidrv6()]);
const cidrs = commaSeparated.refine((list) => list.every((text) => cidr.safeParse(text).success), {
  message: 'must be a comma-separated list of CIDRs such as 10.0.0.0/8',
});
const portNumber = integer(0, 65_535, 'must be a port number');

const frameAncestor = /^https?:\/\/(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?$/;

/** Shorter than the time a stopping process has. */
const maxDrainMs = 25_000;

// Every variable of every service.
const PORT = portNumber.default(3000);
const INTERNAL_PORT = portNumber.optional();
const INTERNAL_HOST = z.string().default('127.0.0.1');
const DRAIN_DELAY_MS = integer(0, maxDrainMs, `must be milliseconds, at most ${maxDrainMs}`).default(0);
const HOST = z.string().default('127.0.0.1');
const RATE_LIMIT_PER_MINUTE = integer(1, 999_999_999, 'must be a number of requests, 1 or more').optional();
// The SDK of OpenTelemetry reads its other variables itself.
const OTEL_EXPORTER_OTLP_ENDPOINT = urlOf(['http:', 'https:'], 'http://collector:4318').optional();
const OTEL_TRACES_EXPORTER = z
  .enum(['otlp', 'console', 'none'], { error: 'must be one of otlp, console, none' })
  .optional();
const OTEL_SERVICE_NAME = z.string().optional();
const DATA_DIR = z.string().default('.data');
const DATABASE_URL = postgresUrl;
const DATABASE_READ_URL = postgresUrl.optional();
const AMQP_URL = amqpUrl.optional();
const ADMIN_TOKEN = z.string({ error: adminToken }).min(16, adminToken);
const ADMIN_TOKEN_DISABLED = trueOrFalse('false');
const PUBLIC_URL = urlOf(['http:', 'https:'], 'https://idsync.example.com')
  .refine((text) => isOrigin(text), { message: 'must have no path, such as https://idsync.example.com' })
  .transform((text) => new URL(text).origin)
  .optional();
const METRICS_URL = urlOf(['http:', 'https:'], 'https://grafana.example.com/d/idsync').optional();
const PORTAL_FRAME_ANCESTORS = commaSeparated.refine((list) => list.every((origin) => frameAncestor.test(origin)), {
  message: 'must be a comma-separated list of origins such as https://app.example.com or https://*.example.com',
});
const OIDC_ISSUER = z
  .string()
  .refine(isIssuer, { message: 'must be an https URL, or an http URL of this machine' })
  .optional();
const OIDC_CLIENT_ID = z.string().optional();
const OIDC_CLIENT_SECRET = z.string().optional();
const OIDC_NAME = z.string().max(100).default('single sign-on');
const OIDC_SCOPES = z
  .string()
  .refine((text) => text.split(' ').includes('openid'), { message: 'must contain openid' })
  .default('openid profile email');
const OIDC_GROUPS_CLAIM = z.string().default('groups');
const OIDC_ROLE_MAPPING = z
  .string()
  .default('[]')
  .transform((text, context) => {
    const parsed = roleMapping.safeParse(parsedJson(text));
    if (parsed.success) return parsed.data;
    context.addIssue({ code: 'custom', message: 'must look like [{"group":"idsync-admins","role":"admin"}]' });
    return z.NEVER;
  });
const SESSION_IDLE_SECONDS = seconds(60, 86_400).default(1_800);
const SESSION_MAX_SECONDS = seconds(60, 604_800).default(43_200);
// Checked as text first, because Buffer.from ignores invalid base64 characters.
const ENCRYPTION_KEY = z
  .string({ error: encryptionKey })
  .regex(/^[A-Za-z\d+/]{43}=$/, encryptionKey)
  .transform((text): Buffer => Buffer.from(text, 'base64'));
const ENCRYPTION_KEYS_PREVIOUS = commaSeparated
  .refine((list) => list.every((key) => /^[A-Za-z\d+/]{43}=$/.test(key)), {
    message: 'must be a comma-separated list of earlier values of ENCRYPTION_KEY',
  })
  .transform((list) => list.map((key): Buffer => Buffer.from(key, 'base64')));
const SOURCES_DIR = z.string().refine(isFolder, { message: 'must be a folder' }).default('samples');
const SOURCES_BY_TENANT = trueOrFalse('true');
const DEMO = z.stringbool({ truthy: ['1'], falsy: ['0'], error: 'must be 0 or 1' }).prefault('1');
const WEBHOOK_ALLOW_CIDRS = cidrs;
const SOURCE_ALLOW_CIDRS = cidrs;
const SOURCE_OUTAGE_SECONDS = seconds(0, 3_600).default(300);
const TRUSTED_PROXIES = cidrs;
const LOG_LEVEL = z
  .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace'], {
    error: 'must be one of fatal, error, warn, info, debug, trace',
  })
  .default('info');

const observed = {
  INTERNAL_PORT,
  INTERNAL_HOST,
  OTEL_EXPORTER_OTLP_ENDPOINT,
  OTEL_TRACES_EXPORTER,
  OTEL_SERVICE_NAME,
};

const everyService = { DATABASE_URL, AMQP_URL, LOG_LEVEL, ...observed };

/** Sign-in of operators. */
const signIn = {
  PUBLIC_URL,
  ADMIN_TOKEN_DISABLED,
  SESSION_IDLE_SECONDS,
  SESSION_MAX_SECONDS,
  OIDC_ISSUER,
  OIDC_CLIENT_ID,
  OIDC_CLIENT_SECRET,
  OIDC_NAME,
  OIDC_SCOPES,
  OIDC_GROUPS_CLAIM,
  OIDC_ROLE_MAPPING,
};

/** Refuses an identity provider without what its sign-in needs. */
function checkSignIn(values: Partial<Record<keyof typeof signIn, unknown>>, context: z.RefinementCtx): void {
  if (values.OIDC_ISSUER === undefined) return;
  const add = (name: keyof typeof signIn) =>
    context.addIssue({ code: 'custom', path: [name], message: 'must be set together with OIDC_ISSUER' });
  if (values.OIDC_CLIENT_ID === undefined) add('OIDC_CLIENT_ID');
  if (values.PUBLIC_URL === undefined) add('PUBLIC_URL');
  if (Array.isArray(values.OIDC_ROLE_MAPPING) && values.OIDC_ROLE_MAPPING.length === 0) add('OIDC_ROLE_MAPPING');
}

export const gatewayEnvironment = z
  .object({
    ...everyService,
    DATABASE_READ_URL,
    ...signIn,
    METRICS_URL,
    PORT,
    HOST,
    DRAIN_DELAY_MS,
    RATE_LIMIT_PER_MINUTE,
    TRUSTED_PROXIES,
    ADMIN_TOKEN,
    ENCRYPTION_KEY,
    ENCRYPTION_KEYS_PREVIOUS,
    WEBHOOK_ALLOW_CIDRS,
    PORTAL_FRAME_ANCESTORS,
  })
  .superRefine(checkSignIn);
export const directoryEnvironment = z.object(everyService);
export const syncWorkerEnvironment = z.object({
  ...everyService,
  SOURCES_DIR,
  SOURCES_BY_TENANT,
  ENCRYPTION_KEY,
  ENCRYPTION_KEYS_PREVIOUS,
  SOURCE_ALLOW_CIDRS,
  SOURCE_OUTAGE_SECONDS,
});
export const dispatcherEnvironment = z.object({
  ...everyService,
  ENCRYPTION_KEY,
  ENCRYPTION_KEYS_PREVIOUS,
  WEBHOOK_ALLOW_CIDRS,
});
export const migrateEnvironment = z.object({ DATABASE_URL });

/** Variables of `npm start`, which generates missing secrets and stores them in DATA_DIR. */
export const standaloneEnvironment = z
  .object({
    PORT,
    HOST,
    ...observed,
    DRAIN_DELAY_MS,
    RATE_LIMIT_PER_MINUTE,
    TRUSTED_PROXIES,
    DATA_DIR,
    DATABASE_URL: postgresUrl.optional(),
    AMQP_URL,
    ADMIN_TOKEN: ADMIN_TOKEN.optional(),
    ...signIn,
    METRICS_URL,
    ENCRYPTION_KEY: ENCRYPTION_KEY.optional(),
    ENCRYPTION_KEYS_PREVIOUS,
    PORTAL_FRAME_ANCESTORS,
    SOURCES_DIR,
    // A local installation has one tenant, and the sample files are directly in the folder.
    SOURCES_BY_TENANT: SOURCES_BY_TENANT.prefault('false'),
    DEMO,
    WEBHOOK_ALLOW_CIDRS,
    SOURCE_ALLOW_CIDRS,
    SOURCE_OUTAGE_SECONDS,
    LOG_LEVEL: LOG_LEVEL.prefault('warn'),
  })
  .superRefine(checkSignIn);

export type StandaloneEnvironment = z.infer<typeof standaloneEnvironment>;

/** Configuration of a service's modules, without the variables that only the program itself reads. */
type ConfigOf<Schema extends z.ZodObject> = Omit<z.infer<Schema>, keyof typeof observed>;
export type GatewayConfig = z.infer<typeof gatewayEnvironment>;
export type DirectoryConfig = ConfigOf<typeof directoryEnvironment>;
export type SyncWorkerConfig = ConfigOf<typeof syncWorkerEnvironment>;
export type DispatcherConfig = ConfigOf<typeof dispatcherEnvironment>;

function protocolOf(text: string): string {
  return parseUrl(text)?.protocol ?? '';
}

function urlOf(protocols: string[], example: string) {
  return z.string({ error: `must look like ${example}` }).refine((text) => protocols.includes(protocolOf(text)), {
    message: `must look like ${example}`,
  });
}

function integer(min: number, max: number, error: string) {
  return z
    .string()
    .regex(/^\d{1,9}$/, error)
    .transform(Number)
    .refine((value) => value >= min && value <= max, { message: error });
}

function seconds(min: number, max: number) {
  return integer(min, max, `must be seconds, ${min} to ${max}`);
}

function trueOrFalse(byDefault: 'true' | 'false') {
  return z.stringbool({ truthy: ['true'], falsy: ['false'], error: 'must be true or false' }).prefault(byDefault);
}

function isOrigin(text: string): boolean {
  const url = parseUrl(text);
  return url !== undefined && `${url.origin}/` === url.href;
}

/** Without TLS, a token could be read and the keys replaced on the way. */
function isIssuer(text: string): boolean {
  const url = parseUrl(text);
  if (!url || url.username || url.search || url.hash) return false;
  return (
    url.protocol === 'https:' || (url.protocol === 'http:' && /^(localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname))
  );
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Separates addresses only: a password may contain a comma. */
const separator = /,(?=amqps?:)/;

/** Returns the addresses of a RabbitMQ cluster's nodes: AMQP_URL has one, or several separated by commas. */
export function brokerAddresses(text: string): string[] {
  return text.split(separator);
}
