import { isDeepStrictEqual } from 'node:util';
import {
  type ConnectorBody,
  checkSourcePath,
  connectorBody,
  listsEmployments,
  safeguard as safeguardSchema,
  shownElsewhere,
} from '@idsync/contracts';
import { sqlState, type Transaction, uniqueViolation } from '@idsync/database';
import {
  type ConnectorRow,
  lockConnector,
  type OperationRow,
  requestOperation,
  updateConnector,
} from '@idsync/database/gateway';
import { checkSchedule } from '@idsync/runtime';
import { z } from 'zod';
import type { ActDetails } from '../audit/describe-act.js';
import { badRequest, orNotFound } from '../http/api-error.js';
import { validate } from '../http/validate.js';
import type { GatewaySettings } from '../shared/gateway-settings.service.js';
import { readSecrets, writeSecrets } from './connector-secrets.js';
import { describeConnector } from './present-connector.js';

const guardedFields = z.object({ safeguard: safeguardSchema.optional(), priority: z.int().optional() });

type Keys = GatewaySettings['encryptionKeys'];

/**
 * Replaces the given fields. The result must be a valid connector; `type` and `records` cannot change. A changed rank is
 * left to the returned operation, because the directory decides by it who has access.
 */
export async function changeConnector(
  tx: Transaction,
  id: string,
  patch: object,
  keys: Keys,
): Promise<{ connector: ConnectorRow; details: ActDetails; operation?: OperationRow }> {
  const before = orNotFound(await lockConnector(tx, id));
  const { type, name, priority, records, config, safeguard, schedule } = before;
  const given = 'secrets' in patch ? patch.secrets : {};
  const secrets = await secretsAfter(tx, before, given, keys);
  const whole = { type, name, priority, records, config, safeguard, schedule, ...patch, secrets };
  const body = validate(connectorBody, whole);
  requireValid(body);
  if (body.type !== type) throw badRequest(`type is ${type} and cannot be changed`);
  if (body.records !== records) throw badRequest(`records is ${records} and cannot be changed`);
  requireSecretsAgain(before, body, given);
  const ranking = rankingOf(before, body);
  const former = ranking?.fields && { ...body.config, fields: config.fields };
  const stored = { ...body, ...(ranking && { priority }), ...(former && { config: former }) } as ConnectorBody;
  const row = await rejectTakenName(body, () => updateConnector(tx, id, stored));
  const names = await writeSecrets(tx, id, body, keys);
  const connector = { ...orNotFound(row), secrets: names };
  const after = { ...describeConnector(connector), set: Object.keys(patch) };
  const done = { connector, details: { before: describeConnector(before), after } };
  if (!ranking) return done;
  const ranked = { connector: { id, ...ranking } };
  return { ...done, operation: await requestOperation(tx, 'attributes.rank', ranked) };
}

/** Returns what changes the rank of a connector: its priority, or a mapping by which it lists employments or no longer does. */
function rankingOf(
  before: ConnectorRow,
  body: ConnectorBody,
): { priority?: number; fields?: Record<string, unknown> } | undefined {
  const changesDates = mapsDates(before.id, body) !== mapsDates(before.id, before);
  if (body.priority === before.priority && !changesDates) return undefined;
  return {
    ...(body.priority !== before.priority && { priority: body.priority }),
    ...(changesDates && { fields: fieldsOf(body) }),
  };
}

type Mapped = Pick<ConnectorRow, 'records' | 'config'>;

function mapsDates(id: string, mapped: Mapped): boolean {
  const { records } = mapped;
  return listsEmployments({ id, records, mapped: Object.keys(fieldsOf(mapped)) }, { connector_employments: [] });
}

function fieldsOf({ config }: Mapped): Record<string, unknown> {
  return (config.fields ?? {}) as Record<string, unknown>;
}

/**
 * Returns what a patch changes, and whether it needs a second operator where a tenant has four eyes. Guarded fields that
 * stay as they are stored are left out, so that they cannot restore what an approval changes meanwhile.
 */
export function changesOf(
  stored: Pick<ConnectorRow, 'safeguard' | 'priority'>,
  patch: object,
): { changes: object; isGuarded: boolean } {
  const { data } = guardedFields.safeParse(patch);
  // An invalid value is left to the validation of the whole connector.
  if (!data) return { changes: patch, isGuarded: false };
  const { safeguard, priority, ...others } = { ...patch, ...data };
  const guarded = {
    ...(safeguard !== undefined && !isDeepStrictEqual(safeguard, stored.safeguard) && { safeguard }),
    ...(priority !== undefined && priority !== stored.priority && { priority }),
  };
  return { changes: { ...others, ...guarded }, isGuarded: Object.keys(guarded).length > 0 };
}

/** Refuses a patch that an approval would store with other fields, such as secrets. */
export function requireOnlyGuarded(patch: object): void {
  const others = Object.keys(patch).filter((name) => !(name in guardedFields.shape));
  if (others.length === 0) return;
  const given = Object.keys(patch).filter((name) => name in guardedFields.shape);
  throw badRequest(`${given.join(' and ')} needs a second operator: change it without ${others.join(', ')}`);
}

/** Checks what the schema of a connector cannot express. */
export function requireValid({ config, schedule }: ConnectorBody): void {
  const problem = 'path' in config && config.path !== undefined ? checkSourcePath(config.path) : undefined;
  if (problem !== undefined) throw badRequest(`config.${problem}`);
  const impossible = schedule ? checkSchedule(schedule) : undefined;
  if (impossible !== undefined) throw badRequest(`schedule.${impossible}`);
}

export async function rejectTakenName<Row extends ConnectorRow | undefined>(
  body: ConnectorBody,
  write: () => Promise<Row>,
): Promise<Row> {
  try {
    return await write();
  } catch (error) {
    if (sqlState(error) === uniqueViolation)
      throw badRequest(`name ${JSON.stringify(body.name)} is taken by another connector`);
    throw error;
  }
}

/** Merges secrets: omitted ones stay, null removes one. A value that is no object is returned for validation to reject. */
async function secretsAfter(tx: Transaction, before: ConnectorRow, given: unknown, keys: Keys): Promise<unknown> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  const needsStored = before.secrets.some((name) => !(name in given));
  const stored = needsStored ? await readSecrets(tx, before.id, keys) : {};
  return Object.fromEntries(Object.entries({ ...stored, ...given }).filter(([, value]) => value !== null));
}

/** Requires secrets again when their destination changes: changing an address must not disclose stored secrets. */
function requireSecretsAgain({ config }: ConnectorRow, body: ConnectorBody, given: unknown): void {
  const named = new Set(Object.keys(given ?? {}));
  const carried = Object.keys(body.secrets)
    .filter((name) => !named.has(name))
    .sort();
  const changed = carried.length > 0 ? shownElsewhere(body.type, config, body.config) : undefined;
  if (changed === undefined) return;
  throw badRequest(
    `config.${changed} determines where secrets are sent: set ${carried.map((name) => `secrets.${name}`).join(', ')} again, or to null`,
  );
}
