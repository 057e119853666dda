import { Menu } from '@base-ui/react/menu';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Icon, type IconName } from '../components/icon';
import menu from '../components/menu.module.css';
import { useSession } from '../data/access';
import { signOut } from '../data/session';
import { useStore } from '../data/store';
import { theme, timeZone } from './preferences';
import styles from './user-menu.module.css';

const themes: readonly { value: 'system' | 'light' | 'dark'; label: string; icon: IconName }[] = [
  { value: 'system', label: 'As the system', icon: 'screen' },
  { value: 'light', label: 'Light', icon: 'sun' },
  { value: 'dark', label: 'Dark', icon: 'moon' },
];

/** The operator, and the settings of this browser. */
export function UserMenu() {
  const { actor, end_session_url } = useSession();
  const client = useQueryClient();
  const navigate = useNavigate();
  const chosenTheme = useStore(theme);
  const zone = useStore(timeZone);
  const leave = async () => {
    await signOut();
    // The identity provider sends the browser back to the sign-in page.
    if (end_session_url !== undefined) return window.location.assign(end_session_url);
    await navigate({ to: '/sign-in' });
    client.clear();
  };
  return (
    <Menu.Root>
      <Menu.Trigger className={menu.trigger}>
        <span className={styles.who}>
          <span className={styles.name} dir="auto">
            {actor.name}
          </span>
          <span className={styles.role}>{actor.role}</span>
        </span>
        <Icon name="more" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner side="top" sideOffset={4} align="start">
          <Menu.Popup className={menu.popup}>
            <Menu.RadioGroup value={chosenTheme} onValueChange={(value) => theme.set(value)}>
              <div className={menu.group}>Theme</div>
              {themes.map(({ value, label, icon }) => (
                <Menu.RadioItem key={value} value={value} closeOnClick className={menu.item}>
                  <Icon name={icon} />
                  <span className={menu.name}>{label}</span>
                  <Menu.RadioItemIndicator>
                    <Icon name="check" />
                  </Menu.RadioItemIndicator>
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
            <Menu.RadioGroup value={zone} onValueChange={(value) => timeZone.set(value)}>
              <div className={menu.group}>Times</div>
              {timeZone.values.map((value) => (
                <Menu.RadioItem key={value} value={value} closeOnClick className={menu.item}>
                  <span className={menu.name}>{value === 'UTC' ? 'UTC' : 'Local time'}</span>
                  <Menu.RadioItemIndicator>
                    <Icon name="check" />
                  </Menu.RadioItemIndicator>
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
            <div className={menu.line} />
            <Menu.Item className={menu.item} render={<a href="/docs">API reference</a>} />
            <Menu.Item className={menu.item} onClick={leave}>
              Sign out
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
