import {
  type ConnectorType,
  csvConfig,
  entraConfig,
  type FilePlace,
  googleConfig,
  jsonlConfig,
  ldifConfig,
  oktaConfig,
  type RecordKind,
  scimConfig,
} from '@idsync/contracts';
import { z } from 'zod';
import { type Connector, SourceError } from './connector.js';
import { csvConnector } from './csv/csv-connector.js';
import { webFile } from './download/web-file.js';
import { entraConnector } from './entra/entra-connector.js';
import { googleConnector } from './google/google-connector.js';
import { jsonlConnector } from './jsonl/jsonl-connector.js';
import { ldifConnector } from './ldif/ldif-connector.js';
import { oktaConnector } from './okta/okta-connector.js';
import { type FileSource, openSourceFile } from './open-source-file.js';
import { scimConnector } from './scim/scim-connector.js';
import { checkSourcePath } from './source-path.js';

export interface ConnectorSettings {
  type: ConnectorType;
  records: RecordKind;
  /** As it was stored; read again here, for it may be older than this code. */
  config: unknown;
  /** Opened. */
  secrets?: Readonly<Record<string, string>>;
  /** The folder that all paths are relative to. */
  sourcesDir: string;
  /** Private networks that sources may be in. */
  allowedCidrs?: readonly string[];
}

/** Throws SourceError if the configuration can never be read; nothing is opened or called yet. */
export function createConnector(settings: ConnectorSettings): Connector {
  const { type, records, config, secrets = {}, allowedCidrs = [] } = settings;
  switch (type) {
    case 'csv': {
      const valid = validate(csvConfig, config);
      return csvConnector(records, valid, fileSource(valid, settings));
    }
    case 'ldif': {
      const valid = validate(ldifConfig, config);
      return ldifConnector(records, valid, fileSource(valid, settings));
    }
    case 'jsonl': {
      const valid = validate(jsonlConfig, config);
      return jsonlConnector(records, valid, fileSource(valid, settings));
    }
    case 'scim':
      return scimConnector(records, validate(scimConfig, config), { secrets, allowedCidrs });
    case 'entra':
      return entraConnector(records, validate(entraConfig, config), { secrets, allowedCidrs });
    case 'okta':
      return oktaConnector(records, validate(oktaConfig, config), { secrets, allowedCidrs });
    case 'google':
      return googleConnector(records, validate(googleConfig, config), { secrets, allowedCidrs });
    default:
      throw new SourceError(`connectors of type "${String(type)}" are unknown`);
  }
}

function validate<Config>(schema: z.ZodType<Config>, config: unknown): Config {
  const parsed = schema.safeParse(config);
  if (!parsed.success) throw new SourceError(`the connector's config is invalid: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

function fileSource(place: FilePlace, { sourcesDir, secrets = {}, allowedCidrs = [] }: ConnectorSettings): FileSource {
  const { path } = place;
  if (path === undefined) return webFile(place, { secrets, allowedCidrs });
  const refused = checkSourcePath(path);
  if (refused) throw new SourceError(refused);
  return { open: () => openSourceFile(sourcesDir, path) };
}
