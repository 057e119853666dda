import type { IconName } from './button';
import { entryOf } from './words';

interface IdTarget {
  label: string;
  icon: IconName;
  /** Path below the tenant; absent for a record, which its person shows. */
  path?: (id: string) => string;
  isRecord?: boolean;
}

/** The screen of each kind of id, by its prefix. */
const targets: Record<string, IdTarget> = {
  idn: { label: 'Person', icon: 'person', path: (id) => `/people/${id}` },
  usr: { label: 'Person of this user', icon: 'person', isRecord: true },
  acc: { label: 'Account', icon: 'account', path: (id) => `/accounts/${id}` },
  mid: { label: 'Machine', icon: 'machine', path: (id) => `/machines/${id}` },
  con: { label: 'Source', icon: 'source', path: (id) => `/sources/${id}` },
  job: { label: 'Run', icon: 'run', path: (id) => `/runs/${id}` },
  cas: { label: 'Case', icon: 'cases', path: (id) => `/cases?case=${id}` },
  evt: { label: 'Event', icon: 'event', path: (id) => `/events/${id}` },
  whk: { label: 'Webhook', icon: 'webhook', path: (id) => `/webhooks/${id}` },
  dlv: { label: 'Delivery', icon: 'webhook', path: (id) => `/deliveries/${id}` },
  opn: { label: 'Acts on this operation', icon: 'access', path: (id) => `/audit?resource=${id}` },
  dlt: { label: 'Dead letter', icon: 'system', path: (id) => `/system?letter=${id}` },
  fnd: { label: 'Findings', icon: 'finding', path: () => '/findings' },
};

const form = /^([a-z]{3})_[0-9a-hjkmnp-tv-z]{26}$/;

/** Returns the kind of an id; undefined for other text, and for ids without a screen. */
export function targetOf(text: string): IdTarget | undefined {
  return entryOf(targets, form.exec(text)?.[1] ?? '');
}

/** Path of the screen that shows an id; undefined while a record is looked up, or if it does not exist. */
export function pathOf(target: IdTarget, id: string, record: { identity_id?: string } | undefined): string | undefined {
  if (!target.isRecord) return target.path?.(id);
  if (!record) return undefined;
  return record.identity_id ? `/people/${record.identity_id}?view=records` : '/people';
}

/** Path below the tenant of the screen of an id; undefined without a screen. */
export function pathOfId(id: string): string | undefined {
  return entryOf(targets, id.slice(0, 3))?.path?.(id);
}

/** Path of the screen that shows what a finding or an event is about. A user is shown by the person. */
export function subjectPath(subjectId: string, identityId?: string): string | undefined {
  if (!subjectId.startsWith('usr_')) return pathOfId(subjectId);
  return identityId && `${pathOfId(identityId)}?view=records`;
}
