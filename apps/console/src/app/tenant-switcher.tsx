import { Menu } from '@base-ui/react/menu';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Icon } from '../components/icon';
import menu from '../components/menu.module.css';
import { tenantQuery, tenantsQuery } from '../data/tenants';
import styles from './tenant-switcher.module.css';

export function TenantSwitcher({ tenantId }: { tenantId: string }) {
  const { data: tenant } = useQuery(tenantQuery(tenantId));
  const { data: tenants } = useQuery(tenantsQuery);
  const name = tenant?.name ?? tenantId;
  return (
    <Menu.Root>
      <Menu.Trigger className={menu.trigger}>
        <span className={styles.mark} aria-hidden="true">
          {[...name.trim()][0]?.toUpperCase()}
        </span>
        <span className={styles.name} dir="auto">
          <span className="visually-hidden">Tenant </span>
          {name}
        </span>
        <Icon name="chevron" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="start">
          <Menu.Popup className={menu.popup}>
            {(tenants?.data ?? []).map(({ id, name }) => (
              <Menu.Item
                key={id}
                className={menu.item}
                render={<Link to="/$tenantId" params={{ tenantId: id }} />}
                aria-current={id === tenantId || undefined}
              >
                <span className={menu.name} dir="auto">
                  {name}
                </span>
                {id === tenantId && <Icon name="check" />}
              </Menu.Item>
            ))}
            <div className={menu.line} />
            <Menu.Item className={menu.item} render={<Link to="/tenants" />}>
              All tenants
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
