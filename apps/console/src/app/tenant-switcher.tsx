import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Icon } from '../components/icon';
import { MenuItem, PopupMenu } from '../components/menu';
import menu from '../components/menu.module.css';
import { tenantQuery, tenantsQuery } from '../data/tenants';
import styles from './tenant-switcher.module.css';

export function TenantSwitcher({ tenantId }: { tenantId: string }) {
  const { data: tenant } = useQuery(tenantQuery(tenantId));
  const { data: tenants } = useQuery(tenantsQuery);
  const name = tenant?.name ?? tenantId;
  return (
    <PopupMenu
      className={menu.trigger}
      trigger={
        <>
          <span className={styles.mark} aria-hidden="true">
            {[...name.trim()][0]?.toUpperCase()}
          </span>
          <span className={styles.name} dir="auto">
            <span className="visually-hidden">Tenant </span>
            {name}
          </span>
          <Icon name="chevron" />
        </>
      }
      align="start"
    >
      {(tenants?.data ?? []).map(({ id, name }) => (
        <MenuItem
          key={id}
          render={<Link to="/$tenantId" params={{ tenantId: id }} />}
          aria-current={id === tenantId || undefined}
        >
          <span className={menu.name} dir="auto">
            {name}
          </span>
          {id === tenantId && <Icon name="check" />}
        </MenuItem>
      ))}
      <div className={menu.line} />
      <MenuItem render={<Link to="/tenants" />}>All tenants</MenuItem>
    </PopupMenu>
  );
}
