import cliProgress from 'cli-progress';

export interface Progress {
  status: string;
  percent: number;
  /** The processed amount with its unit: `1200 records`. */
  amount: string;
}

export interface ProgressLine {
  show(progress: Progress): void;
  stop(): void;
}

/** Shows a bar on a terminal; elsewhere, such as in a log, writes a line for each change. */
export function progressLine(stream: NodeJS.WritableStream): ProgressLine {
  return (stream as Partial<NodeJS.WriteStream>).isTTY ? bar(stream) : lines(stream);
}

function bar(stream: NodeJS.WritableStream): ProgressLine {
  const single = new cliProgress.SingleBar(
    { format: '{bar} {percentage} % | {status} | {amount}', stream, hideCursor: false },
    cliProgress.Presets.shades_classic,
  );
  single.start(100, 0, { status: 'queued', amount: '' });
  return {
    show: ({ percent, status, amount }) => single.update(percent, { status, amount }),
    stop: () => single.stop(),
  };
}

function lines(stream: NodeJS.WritableStream): ProgressLine {
  let last = '';
  return {
    show({ percent, status }) {
      const line = `${status} ${percent} %\n`;
      if (line !== last) stream.write(line);
      last = line;
    },
    stop: () => undefined,
  };
}
