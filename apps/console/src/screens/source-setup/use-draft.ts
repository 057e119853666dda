import { useState } from 'react';
import type { Connector } from '../../data/api';
import { type Draft, draftOf, drafts, emptyDraft } from './draft';

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
