import type { UseQueryResult } from '@tanstack/react-query';
import type { ComponentProps, ReactNode } from 'react';
import { isNotFound } from '../data/api';
import { buttonClass } from './button';
import { CopyAs } from './copy-as';
import { Page } from './page';
import { EmptyState, ErrorState, Loading } from './states';
import { TenantLink } from './tenant-link';

/** The frame of a screen of the console, with the request that it shows. */
export function Screen({
  api,
  cli,
  json,
  actions,
  ...page
}: ComponentProps<typeof Page> & Omit<ComponentProps<typeof CopyAs>, 'path'> & { api: string }) {
  return (
    <Page
      {...page}
      actions={
        <>
          <CopyAs path={api} cli={cli} json={json} />
          {actions}
        </>
      }
    />
  );
}

interface NotLoadedProps {
  query: Pick<UseQueryResult, 'error' | 'refetch'>;
  /** As the text names it: `account`. */
  noun?: string;
  id?: string;
  /** Path and name of the list of all. */
  all?: readonly [path: string, name: string];
  /** Why there may be no such record. */
  children?: ReactNode;
}

/** A screen without its record: it is being read, could not be read, or does not exist. */
export function NotLoaded({ query: { error, refetch }, noun, id, all, children }: NotLoadedProps) {
  if (!error) return <Loading />;
  if (!all || !isNotFound(error)) return <ErrorState error={error} onRetry={refetch} />;
  return (
    <Missing
      title={`There is no such ${noun}`}
      action={
        <TenantLink path={all[0]} className={buttonClass({ look: 'primary' })}>
          {all[1]}
        </TenantLink>
      }
    >
      No {noun} of this tenant has the id <code>{id}</code>. {children}
    </Missing>
  );
}

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
