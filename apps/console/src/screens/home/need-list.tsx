import { Icon } from '../../components/icon';
import { TenantLink } from '../../components/tenant-link';
import { Ago } from '../../components/time';
import tones from '../../components/tones.module.css';
import styles from './need-list.module.css';
import type { Need } from './needs';

export function NeedList({ needs }: { needs: readonly Need[] }) {
  return (
    <ul>
      {needs.map(({ key, icon, tone, title, detail, at, path }) => (
        <li key={key} className={styles.need}>
          <span className={`${styles.icon} ${tones[tone]}`}>
            <Icon name={icon} />
          </span>
          <span className={styles.text}>
            <TenantLink path={path} className={styles.title}>
              <span dir="auto">{title}</span>
            </TenantLink>
            {detail && <span className={styles.detail}>{detail}</span>}
          </span>
          {at && (
            <span className={styles.at}>
              <Ago at={at} />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
