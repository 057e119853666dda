import { Menu } from '@base-ui/react/menu';
import type { ComponentProps, ReactNode } from 'react';
import styles from './menu.module.css';

interface PopupMenuProps extends Pick<ComponentProps<typeof Menu.Positioner>, 'align' | 'side'> {
  className: string | undefined;
  /** The content of the button. */
  trigger: ReactNode;
  /** The items. */
  children: ReactNode;
}

/** A button that opens a menu. */
export function PopupMenu({ className, trigger, children, ...place }: PopupMenuProps) {
  return (
    <Menu.Root>
      <Menu.Trigger className={className}>{trigger}</Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} {...place}>
          <Menu.Popup className={styles.popup}>{children}</Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

export function MenuItem(props: ComponentProps<typeof Menu.Item>) {
  return <Menu.Item {...props} className={styles.item} />;
}
