import { useState } from 'react';
import { useTenantId } from '../data/use-tenant';
import { buttonClass } from './button';
import { copy } from './copy';
import { Dialog } from './dialog';
import { Icon } from './icon';
import { JsonView } from './json-view';
import { MenuItem, PopupMenu } from './menu';

interface CopyAsProps {
  /** Path of the request that the screen shows, with its query: below the tenant, or from `/admin/v1` on. */
  path: string;
  /** The command that shows the same. */
  cli?: string;
  /** What the request returned. */
  json?: unknown;
}

/** The request of a screen, for a terminal or a ticket: curl, CLI and raw JSON. */
export function CopyAs({ path, cli, json }: CopyAsProps) {
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
