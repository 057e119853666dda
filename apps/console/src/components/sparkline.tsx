import styles from './sparkline.module.css';

interface SparklineProps {
  values: readonly number[];
  /** What it shows, for screen readers: `Changes in the last 24 hours`. */
  label: string;
  tone?: 'accent' | 'bad';
}

const width = 160;
const height = 32;

/** Bars of a short time series, whose heights are relative to the greatest one. */
export function Sparkline({ values, label, tone = 'accent' }: SparklineProps) {
  const greatest = Math.max(...values, 1);
  const step = width / Math.max(values.length, 1);
  const total = values.reduce((sum, value) => sum + value, 0);
  return (
    <svg
      className={`${styles.sparkline} ${styles[tone]}`}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}: ${total} in total`}
    >
      {values.map((value, index) => {
        const bar = value === 0 ? 1 : Math.max(2, (value / greatest) * height);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its position
            key={index}
            className={value === 0 ? styles.none : undefined}
            x={index * step + 0.5}
            y={height - bar}
            width={Math.max(step - 1, 0.5)}
            height={bar}
          />
        );
      })}
    </svg>
  );
}
