import { type ConnectorType, findDefinition, type RecordKind } from '@idsync/contracts';
import { z } from 'zod';
import { type Connector, SourceError } from './connector.js';
import { type ConfigOf, connectorRegistry, type Registration } from './connector-registry.js';
import { leftOutBySettings, unseenDeletions } from './left-out.js';
import type { SourcesFolder } from './open-source-file.js';
import type { PushedUsers } from './scim-push/scim-push-connector.js';
import { guarded, guardedError } from './secrets/guarded.js';

export interface ConnectorSettings extends SourcesFolder {
  type: ConnectorType;
  records: RecordKind;
  /** The stored configuration, which is validated again. */
  config: unknown;
  /** Decrypted secrets. */
  secrets?: Readonly<Record<string, string>>;
  /** Private networks that connectors may call. */
  allowedCidrs?: readonly string[];
  /** Pushed users, for connectors of type scim-push. */
  pushed?: PushedUsers;
}

/**
 * Creates a connector whose errors are redacted by `guarded`. Throws SourceError for an invalid configuration, without
 * opening or calling anything.
 */
export function createConnector(settings: ConnectorSettings): Connector {
  const secrets = Object.values(settings.secrets ?? {});
  try {
    return guarded(connectorOf(settings), secrets);
  } catch (error) {
    throw guardedError(error, secrets);
  }
}

function connectorOf({ config, secrets = {}, allowedCidrs = [], ...settings }: ConnectorSettings): Connector {
  const definition = findDefinition(settings.type);
  if (!definition) throw new SourceError(`unknown connector type "${settings.type}"`, 'misconfigured');
  const registry: { readonly [Type in ConnectorType]: Registration<ConnectorType> } = connectorRegistry;
  const { create, validatesSecrets } = registry[settings.type];
  if (validatesSecrets) validate(definition.secrets, secrets, 'secrets');
  const valid = validate(definition.config, config) as ConfigOf<ConnectorType>;
  const connector = create(valid, { ...settings, secrets, allowedCidrs });
  return describing(connector, leftOutBySettings(settings.type, valid, settings.records));
}

/** Adds what follows from the type and the settings to what the connector says about its source. */
function describing(connector: Connector, leftOut: readonly string[]): Connector {
  return {
    ...connector,
    async describe(signal) {
      const own = await connector.describe?.(signal);
      return { ...own, warnings: [...(own?.warnings ?? []), ...leftOut, ...unseenDeletions(connector)] };
    },
  };
}

function validate(schema: z.ZodObject, given: unknown, what = 'config'): Record<string, unknown> {
  const parsed = schema.safeParse(given);
  if (!parsed.success)
    throw new SourceError(`the connector's ${what} is invalid: ${z.prettifyError(parsed.error)}`, 'misconfigured');
  return parsed.data;
}
