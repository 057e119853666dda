import type { z } from 'zod';
import { type RecordKind, recordKinds } from '../fixed-values.js';

/**
 * The static definition of a connector type. Its implementation is registered in `create-connector.ts` of
 * `libs/connectors`.
 */
export interface ConnectorDefinition<
  Config extends z.ZodObject = z.ZodObject,
  Secrets extends z.ZodObject = z.ZodObject,
> {
  /** Each field is marked `target` or `neutral`, see `field-marks.ts`. */
  config: Config;
  /** Encrypted before they are stored and never returned. Each field is marked `secret`. */
  secrets: Secrets;
  /** Whether its connectors support incremental reads; `depends` on the configuration. */
  reportsChanges: 'always' | 'depends' | 'never';
  /** The kinds of records that can be read individually. */
  readsOne: readonly RecordKind[];
  /** Whether an identity provider pushes the records with a token of the connector, so that no system is called. */
  isPushed: boolean;
}

type Optional = 'readsOne' | 'isPushed';

/** Creates a definition. By default connectors call a source and can read one record of each kind. */
export function defineConnector<Config extends z.ZodObject, Secrets extends z.ZodObject>(
  definition: Omit<ConnectorDefinition<Config, Secrets>, Optional> & Partial<Pick<ConnectorDefinition, Optional>>,
): ConnectorDefinition<Config, Secrets> {
  return { readsOne: recordKinds, isPushed: false, ...definition };
}
