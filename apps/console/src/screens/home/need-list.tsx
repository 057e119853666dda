import { Link } from '@tanstack/react-router';
import { Icon } from '../../components/icon';
import { Ago } from '../../components/time';
import styles from './need-list.module.css';
import type { Need } from './needs';

export function NeedList({ needs, tenantId }: { needs: readonly Need[]; tenantId: string }) {
  return (
    <ul>
      {needs.map(({ key, icon, tone, title, detail, at, link }) => (
        <li key={key} className={styles.need}>
          <span className={`${styles.icon} ${styles[tone]}`}>
            <Icon name={icon} />
          </span>
          <span className={styles.text}>
            <NeedTitle title={title} link={link} tenantId={tenantId} />
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

/** The title, as a link over the whole row if there is a screen for it. */
function NeedTitle({ title, link, tenantId }: Pick<Need, 'title' | 'link'> & { tenantId: string }) {
  const given = { className: styles.title, dir: 'auto' };
  if (link?.to === 'plan')
    return (
      <Link to="/$tenantId/runs/$jobId/plan" params={{ tenantId, jobId: link.jobId }} {...given}>
        {title}
      </Link>
    );
  if (link?.to === 'cases')
    return (
      <Link to="/$tenantId/cases" params={{ tenantId }} {...given}>
        {title}
      </Link>
    );
  return <span {...given}>{title}</span>;
}
