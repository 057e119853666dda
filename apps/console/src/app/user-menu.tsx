import { Menu } from '@base-ui/react/menu';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Icon, type IconName } from '../components/icon';
import { MenuItem, PopupMenu } from '../components/menu';
import menu from '../components/menu.module.css';
import { useSession } from '../data/access';
import { signOut } from '../data/session';
import { useStore } from '../data/store';
import { theme, timeZone } from './preferences';
import type { StoredChoice } from './stored-choice';
import styles from './user-menu.module.css';

const themes = {
  system: { label: 'As the system', icon: 'screen' },
  light: { label: 'Light', icon: 'sun' },
  dark: { label: 'Dark', icon: 'moon' },
} as const;
const zones = { local: { label: 'Local time' }, UTC: { label: 'UTC' } };

/** The operator, and the settings of this browser. */
export function UserMenu() {
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
          <span className={styles.who}>
            <span className={styles.name} dir="auto">
              {actor.name}
            </span>
            <span className={styles.role}>{actor.role}</span>
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
