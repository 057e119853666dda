import { type ReactNode, useEffect } from 'react';
import styles from './page.module.css';

interface PageProps {
  title: string;
  /** Beside the title, such as a status. */
  beside?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** The frame of a screen. Its title is also the title of the browser tab. */
export function Page({ title, beside, description, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · idsync`;
  }, [title]);
  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <div className={styles.heading}>
          <div className={styles.titleRow}>
            <h1 className={styles.title} dir="auto">
              {title}
            </h1>
            {beside}
          </div>
          {description && <div className={styles.description}>{description}</div>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

interface SectionProps {
  title: string;
  actions?: ReactNode;
  /** The title is only for screen readers, if the page has one section. */
  untitled?: boolean;
  /** Without padding, for tables. */
  flush?: boolean;
  children: ReactNode;
}

export function Section({ title, actions, untitled = false, flush = false, children }: SectionProps) {
  return (
    <section className={styles.section} aria-label={title}>
      {!untitled && (
        <header className={styles.sectionHeader}>
          <h2 className={styles.sectionTitle}>{title}</h2>
          {actions && <div className={styles.actions}>{actions}</div>}
        </header>
      )}
      <div className={flush ? undefined : styles.body}>{children}</div>
    </section>
  );
}
