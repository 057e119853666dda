import { Menu } from '@base-ui/react/menu';
import { useState } from 'react';
import { useTenantId } from '../data/use-tenant';
import { buttonClass } from './button';
import { copy } from './copy';
import { Dialog } from './dialog';
import { Icon } from './icon';
import { JsonView } from './json-view';
import menu from './menu.module.css';

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
      <Menu.Root>
        <Menu.Trigger className={buttonClass({ look: 'quiet' })}>
          <Icon name="code" />
          API
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner sideOffset={4} align="end">
            <Menu.Popup className={menu.popup}>
              <Menu.Item className={menu.item} onClick={() => copy(curl, 'curl command')}>
                Copy as curl
              </Menu.Item>
              {cli && (
                <Menu.Item className={menu.item} onClick={() => copy(cli, 'CLI command')}>
                  Copy as CLI
                </Menu.Item>
              )}
              {json !== undefined && (
                <Menu.Item className={menu.item} onClick={() => setOpen(true)}>
                  Show JSON
                </Menu.Item>
              )}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {isOpen && (
        <Dialog open onOpenChange={setOpen} title="Response" wide>
          <JsonView value={json} label="Response" />
        </Dialog>
      )}
    </>
  );
}
