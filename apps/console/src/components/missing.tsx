import type { ReactNode } from 'react';
import { Page } from './page';
import { EmptyState } from './states';

/** A screen for something that does not exist: which, and where to continue. */
export function Missing({ title, children, action }: { title: string; children: ReactNode; action: ReactNode }) {
  return (
    <Page title={title}>
      <EmptyState title="Nothing to show" action={action}>
        {children}
      </EmptyState>
    </Page>
  );
}
