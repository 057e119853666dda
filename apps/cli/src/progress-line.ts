import cliProgress from 'cli-progress';
import type { Job } from './admin-replies.js';

export interface ProgressLine {
  show(job: Job): void;
  stop(): void;
}

/** A bar on a terminal; elsewhere, such as in a log, a line each time something has changed. */
export function progressLine(stream: NodeJS.WritableStream): ProgressLine {
  return (stream as Partial<NodeJS.WriteStream>).isTTY ? bar(stream) : lines(stream);
}

function bar(stream: NodeJS.WritableStream): ProgressLine {
  const single = new cliProgress.SingleBar(
    { format: '{bar} {percentage} % | {status} | {applied} records', stream, hideCursor: false },
    cliProgress.Presets.shades_classic,
  );
  single.start(100, 0, { status: 'queued', applied: 0 });
  return {
    show: (job) => single.update(job.progress_pct ?? 0, { status: job.status, applied: job.records_applied ?? 0 }),
    stop: () => single.stop(),
  };
}

function lines(stream: NodeJS.WritableStream): ProgressLine {
  let last = '';
  return {
    show(job) {
      const line = `${job.status} ${job.progress_pct ?? 0} %\n`;
      if (line !== last) stream.write(line);
      last = line;
    },
    stop: () => undefined,
  };
}
