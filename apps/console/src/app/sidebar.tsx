import { Menu } from '@base-ui/react/menu';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Icon, type IconName } from '../components/button';
import { MenuItem, PopupMenu } from '../components/menu';
import menu from '../components/menu.module.css';
import { tenantQuery, tenantsQuery } from '../data/queries';
import { signOut, useSession } from '../data/session';
import { useStore } from '../data/store';
import { isShown, navigation } from './navigation';
import { type StoredChoice, theme, timeZone } from './preferences';
import styles from './sidebar.module.css';
import userMenu from './user-menu.module.css';

interface SidebarProps {
  tenantId: string;
  /** On narrow windows. */
  isOpen: boolean;
  onSearch: () => void;
  onNavigate: () => void;
}

const searchKey = navigator.platform.startsWith('Mac') ? '⌘K' : 'Ctrl K';

export function Sidebar({ tenantId, isOpen, onSearch, onNavigate }: SidebarProps) {
  const { actor } = useSession();
  return (
    <div className={isOpen ? `${styles.sidebar} ${styles.open}` : styles.sidebar}>
      <TenantSwitcher tenantId={tenantId} />
      <button type="button" className={styles.search} onClick={onSearch}>
        <Icon name="search" />
        <span>Search</span>
        <kbd>{searchKey}</kbd>
      </button>
      <nav className={styles.groups} aria-label="Screens">
        {navigation.map(({ title, items }) => {
          const allowed = items.filter((item) => isShown(item, actor));
          if (allowed.length === 0) return null;
          return (
            <div key={title ?? ''}>
              {title && <p className={styles.title}>{title}</p>}
              <ul>
                {allowed.map(({ label, to, icon }) => (
                  <li key={label}>
                    <Link
                      to={to}
                      params={{ tenantId }}
                      className={styles.link}
                      activeOptions={{ exact: to === '/$tenantId', includeSearch: false }}
                      onClick={onNavigate}
                    >
                      <Icon name={icon} />
                      {label}
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          );
        })}
      </nav>
      <UserMenu />
    </div>
  );
}

function TenantSwitcher({ tenantId }: { tenantId: string }) {
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

const themes = {
  system: { label: 'As the system', icon: 'screen' },
  light: { label: 'Light', icon: 'sun' },
  dark: { label: 'Dark', icon: 'moon' },
} as const;
const zones = { local: { label: 'Local time' }, UTC: { label: 'UTC' } };

/** The operator, and the settings of this browser. */
function UserMenu() {
  const { actor, end_session_url } = useSession();
  const client = useQueryClient();
  const navigate = useNavigate();
  const leave = async () => {
    await signOut();
    // The identity provider sends the browser back to the sign-in page.
    if (end_session_url !== undefined) return window.location.assign(end_session_url);
    await navigate({ to: '/sign-in' });
    client.clear();
  };
  return (
    <PopupMenu
      className={menu.trigger}
      trigger={
        <>
          <span className={userMenu.who}>
            <span className={userMenu.name} dir="auto">
              {actor.name}
            </span>
            <span className={userMenu.role}>{actor.role}</span>
          </span>
          <Icon name="more" />
        </>
      }
      side="top"
      align="start"
    >
      <Choice title="Theme" choice={theme} labels={themes} />
      <Choice title="Times" choice={timeZone} labels={zones} />
      <div className={menu.line} />
      <MenuItem render={<a href="/docs">API reference</a>} />
      <MenuItem onClick={leave}>Sign out</MenuItem>
    </PopupMenu>
  );
}

interface ChoiceProps<Value extends string> {
  title: string;
  choice: StoredChoice<Value>;
  labels: Record<Value, { label: string; icon?: IconName }>;
}

function Choice<Value extends string>({ title, choice, labels }: ChoiceProps<Value>) {
  return (
    <Menu.RadioGroup value={useStore(choice)} onValueChange={(value) => choice.set(value)}>
      <div className={menu.group}>{title}</div>
      {choice.values.map((value) => (
        <Menu.RadioItem key={value} value={value} closeOnClick className={menu.item}>
          {labels[value].icon && <Icon name={labels[value].icon} />}
          <span className={menu.name}>{labels[value].label}</span>
          <Menu.RadioItemIndicator>
            <Icon name="check" />
          </Menu.RadioItemIndicator>
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  );
}
