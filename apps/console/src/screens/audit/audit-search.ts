import { textOf } from '../../data/search-params';

export interface AuditSearch {
  actor?: string;
  action?: string;
  resource?: string;
  /** Sequence of the entry that is shown in full. */
  entry?: string;
}

export function auditSearchOf({ actor, action, resource, entry }: Record<string, unknown>): AuditSearch {
  return { actor: textOf(actor), action: textOf(action), resource: textOf(resource), entry: textOf(entry) };
}
