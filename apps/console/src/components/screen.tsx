import type { UseQueryResult } from '@tanstack/react-query';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { isNotFound, useTenantId } from '../data/api';
import { buttonClass, Icon } from './button';
import { Dialog } from './dialog';
import { JsonView } from './json-view';
import { TenantLink } from './links';
import { MenuItem, PopupMenu } from './menu';
import { copy } from './notices';
import { EmptyState, ErrorState, Loading, Page } from './page';

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

interface CopyAsProps {
  /** Path of the request that the screen shows, with its query: below the tenant, or from `/admin/v1` on. */
  path: string;
  /** The command that shows the same. */
  cli?: string;
  /** The result of the request. */
  json?: unknown;
}

/** The request of a screen, for a terminal or a ticket: curl, CLI and raw JSON. */
function CopyAs({ path, cli, json }: CopyAsProps) {
  const [isOpen, setOpen] = useState(false);
  const tenantId = useTenantId();
  const url = `${location.origin}${path.startsWith('/admin/') ? '' : `/admin/v1/tenants/${tenantId}`}${path}`;
  const curl = `curl -s -H "Authorization: Bearer $ADMIN_TOKEN" '${url}'`;
  return (
    <>
      <PopupMenu
        className={buttonClass({ look: 'quiet' })}
        trigger={
          <>
            <Icon name="code" />
            API
          </>
        }
        align="end"
      >
        <MenuItem onClick={() => copy(curl, 'curl command')}>Copy as curl</MenuItem>
        {cli && <MenuItem onClick={() => copy(cli, 'CLI command')}>Copy as CLI</MenuItem>}
        {json !== undefined && <MenuItem onClick={() => setOpen(true)}>Show JSON</MenuItem>}
      </PopupMenu>
      {isOpen && (
        <Dialog open onOpenChange={setOpen} title="Response" wide>
          <JsonView value={json} label="Response" />
        </Dialog>
      )}
    </>
  );
}
