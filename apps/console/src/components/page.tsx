import { IdsyncError } from '@idsync/client/operator';
import { type ReactNode, useEffect } from 'react';
import { Button } from './button';
import styles from './page.module.css';
import states from './states.module.css';

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

export interface EmptyStateProps {
  title: string;
  text?: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
}

/** The text of an empty list, and what to do about it. */
export function EmptyState({ title, text, children = text, action }: EmptyStateProps) {
  return (
    <div className={states.state}>
      <p className={states.title}>{title}</p>
      {children && <div className={states.text}>{children}</div>}
      {action && <div className={states.action}>{action}</div>}
    </div>
  );
}

export function ErrorState({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const isRefused = error instanceof IdsyncError;
  const title =
    isRefused && error.status === 404
      ? 'Not found'
      : isRefused && error.status === 403
        ? 'Your role does not allow this'
        : 'This could not be loaded';
  return (
    <div className={`${states.state} ${states.error}`} role="alert">
      <p className={states.title}>{title}</p>
      <p className={states.text}>
        {isRefused ? reasonOf(error) : 'The service did not answer. It is retried when you are back online.'}
      </p>
      {isRefused && error.requestId && (
        <p className={states.request}>
          Request <code>{error.requestId}</code>
        </p>
      )}
      {onRetry && (
        <div className={states.action}>
          <Button onClick={onRetry}>Try again</Button>
        </div>
      )}
    </div>
  );
}

function reasonOf({ message }: IdsyncError): string {
  return message === 'not found' ? 'It was deleted, or belongs to another tenant.' : message;
}

/** Grey bars in place of content. */
export function Loading({ rows = 6 }: { rows?: number }) {
  return (
    <div className={states.loading} role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the bars are all the same
        <div key={row} className={states.bar} />
      ))}
    </div>
  );
}

interface StatTileProps {
  label: string;
  value: ReactNode;
  /** A line below the number. */
  about?: ReactNode;
  tone?: 'ok' | 'warn' | 'bad';
  /** A link to what is counted. */
  link?: (props: { className: string | undefined; children: string }) => ReactNode;
}

export function StatTile({ label, value, about, tone, link }: StatTileProps) {
  return (
    <div className={styles.tile}>
      <span className={styles.label}>{link ? link({ className: styles.link, children: label }) : label}</span>
      <span className={tone ? `${styles.value} ${styles[tone]}` : styles.value}>{value}</span>
      {about && <span className={styles.about}>{about}</span>}
    </div>
  );
}

export function StatTiles({ children }: { children: ReactNode }) {
  return <div className={styles.tiles}>{children}</div>;
}
