import { useState } from 'react';
import type { Connector } from '../../data/api';
import { fromSource, type MappedField, toFields } from './mapping';

/** The input of the path. Secrets are never part of it: they are kept in memory until they are sent. */
export interface Draft {
  type?: string;
  name: string;
  records: 'user' | 'account' | 'machine_identity';
  priority: string;
  /** `config` without the mapping. */
  config: Record<string, unknown>;
  externalId: string;
  fields: MappedField[];
  every: string;
  cron: string;
  timeZone: string;
  readNow: boolean;
  /** The last dry run of this path. */
  dryRun?: string;
}

export const emptyDraft: Draft = {
  name: '',
  records: 'user',
  priority: '100',
  config: {},
  externalId: '',
  fields: [],
  every: '1h',
  cron: '',
  timeZone: '',
  readNow: true,
};

/** A source is stored before its fields are known. A run with this id finds no record, so that it imports nothing wrong. */
export const notMapped = 'not_mapped_yet';

/** The draft that changes a stored source. */
export function draftOf(source: Connector): Draft {
  const { external_id, fields, ...config } = source.config as Record<string, unknown>;
  const isMapped = external_id !== notMapped;
  const { every = '', cron = '', time_zone = '' } = source.schedule ?? {};
  const mapped = isMapped ? Object.entries((fields ?? {}) as Record<string, unknown>) : [];
  return {
    type: source.type,
    name: source.name,
    records: source.records as Draft['records'],
    priority: String(source.priority),
    config,
    externalId: isMapped && typeof external_id === 'string' ? external_id : '',
    fields: mapped.map(([field, from]) => fromSource(field, from)),
    every: source.schedule ? every : source.last_run ? '' : emptyDraft.every,
    cron,
    timeZone: time_zone,
    readNow: !source.last_run,
  };
}

/** `config` of the API. `needsMapping`: the type has no mapping by default. */
export function configOf({ config, externalId, fields }: Draft, needsMapping: boolean): Record<string, unknown> {
  const mapped = toFields(fields);
  const isMapped = Object.keys(mapped).length > 0;
  const settings = withoutEmptyLines(config);
  if (needsMapping && !(isMapped && externalId !== ''))
    return { ...settings, external_id: notMapped, fields: { display_name: notMapped } };
  return { ...settings, ...(externalId !== '' && { external_id: externalId }), ...(isMapped && { fields: mapped }) };
}

function withoutEmptyLines(config: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(config).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.filter((each) => each !== '') : value]],
    ),
  );
}

/** `schedule` of the API; null for a source that is read only when it is started. */
export function scheduleBody({ every, cron, timeZone }: Draft): Record<string, string> | null {
  if (every === 'cron') return { cron, ...(timeZone !== '' && { time_zone: timeZone }) };
  return every === '' ? null : { every };
}

const keyOf = (tenantId: string, sourceId: string | undefined) =>
  `idsync.source-draft.${tenantId}.${sourceId ?? 'new'}`;

/** Drafts of this tab, which survive a reload. */
export const drafts = {
  read(tenantId: string, sourceId: string | undefined): Draft | undefined {
    const stored = sessionStorage.getItem(keyOf(tenantId, sourceId));
    return stored === null ? undefined : ({ ...emptyDraft, ...(JSON.parse(stored) as Partial<Draft>) } as Draft);
  },
  write(tenantId: string, sourceId: string | undefined, draft: Draft): void {
    sessionStorage.setItem(keyOf(tenantId, sourceId), JSON.stringify(draft));
  },
  clear(tenantId: string, sourceId: string | undefined): void {
    sessionStorage.removeItem(keyOf(tenantId, sourceId));
  },
};

/** The draft of a path. Every change is stored at once, so that a reload loses nothing. */
export function useDraft(tenantId: string, source: Connector | undefined) {
  const [draft, setDraft] = useState<Draft>(
    () => drafts.read(tenantId, source?.id) ?? (source ? draftOf(source) : emptyDraft),
  );
  const change = (changed: Partial<Draft>) => {
    setDraft((old) => {
      const next = { ...old, ...changed };
      drafts.write(tenantId, source?.id, next);
      return next;
    });
  };
  return [draft, change] as const;
}
