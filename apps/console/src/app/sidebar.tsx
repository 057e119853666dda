import { Link } from '@tanstack/react-router';
import { Icon } from '../components/icon';
import { useSession } from '../data/access';
import { isShown, navigation } from './navigation';
import styles from './sidebar.module.css';
import { TenantSwitcher } from './tenant-switcher';
import { UserMenu } from './user-menu';

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
