import { formatCount } from '../../components/format-time';
import { IdLink } from '../../components/links';
import { EmptyState, Section, StatTile, StatTiles } from '../../components/page';
import { wordsOf } from '../../components/words';
import type { Operation } from '../../data/api';
import styles from './rules.module.css';

/** An item of a result, as `openapi.json` leaves it open. */
interface Item {
  kind?: string;
  rule?: string;
  record?: string;
  record_name?: string;
  from_identity_id?: string;
  from_name?: string;
  into_identity_id?: string;
  into_name?: string;
  values?: { field: string; value?: string; other?: string }[];
  candidates?: { identity_id: string; name?: string; score: number }[];
}

const lists = [
  { name: 'joined', title: 'Would become one person' },
  { name: 'parted', title: 'Would become two people' },
  { name: 'moved', title: 'Accounts that would change their person' },
  { name: 'cases', title: 'Cases that would be opened' },
] as const;
const shown = 50;

/** The people who would be joined or parted, and the evidence. */
export function Preview({ operation, isOutdated }: { operation: Operation; isOutdated: boolean }) {
  const result = operation.result ?? {};
  const count = (name: string) => (typeof result[name] === 'number' ? result[name] : 0);
  const listed = lists.map((list) => ({ ...list, items: (result[list.name] ?? []) as Item[] }));
  return (
    <Section title={isOutdated ? 'Preview of an earlier version' : 'Preview'}>
      <div className={isOutdated ? `${styles.form} ${styles.outdated}` : styles.form}>
        <StatTiles>
          <StatTile label="People joined" value={formatCount(count('identities_joined'))} />
          <StatTile label="People parted" value={formatCount(count('identities_parted'))} />
          <StatTile label="Accounts moved" value={formatCount(count('accounts_moved'))} />
          <StatTile label="Cases opened" value={formatCount(count('cases_opened'))} />
        </StatTiles>
        {listed.every(({ items }) => items.length === 0) && (
          <EmptyState title="Nobody changes">The rules lead to the same people as now.</EmptyState>
        )}
        {listed
          .filter(({ items }) => items.length > 0)
          .map(({ name, title, items }) => (
            <section key={name} aria-label={title}>
              <h3 className={styles.listTitle}>{title}</h3>
              <ul className={styles.items}>
                {items.slice(0, shown).map((item) => (
                  <ItemRow key={`${item.record} ${item.from_identity_id} ${item.into_identity_id}`} item={item} />
                ))}
              </ul>
              {items.length > shown && (
                <p className={styles.note}>
                  and {formatCount(items.length - shown)} more:{' '}
                  <code>idsync operations items {operation.operation_id}</code>
                </p>
              )}
            </section>
          ))}
      </div>
    </Section>
  );
}

function ItemRow({ item }: { item: Item }) {
  const { rule, record, record_name, from_identity_id, from_name, into_identity_id, into_name, values = [] } = item;
  return (
    <li className={styles.item}>
      <div className={styles.people}>
        {from_identity_id ? (
          <Person id={from_identity_id} name={from_name} />
        ) : (
          <strong dir="auto">{record_name ?? record}</strong>
        )}
        {into_identity_id && (
          <>
            <span aria-hidden="true">→</span>
            <Person id={into_identity_id} name={into_name} />
          </>
        )}
        {item.candidates?.map(({ identity_id, name, score }) => (
          <span key={identity_id} className={styles.people}>
            <span aria-hidden="true">?</span>
            {name ? <Person id={identity_id} name={name} /> : <span>a person of this preview</span>}
            <span className={styles.note}>{Math.round(score * 100)} %</span>
          </span>
        ))}
      </div>
      <div className={styles.evidence}>
        {rule && <span>{wordsOf(rule)}</span>}
        {values.map(({ field, value = '—', other = '—' }) => (
          <span key={field} dir="auto">
            {value === other ? value : `${value} · ${other}`}
          </span>
        ))}
        {record_name && from_name && record_name !== from_name && <span dir="auto">record of {record_name}</span>}
      </div>
    </li>
  );
}

function Person({ id, name }: { id: string; name?: string }) {
  return (
    <IdLink id={id} dir="auto">
      {name ?? id}
    </IdLink>
  );
}
