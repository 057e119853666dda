import { type ConnectorType, csvConfig, ldifConfig, type RecordKind, sqlConfig } from '@idsync/contracts';
import { z } from 'zod';
import { type Connector, SourceError } from './connector.js';
import { csvConnector } from './csv/csv-connector.js';
import { ldifConnector } from './ldif/ldif-connector.js';
import { checkSourcePath } from './source-path.js';
import { sqlConnector } from './sql/sql-connector.js';

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

/** Throws SourceError if the configuration can never be read; nothing is opened before `read`. */
export function createConnector(settings: ConnectorSettings): Connector {
  const { type, records, config, sourcesDir } = settings;
  switch (type) {
    case 'csv': {
      const valid = validFile(csvConfig, config);
      return csvConnector(records, valid, sourcesDir);
    }
    case 'ldif': {
      const valid = validFile(ldifConfig, config);
      return ldifConnector(records, valid, sourcesDir);
    }
    case 'sql':
      return sqlConnector(records, validate(sqlConfig, config), settings);
    default:
      throw new SourceError(`connectors of type "${String(type)}" are unknown`);
  }
}

function validate<Config>(schema: z.ZodType<Config>, config: unknown): Config {
  const parsed = schema.safeParse(config);
  if (!parsed.success) throw new SourceError(`the connector's config is invalid: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

function validFile<Config extends { path: string }>(schema: z.ZodType<Config>, config: unknown): Config {
  const valid = validate(schema, config);
  const refused = checkSourcePath(valid.path);
  if (refused) throw new SourceError(refused);
  return valid;
}
